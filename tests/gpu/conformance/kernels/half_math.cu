/* plan
{ "kernel": "halfMath", "grid": [8], "block": [128],
  "args": [ {"name": "a", "type": "f16", "count": 1024, "fill": "edges"},
            {"name": "b", "type": "f16", "count": 1024, "fill": "edges"},
            {"name": "c", "type": "f16", "count": 1024, "fill": "edges"},
            {"name": "out", "type": "f16", "count": 14336, "output": true},
            {"name": "wide", "type": "f32", "count": 1024, "output": true} ] }
*/
#include <cuda_fp16.h>
extern "C" __global__ void halfMath(
    const __half *a, const __half *b, const __half *c, __half *out, float *wide)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half x = a[i], y = b[i], z = c[i];
    __half *o = out + i * 14;
    o[0] = __hadd(x, y);
    o[1] = __hsub(x, y);
    o[2] = __hmul(x, y);
    o[3] = __hfma(x, y, z);
    o[4] = __hmin(x, y);
    o[5] = __hmax(x, y);
    o[6] = __hmin_nan(x, y);
    o[7] = __hmax_nan(x, y);
    o[8] = __hfma_sat(x, y, z);
    o[9] = __hadd_sat(x, y);
    o[10] = __hfma_relu(x, y, z);
    const __half2 two = __hfma2(__halves2half2(x, y), __halves2half2(y, z), __halves2half2(z, x));
    o[11] = __low2half(two);
    o[12] = __high2half(two);
    o[13] = __hlt(x, y) ? __hneg(x) : __habs(y);
    wide[i] = __half2float(x) * __half2float(y);
}
