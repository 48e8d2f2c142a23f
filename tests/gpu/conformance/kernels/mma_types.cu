/* plan
{ "kernel": "mmaTypes", "grid": [1], "block": [32],
  "args": [ {"name": "words", "type": "u32", "count": 256, "fill": "bits"},
            {"name": "ints", "type": "i32", "count": 384, "output": true},
            {"name": "floats", "type": "f32", "count": 384, "output": true},
            {"name": "doubles", "type": "f64", "count": 192, "output": true, "relative": 1e-15, "absolute": 1e-14} ] }
*/
#include <cuda_bf16.h>
__device__ float small(unsigned w, int i) { return float(int(w >> (3 * i)) & 7) - 3; }
__device__ unsigned packed(unsigned w)
{
    const __nv_bfloat162 two = __floats2bfloat162_rn(small(w, 0), small(w, 1));
    return *reinterpret_cast<const unsigned *>(&two);
}
__device__ unsigned fp8(unsigned w)
{
    // 0, 1, 2, 3, -1 … as e4m3 patterns.
    const unsigned table = 0xb8c04438u;
    unsigned r = 0;
    for (int i = 0; i < 4; ++i)
        r |= ((table >> ((w >> (2 * i)) % 4 * 8)) & 0xff) << (8 * i);
    return r;
}
extern "C" __global__ void mmaTypes(const unsigned *words, int *ints, float *floats, double *doubles)
{
    const int lane = threadIdx.x;
    unsigned w[8];
    for (int i = 0; i < 8; ++i)
        w[i] = words[lane * 8 + i];
    int c[4] = {1, 2, 3, 4}, s[4] = {0x7fffff00, -5, 6, int(0x80000010)}, n[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
                 : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 {%0,%1,%2,%3}, "
                 "{%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
                 : "r"(w[0]), "r"(w[1]), "r"(w[6]));
    asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(n[0]), "+r"(n[1]), "+r"(n[2]), "+r"(n[3])
                 : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]), "r"(w[5]));
    for (int i = 0; i < 4; ++i) {
        ints[lane * 12 + i] = c[i];
        ints[lane * 12 + 4 + i] = s[i];
        ints[lane * 12 + 8 + i] = n[i];
    }
    float b[4] = {0, 1, 2, 3}, t[4] = {0, 0, 0, 0}, q[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, "
                 "{%6}, {%0,%1,%2,%3};"
                 : "+f"(b[0]), "+f"(b[1]), "+f"(b[2]), "+f"(b[3])
                 : "r"(packed(w[0])), "r"(packed(w[1])), "r"(packed(w[2])));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(t[0]), "+f"(t[1]), "+f"(t[2]), "+f"(t[3])
                 : "r"(__float_as_uint(small(w[0], 0)) | (w[7] & 0x1fff)),
                 "r"(__float_as_uint(small(w[1], 0))), "r"(__float_as_uint(small(w[2], 0))),
                 "r"(__float_as_uint(small(w[3], 0))), "r"(__float_as_uint(small(w[4], 0))),
                 "r"(__float_as_uint(small(w[5], 0))));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(q[0]), "+f"(q[1]), "+f"(q[2]), "+f"(q[3])
                 : "r"(fp8(w[0])), "r"(fp8(w[1])), "r"(fp8(w[2])), "r"(fp8(w[3])), "r"(fp8(w[4])),
                 "r"(fp8(w[5])));
    for (int i = 0; i < 4; ++i) {
        floats[lane * 12 + i] = b[i];
        floats[lane * 12 + 4 + i] = t[i];
        floats[lane * 12 + 8 + i] = q[i];
    }
    double x[8], e[2] = {0.5, -0.5}, f[4] = {0, 0, 0, 0};
    for (int i = 0; i < 8; ++i)
        x[i] = double(int(w[i])) / 3e9;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(e[0]), "+d"(e[1])
                 : "d"(x[0]), "d"(x[1]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+d"(f[0]), "+d"(f[1]), "+d"(f[2]), "+d"(f[3])
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]));
    doubles[lane * 6] = e[0];
    doubles[lane * 6 + 1] = e[1];
    for (int i = 0; i < 4; ++i)
        doubles[lane * 6 + 2 + i] = f[i];
}
