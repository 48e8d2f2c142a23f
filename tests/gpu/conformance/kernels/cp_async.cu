/* plan
{ "kernel": "pipelined", "grid": [2], "block": [64],
  "args": [ {"name": "x", "type": "f32", "count": 4096, "fill": "unit"},
            {"name": "y", "type": "f32", "count": 512, "output": true} ] }
*/
#include <cuda_pipeline.h>
// Two stages of 256 floats in flight; the last copies are shorter than 16 bytes (zero-filled).
extern "C" __global__ void pipelined(const float *x, float *y)
{
    __shared__ __align__(16) float stage[2][256];
    const float *from = x + blockIdx.x * 2048;
    auto fetch = [&](int tile) {
        __pipeline_memcpy_async(&stage[tile % 2][threadIdx.x * 4], from + tile * 256 + threadIdx.x * 4,
            16, tile == 7 && threadIdx.x >= 60 ? 8 : 0);
        __pipeline_commit();
    };
    fetch(0);
    float sum[4] = {0, 0, 0, 0};
    for (int tile = 0; tile < 8; ++tile) {
        if (tile + 1 < 8)
            fetch(tile + 1);
        __pipeline_wait_prior(tile + 1 < 8 ? 1 : 0);
        __syncthreads();
        for (int i = 0; i < 4; ++i)
            sum[i] = sum[i] * 0.5f + stage[tile % 2][(threadIdx.x * 4 + i + 7) % 256];
        __syncthreads();
    }
    for (int i = 0; i < 4; ++i)
        y[blockIdx.x * 256 + threadIdx.x * 4 + i] = sum[i];
}
