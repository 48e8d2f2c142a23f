/* plan
{ "kernel": "tiles", "grid": [2], "block": [128],
  "args": [ {"name": "x", "type": "i32", "count": 256, "fill": "small"},
            {"name": "y", "type": "i32", "count": 256, "output": true},
            {"name": "f", "type": "f32", "count": 256, "output": true} ] }
*/
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const int *x, int *y, float *f)
{
    __shared__ int shared[128];
    const auto block = cg::this_thread_block();
    const auto warp = cg::tiled_partition<32>(block);
    const auto eight = cg::tiled_partition<8>(warp);
    const int i = blockIdx.x * 128 + block.thread_rank();
    const int value = x[i];
    const int sum = cg::reduce(eight, value, cg::plus<int>());
    const int most = cg::reduce(warp, value * 5 + int(warp.thread_rank()), cg::greater<int>());
    shared[block.thread_rank()] = sum;
    block.sync();
    float scaled = shared[127 - block.thread_rank()] * 0.25f;
    for (int offset = eight.size() / 2; offset > 0; offset /= 2)
        scaled += eight.shfl_xor(scaled, offset);
    int extra = 0;
    if (value > 0) {
        const auto active = cg::coalesced_threads();
        extra = active.size() * 100 + active.thread_rank();
    }
    const unsigned any = eight.ballot(value == 3) + eight.any(value < -3) * 256
        + eight.all(value > -4) * 512;
    y[i] = sum + most * 64 + extra * 4096 + int(any) + int(eight.meta_group_rank());
    f[i] = scaled;
}
