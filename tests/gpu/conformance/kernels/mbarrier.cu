/* plan
{ "kernel": "mbarrierKernel", "grid": [2], "block": [64],
  "args": [ {"name": "x", "type": "u32", "count": 1024, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 64, "output": true} ] }
*/
__device__ unsigned sharedAddress(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
__device__ void arrive(unsigned barrier)
{
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(barrier)
                 : "memory");
}
__device__ void wait(unsigned barrier, unsigned parity)
{
    asm volatile("{ .reg .pred done;\n"
                 "again: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again; }" ::"r"(barrier),
        "r"(parity)
        : "memory");
}
// Warp 0 produces with cp.async, warp 1 consumes: two stages, a full and an empty barrier each.
extern "C" __global__ void mbarrierKernel(const unsigned *x, unsigned *y)
{
    __shared__ __align__(8) unsigned long long full[2], empty[2];
    __shared__ __align__(16) unsigned stage[2][128];
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; ++i) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(sharedAddress(&full[i])));
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 32;" ::"r"(sharedAddress(&empty[i])));
        }
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    const bool producer = threadIdx.x < 32;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned tile = 0; tile < 4; ++tile) {
        const unsigned slot = tile % 2, parity = tile / 2 % 2;
        if (producer) {
            wait(sharedAddress(&empty[slot]), parity ^ 1);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             sharedAddress(&stage[slot][lane * 4])),
                "l"(x + blockIdx.x * 512 + tile * 128 + lane * 4)
                : "memory");
            asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                             sharedAddress(&full[slot]))
                : "memory");
        } else {
            wait(sharedAddress(&full[slot]), parity);
            for (int i = 0; i < 4; ++i)
                sum = sum * 31 + stage[slot][(lane * 5 + i * 37) % 128];
            arrive(sharedAddress(&empty[slot]));
        }
    }
    if (!producer)
        y[blockIdx.x * 32 + lane] = sum;
}
