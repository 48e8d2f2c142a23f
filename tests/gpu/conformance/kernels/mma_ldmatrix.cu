/* plan
{ "kernel": "mmaKernel", "grid": [4], "block": [32],
  "args": [ {"name": "a", "type": "f16", "count": 1024, "fill": "small"},
            {"name": "b", "type": "f16", "count": 512, "fill": "small"},
            {"name": "u", "type": "f16", "count": 1024, "fill": "unit"},
            {"name": "exact", "type": "f32", "count": 512, "output": true},
            {"name": "rounded", "type": "f32", "count": 512, "output": true, "relative": 1e-6, "absolute": 1e-6},
            {"name": "raw", "type": "u32", "count": 1280, "output": true} ] }
*/
#include <cuda_fp16.h>
__device__ unsigned sharedAddress(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
extern "C" __global__ void mmaKernel(const __half *a, const __half *b, const __half *u,
    float *exact, float *rounded, unsigned *raw)
{
    __shared__ __align__(16) __half left[16][24], right[16][8], real[16][16];
    const int lane = threadIdx.x;
    for (int i = lane; i < 256; i += 32) {
        left[i / 16][i % 16] = a[blockIdx.x * 256 + i];
        real[i / 16][i % 16] = u[blockIdx.x * 256 + i];
        if (i < 128)
            right[i / 8][i % 8] = b[blockIdx.x * 128 + i];
    }
    __syncthreads();
    unsigned fa[4], fb[2], fu[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(sharedAddress(&left[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(sharedAddress(&right[lane % 16][0])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fu[0]), "=r"(fu[1]), "=r"(fu[2]), "=r"(fu[3])
                 : "r"(sharedAddress(&real[lane % 16][lane / 16 * 8])));
    float d[4] = {0.5f, 1, 2, 3}, e[4] = {0, 0, 0, 0};
    multiply(d, fa, fb);
    const unsigned self[2] = {fu[0], fu[2]};
    multiply(e, fu, self);
    for (int i = 0; i < 4; ++i) {
        const int at = blockIdx.x * 128 + (lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2;
        exact[at] = d[i];
        rounded[at] = e[i];
    }
    unsigned moved;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(fa[1]));
    __syncthreads();
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(
                     sharedAddress(&real[lane % 16][0])),
        "r"(fu[0]), "r"(fu[1])
        : "memory");
    __syncthreads();
    unsigned *o = raw + (blockIdx.x * 32 + lane) * 10;
    for (int i = 0; i < 4; ++i)
        o[i] = fa[i];
    o[4] = fb[0];
    o[5] = fb[1];
    o[6] = moved;
    for (int i = 0; i < 3; ++i)
        o[7 + i] = __half_as_ushort(real[lane / 2][lane % 2 * 4 + i]);
}
