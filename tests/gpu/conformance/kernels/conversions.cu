/* plan
{ "kernel": "conversions", "grid": [8], "block": [64],
  "args": [ {"name": "x", "type": "f32", "count": 512, "fill": "edges"},
            {"name": "d", "type": "f64", "count": 512, "fill": "edges"},
            {"name": "n", "type": "i64", "count": 512, "fill": "edges"},
            {"name": "h", "type": "f16", "count": 512, "fill": "edges"},
            {"name": "halves", "type": "f16", "count": 4608, "output": true},
            {"name": "ints", "type": "i32", "count": 9216, "output": true},
            {"name": "longs", "type": "i64", "count": 4096, "output": true},
            {"name": "floats", "type": "f32", "count": 8192, "output": true},
            {"name": "doubles", "type": "f64", "count": 2048, "output": true} ] }
*/
#include <cuda_fp16.h>
extern "C" __global__ void conversions(const float *x, const double *d, const long long *n,
    const __half *h, __half *halves, int *ints, long long *longs, float *floats, double *doubles)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i];
    const double w = d[i];
    const long long k = n[i];
    const int s = int(k);
    __half *o = halves + i * 9;
    o[0] = __float2half_rn(v);
    o[1] = __float2half_rz(v);
    o[2] = __float2half_rd(v);
    o[3] = __float2half_ru(v);
    o[4] = __double2half(w);
    o[5] = __int2half_rn(s);
    o[6] = __ll2half_rz(k);
    o[7] = __uint2half_ru(unsigned(s));
    o[8] = hrint(h[i]);
    int *r = ints + i * 18;
    r[0] = __float2int_rn(v);
    r[1] = __float2int_rz(v);
    r[2] = __float2int_rd(v);
    r[3] = __float2int_ru(v);
    r[4] = __float2uint_rn(v);
    r[5] = __float2uint_rz(v);
    r[6] = __float2uint_rd(v);
    r[7] = __float2uint_ru(v);
    r[8] = __double2int_rn(w);
    r[9] = __double2int_rd(w);
    r[10] = __double2uint_ru(w);
    r[11] = __half2int_rn(h[i]);
    r[12] = __half2uint_rd(h[i]);
    r[13] = static_cast<signed char>(s) * 1000 + static_cast<unsigned char>(s);
    r[14] = static_cast<short>(k) + static_cast<unsigned short>(k);
    short narrow;
    asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(narrow) : "f"(v));
    r[15] = narrow;
    asm("cvt.sat.s8.s32 %0, %1;" : "=r"(r[16]) : "r"(s));
    asm("cvt.sat.u16.s32 %0, %1;" : "=h"(narrow) : "r"(s));
    r[17] = narrow;
    long long *l = longs + i * 8;
    l[0] = __float2ll_rn(v);
    l[1] = __float2ll_rd(v);
    l[2] = __float2ull_ru(v);
    l[3] = __double2ll_rz(w);
    l[4] = __double2ll_ru(w);
    l[5] = __double2ull_rn(w);
    l[6] = __half2ll_rz(h[i]);
    l[7] = __double2ull_rd(w);
    float *f = floats + i * 16;
    f[0] = __int2float_rn(s);
    f[1] = __int2float_rz(s);
    f[2] = __int2float_rd(s);
    f[3] = __int2float_ru(s);
    f[4] = __uint2float_rd(unsigned(s));
    f[5] = __ll2float_rn(k);
    f[6] = __ll2float_rd(k);
    f[7] = __ull2float_ru(k);
    f[8] = __double2float_rn(w);
    f[9] = __double2float_rz(w);
    f[10] = __double2float_rd(w);
    f[11] = __double2float_ru(w);
    f[12] = __half2float(h[i]);
    f[13] = __saturatef(v);
    asm("cvt.rni.f32.f32 %0, %1;" : "=f"(f[14]) : "f"(v));
    asm("cvt.rpi.ftz.f32.f32 %0, %1;" : "=f"(f[15]) : "f"(v));
    doubles[i * 4] = v;
    doubles[i * 4 + 1] = __ll2double_rd(k);
    doubles[i * 4 + 2] = __ull2double_ru(k);
    doubles[i * 4 + 3] = floor(w);
}
