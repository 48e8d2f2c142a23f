/* plan
{ "kernel": "wmmaMatmul", "grid": [2, 2], "block": [32],
  "args": [ {"name": "a", "type": "f16", "count": 1536, "fill": "small"},
            {"name": "b", "type": "f16", "count": 1536, "fill": "small"},
            {"name": "c", "type": "f32", "count": 1024, "output": true},
            {"name": "h", "type": "f16", "count": 1024, "output": true},
            {"type": "i32", "value": 48} ] }
*/
// Small whole numbers: every order of summation is exact.
#include <mma.h>
using namespace nvcuda::wmma;
extern "C" __global__ void wmmaMatmul(const __half *a, const __half *b, float *c, __half *h, int k)
{
    fragment<matrix_a, 16, 16, 16, __half, row_major> left;
    fragment<matrix_b, 16, 16, 16, __half, row_major> right;
    fragment<matrix_b, 16, 16, 16, __half, col_major> rightColumns;
    fragment<accumulator, 16, 16, 16, float> sum;
    fragment<accumulator, 16, 16, 16, __half> half;
    fill_fragment(sum, 1.0f);
    fill_fragment(half, __float2half(0.0f));
    for (int at = 0; at < k; at += 16) {
        load_matrix_sync(left, a + blockIdx.y * 16 * k + at, k);
        load_matrix_sync(right, b + at * 32 + blockIdx.x * 16, 32);
        mma_sync(sum, left, right, sum);
        load_matrix_sync(rightColumns, b + blockIdx.x * 16 * k + at, k);
        mma_sync(half, left, rightColumns, half);
    }
    for (int i = 0; i < sum.num_elements; ++i)
        sum.x[i] = sum.x[i] * 2.0f + 0.5f;
    store_matrix_sync(c + blockIdx.y * 16 * 32 + blockIdx.x * 16, sum, 32, mem_row_major);
    store_matrix_sync(h + blockIdx.x * 16 * 32 + blockIdx.y * 16, half, 32, mem_col_major);
}
