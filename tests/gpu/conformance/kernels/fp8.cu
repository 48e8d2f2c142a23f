/* plan
{ "kernel": "eightBits", "grid": [4], "block": [64],
  "args": [ {"name": "x", "type": "f32", "count": 256, "fill": "edges"},
            {"name": "h", "type": "f16", "count": 256, "fill": "edges"},
            {"name": "w", "type": "f32", "count": 256, "fill": "wide"},
            {"name": "bytes", "type": "u32", "count": 1280, "output": true},
            {"name": "back", "type": "f16", "count": 1024, "output": true},
            {"name": "tf32", "type": "u32", "count": 256, "output": true} ] }
*/
#include <cuda_fp8.h>
extern "C" __global__ void eightBits(const float *x, const __half *h, const float *w,
    unsigned *bytes, __half *back, unsigned *tf32)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    bytes[i * 5] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E4M3);
    bytes[i * 5 + 1] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E5M2);
    const unsigned a = __nv_cvt_float_to_fp8(w[i], __NV_SATFINITE, __NV_E4M3);
    const unsigned b
        = __nv_cvt_float2_to_fp8x2(make_float2(w[i], x[i]), __NV_SATFINITE, __NV_E5M2);
    bytes[i * 5 + 2] = a;
    bytes[i * 5 + 3] = b;
    bytes[i * 5 + 4] = __nv_cvt_halfraw_to_fp8(h[i], __NV_SATFINITE, __NV_E4M3);
    back[i * 4] = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(a), __NV_E4M3);
    back[i * 4 + 1] = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(i), __NV_E4M3);
    back[i * 4 + 2] = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(b), __NV_E5M2);
    back[i * 4 + 3] = __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(i), __NV_E5M2);
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(tf32[i]) : "f"(x[i]));
}
