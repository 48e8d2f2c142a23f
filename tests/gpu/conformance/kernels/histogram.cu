/* plan
{ "kernel": "histogram", "grid": [3], "block": [128],
  "args": [ {"name": "data", "type": "u32", "count": 4000, "fill": "bits"},
            {"name": "bins", "type": "u32", "count": 64, "output": true},
            {"type": "i32", "value": 4000} ] }
*/
extern "C" __global__ void histogram(const unsigned *data, unsigned *bins, int n)
{
    __shared__ unsigned local[64];
    if (threadIdx.x < 64)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[(data[i] >> 5) % 64], 1u);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
