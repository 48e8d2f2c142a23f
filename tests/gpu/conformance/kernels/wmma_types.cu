/* plan
{ "kernel": "wmmaTypes", "grid": [1], "block": [32],
  "args": [ {"name": "h", "type": "f16", "count": 512, "fill": "small"},
            {"name": "bf", "type": "bf16", "count": 512, "fill": "small"},
            {"name": "s", "type": "i8", "count": 512, "fill": "bits"},
            {"name": "u", "type": "u8", "count": 512, "fill": "bits"},
            {"name": "t", "type": "f32", "count": 256, "fill": "small"},
            {"name": "d", "type": "f64", "count": 64, "fill": "unit"},
            {"name": "tall", "type": "f32", "count": 256, "output": true},
            {"name": "flat", "type": "f32", "count": 256, "output": true},
            {"name": "ints", "type": "i32", "count": 256, "output": true},
            {"name": "uints", "type": "i32", "count": 256, "output": true},
            {"name": "tf", "type": "f32", "count": 256, "output": true, "absolute": 4e-6},
            {"name": "dd", "type": "f64", "count": 64, "output": true, "relative": 1e-15, "absolute": 1e-15} ] }
*/
#include <mma.h>
#include <cuda_bf16.h>
using namespace nvcuda::wmma;
extern "C" __global__ void wmmaTypes(const __half *h, const __nv_bfloat16 *bf, const signed char *s,
    const unsigned char *u, const float *t, const double *d, float *tall, float *flat, int *ints,
    int *uints, float *tf, double *dd)
{
    {
        fragment<matrix_a, 32, 8, 16, __half, col_major> a;
        fragment<matrix_b, 32, 8, 16, __half, row_major> b;
        fragment<accumulator, 32, 8, 16, float> c;
        fill_fragment(c, 0.0f);
        load_matrix_sync(a, h, 32);
        load_matrix_sync(b, h + 128, 8);
        mma_sync(c, a, b, c);
        store_matrix_sync(tall, c, 8, mem_row_major);
    }
    {
        fragment<matrix_a, 8, 32, 16, __nv_bfloat16, row_major> a;
        fragment<matrix_b, 8, 32, 16, __nv_bfloat16, col_major> b;
        fragment<accumulator, 8, 32, 16, float> c;
        fill_fragment(c, -1.0f);
        load_matrix_sync(a, bf, 16);
        load_matrix_sync(b, bf, 16);
        mma_sync(c, a, b, c);
        store_matrix_sync(flat, c, 32, mem_row_major);
    }
    {
        fragment<matrix_a, 16, 16, 16, signed char, row_major> a;
        fragment<matrix_b, 16, 16, 16, signed char, col_major> b;
        fragment<accumulator, 16, 16, 16, int> c;
        fill_fragment(c, 0x7fff0000);
        load_matrix_sync(a, s, 16);
        load_matrix_sync(b, s + 256, 16);
        mma_sync(c, a, b, c, true);
        store_matrix_sync(ints, c, 16, mem_row_major);
    }
    {
        fragment<matrix_a, 32, 8, 16, unsigned char, row_major> a;
        fragment<matrix_b, 32, 8, 16, unsigned char, col_major> b;
        fragment<accumulator, 32, 8, 16, int> c;
        fill_fragment(c, 5);
        load_matrix_sync(a, u, 16);
        load_matrix_sync(b, u + 64, 16);
        mma_sync(c, a, b, c);
        store_matrix_sync(uints, c, 8, mem_row_major);
    }
    {
        // Sums of products up to 16: a tensor core cuts each to the largest one's last places.
        fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> a;
        fragment<matrix_b, 16, 16, 8, precision::tf32, col_major> b;
        fragment<accumulator, 16, 16, 8, float> c;
        fill_fragment(c, 0.0f);
        load_matrix_sync(a, t, 8);
        load_matrix_sync(b, t + 128, 8);
        for (int i = 0; i < a.num_elements; ++i)
            a.x[i] = __float_to_tf32(a.x[i] + 1.0e-4f);
        mma_sync(c, a, b, c);
        store_matrix_sync(tf, c, 16, mem_row_major);
    }
    {
        fragment<matrix_a, 8, 8, 4, double, row_major> a;
        fragment<matrix_b, 8, 8, 4, double, col_major> b;
        fragment<accumulator, 8, 8, 4, double> c;
        fill_fragment(c, 0.25);
        load_matrix_sync(a, d, 4);
        load_matrix_sync(b, d + 32, 4);
        mma_sync(c, a, b, c);
        store_matrix_sync(dd, c, 8, mem_row_major);
    }
}
