/* plan
{ "kernel": "dynamicShared", "grid": [2], "block": [256], "shared": 100000,
  "args": [ {"name": "x", "type": "u32", "count": 512, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 512, "output": true},
            {"type": "i32", "value": 24000} ] }
*/
extern __shared__ unsigned buffer[];
extern "C" __global__ void dynamicShared(const unsigned *x, unsigned *y, int words)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int at = threadIdx.x; at < words; at += blockDim.x)
        buffer[at] = x[i] + at;
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 20; ++k)
        sum = sum * 7 + buffer[(threadIdx.x * 97 + k * 1201) % words];
    y[i] = sum;
}
