/* plan
{ "kernel": "brainMath", "grid": [8], "block": [128],
  "args": [ {"name": "a", "type": "bf16", "count": 1024, "fill": "edges"},
            {"name": "b", "type": "bf16", "count": 1024, "fill": "edges"},
            {"name": "c", "type": "bf16", "count": 1024, "fill": "edges"},
            {"name": "f", "type": "f32", "count": 1024, "fill": "edges"},
            {"name": "out", "type": "bf16", "count": 13312, "output": true} ] }
*/
#include <cuda_bf16.h>
extern "C" __global__ void brainMath(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
    const __nv_bfloat16 *c, const float *f, __nv_bfloat16 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const __nv_bfloat16 x = a[i], y = b[i], z = c[i];
    __nv_bfloat16 *o = out + i * 13;
    o[0] = __hadd(x, y);
    o[1] = __hsub(x, y);
    o[2] = __hmul(x, y);
    o[3] = __hfma(x, y, z);
    o[4] = __hmin(x, y);
    o[5] = __hmax(x, y);
    o[6] = __hfma_relu(x, y, z);
    o[7] = __float2bfloat16_rn(f[i]);
    o[8] = __float2bfloat16_rz(f[i]);
    o[9] = __float2bfloat16_rd(f[i]);
    o[10] = __float2bfloat16_ru(f[i]);
    const __nv_bfloat162 two
        = __hfma2(__halves2bfloat162(x, y), __halves2bfloat162(y, z), __halves2bfloat162(z, x));
    o[11] = __low2bfloat16(two);
    o[12] = __high2bfloat16(two);
}
