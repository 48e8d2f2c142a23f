/* plan
{ "kernel": "barrierKernel", "grid": [2], "block": [96],
  "args": [ {"name": "x", "type": "u32", "count": 192, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 192, "output": true} ] }
*/
#include <cuda/barrier>
extern "C" __global__ void barrierKernel(const unsigned *x, unsigned *y)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ unsigned values[96];
    if (threadIdx.x == 0)
        init(&barrier, 96);
    __syncthreads();
    unsigned value = x[blockIdx.x * 96 + threadIdx.x];
    for (int round = 0; round < 5; ++round) {
        values[threadIdx.x] = value;
        barrier.arrive_and_wait();
        value = value * 3 + values[(threadIdx.x + 33) % 96];
        auto token = barrier.arrive();
        value ^= value >> 7;
        barrier.wait(static_cast<decltype(token) &&>(token));
    }
    y[blockIdx.x * 96 + threadIdx.x] = value;
}
