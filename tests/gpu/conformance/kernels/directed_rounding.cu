/* plan
{ "kernel": "directed", "grid": [8], "block": [64],
  "args": [ {"name": "a", "type": "f32", "count": 512, "fill": "edges"},
            {"name": "b", "type": "f32", "count": 512, "fill": "edges"},
            {"name": "c", "type": "f32", "count": 512, "fill": "edges"},
            {"name": "y", "type": "f32", "count": 13824, "output": true} ] }
*/
extern "C" __global__ void directed(const float *a, const float *b, const float *c, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i], z = b[i], w = c[i];
    float *o = y + i * 27;
    o[0] = __fadd_rn(x, z);
    o[1] = __fadd_rz(x, z);
    o[2] = __fadd_rd(x, z);
    o[3] = __fadd_ru(x, z);
    o[4] = __fmul_rn(x, z);
    o[5] = __fmul_rz(x, z);
    o[6] = __fmul_rd(x, z);
    o[7] = __fmul_ru(x, z);
    o[8] = __fmaf_rn(x, z, w);
    o[9] = __fmaf_rz(x, z, w);
    o[10] = __fmaf_rd(x, z, w);
    o[11] = __fmaf_ru(x, z, w);
    o[12] = __fdiv_rn(x, z);
    o[13] = __fdiv_rz(x, z);
    o[14] = __fdiv_rd(x, z);
    o[15] = __fdiv_ru(x, z);
    o[16] = __fsqrt_rn(x);
    o[17] = __fsqrt_rz(x);
    o[18] = __fsqrt_rd(x);
    o[19] = __fsqrt_ru(x);
    o[20] = __frcp_rn(x);
    o[21] = __frcp_rz(x);
    o[22] = __frcp_rd(x);
    o[23] = __frcp_ru(x);
    o[24] = fminf(x, z);
    o[25] = fmaxf(x, z);
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(o[26]) : "f"(x), "f"(z));
}
