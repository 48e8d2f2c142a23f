/* plan
{ "kernel": "aggregate", "grid": [2], "block": [96],
  "args": [ {"name": "x", "type": "i32", "count": 192, "fill": "small"},
            {"name": "counters", "type": "u32", "count": 2, "output": true},
            {"name": "slots", "type": "u32", "count": 192, "output": true},
            {"name": "match", "type": "u32", "count": 192, "output": true} ] }
*/
// The slots of a warp are one after another; only the warp's start depends on timing, so the rank
// in the warp is what is written.
extern "C" __global__ void aggregate(
    const int *x, unsigned *counters, unsigned *slots, unsigned *match)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % 32;
    const int value = x[i];
    if (value > 0) {
        const unsigned active = __activemask();
        const int leader = __ffs(active) - 1;
        unsigned start = 0;
        if (lane == unsigned(leader))
            start = atomicAdd(&counters[0], __popc(active));
        start = __shfl_sync(active, start, leader);
        const unsigned rank = __popc(active & ((1u << lane) - 1));
        atomicMax(&counters[1], start + rank + 1);
        slots[i] = rank + 1;
    }
    __syncwarp();
    int same = 0;
    const unsigned peers = __match_any_sync(0xffffffffu, value);
    __match_all_sync(0xffffffffu, value, &same);
    match[i] = peers + unsigned(same);
}
