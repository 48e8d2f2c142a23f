/* plan
{ "kernel": "gridSync", "grid": [8], "block": [64], "cooperative": true,
  "args": [ {"name": "x", "type": "u32", "count": 512, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 512, "output": true} ] }
*/
#include <cooperative_groups.h>
extern "C" __global__ void gridSync(unsigned *x, unsigned *y)
{
    const auto grid = cooperative_groups::this_grid();
    const unsigned i = grid.thread_rank(), n = grid.size();
    for (int step = 0; step < 4; ++step) {
        y[i] = x[(i + 97) % n] * 3 + x[i];
        grid.sync();
        x[i] = y[(i * 5) % n] ^ step;
        grid.sync();
    }
    y[i] = x[n - 1 - i];
}
