/* plan
{ "kernel": "warpFunctions", "grid": [2], "block": [64],
  "args": [ {"name": "x", "type": "u32", "count": 128, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 2176, "output": true} ] }
*/
extern "C" __global__ void warpFunctions(const unsigned *x, unsigned *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned all = 0xffffffffu, v = x[i], lane = threadIdx.x % 32;
    unsigned *o = y + i * 17;
    o[0] = __ballot_sync(all, v & 1);
    o[1] = __any_sync(all, v % 31 == 0) + 2 * __all_sync(all, v > 100);
    o[2] = __shfl_sync(all, v, v % 32);
    o[3] = __shfl_sync(all, v, v % 40, 8);
    o[4] = __shfl_up_sync(all, v, 3, 16);
    o[5] = __shfl_down_sync(all, v, 5, 8);
    o[6] = __shfl_xor_sync(all, v, 9);
    o[7] = __shfl_xor_sync(all, v, 3, 4);
    o[8] = __reduce_add_sync(all, v);
    o[9] = __reduce_max_sync(all, int(v)) ^ __reduce_min_sync(all, v);
    o[10] = __reduce_and_sync(all, v | 0xf0f0u) ^ __reduce_or_sync(all, v & 0xff0u);
    o[11] = __reduce_xor_sync(all, v);
    o[12] = __match_any_sync(all, v % 5);
    const double d = __shfl_down_sync(all, double(v) * 0.5, 1);
    o[13] = unsigned(__double_as_longlong(d) >> 20);
    if (lane < 20) {
        const unsigned part = 0xfffffu;
        o[14] = __ballot_sync(part, v & 2) + __shfl_sync(part, v, 7);
        __syncwarp(part);
    } else {
        o[14] = __reduce_add_sync(0xfff00000u, v);
    }
    __syncwarp();
    unsigned lanes, less;
    asm("mov.u32 %0, %%laneid;" : "=r"(lanes));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(less));
    o[15] = lanes + less * 64;
    unsigned packed;
    asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, 17, 31, -1; selp.u32 %0, %0, 7, p; }"
                 : "=r"(packed)
                 : "r"(v));
    o[16] = packed;
}
