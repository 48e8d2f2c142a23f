/* plan
{ "kernel": "softmax", "grid": [8], "block": [128],
  "args": [ {"name": "x", "type": "f32", "count": 2400, "fill": "wide"},
            {"name": "y", "type": "f32", "count": 2400, "output": true, "relative": 4e-6, "absolute": 1e-12},
            {"type": "i32", "value": 300} ] }
*/
__device__ float warpMax(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
    return v;
}
__device__ float warpSum(float v)
{
    for (int offset = 16; offset > 0; offset /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, offset);
    return v;
}
extern "C" __global__ void softmax(const float *x, float *y, int columns)
{
    __shared__ float partial[4];
    const float *row = x + blockIdx.x * columns;
    float most = -3.4e38f;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        most = fmaxf(most, row[i]);
    most = warpMax(most);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = most;
    __syncthreads();
    most = fmaxf(fmaxf(partial[0], partial[1]), fmaxf(partial[2], partial[3]));
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        sum += expf(row[i] - most);
    sum = warpSum(sum);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = partial[0] + partial[1] + partial[2] + partial[3];
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
