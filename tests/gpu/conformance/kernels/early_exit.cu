/* plan
{ "kernel": "earlyExit", "grid": [3], "block": [128],
  "args": [ {"name": "x", "type": "i32", "count": 300, "fill": "small"},
            {"name": "y", "type": "i32", "count": 300, "output": true},
            {"type": "i32", "value": 300} ] }
*/
// Threads past the end leave before the barriers of the others: allowed since Volta.
extern "C" __global__ void earlyExit(const int *x, int *y, int n)
{
    __shared__ int values[128];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = 0;
    __syncthreads();
    if (i >= n)
        return;
    values[threadIdx.x] = x[i];
    __syncthreads();
    int sum = 0;
    for (int k = -2; k <= 2; ++k)
        sum += values[(threadIdx.x + k + 128) % 128];
    __syncthreads();
    values[threadIdx.x] = sum;
    __syncthreads();
    y[i] = values[threadIdx.x ^ 1] * 3 + sum;
}
