/* plan
{ "kernel": "reduce", "grid": [4], "block": [256],
  "args": [ {"name": "x", "type": "f32", "count": 5000, "fill": "unit"},
            {"name": "sums", "type": "f32", "count": 4, "output": true},
            {"name": "wide", "type": "f64", "count": 4, "output": true},
            {"name": "total", "type": "i32", "count": 1, "output": true},
            {"type": "i32", "value": 5000} ] }
*/
template <class T>
__device__ T blockSum(T v)
{
    __shared__ T partial[8];
    for (int offset = 16; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    if (threadIdx.x % 32 == 0)
        partial[threadIdx.x / 32] = v;
    __syncthreads();
    v = threadIdx.x < 8 ? partial[threadIdx.x] : T(0);
    for (int offset = 4; offset > 0; offset >>= 1)
        v += __shfl_down_sync(0xffffffffu, v, offset);
    return v;
}
extern "C" __global__ void reduce(const float *x, float *sums, double *wide, int *total, int n)
{
    float sum = 0;
    double wideSum = 0;
    int positive = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
        wideSum += double(x[i]) * x[i];
        positive += x[i] > 0;
    }
    sum = blockSum(sum);
    wideSum = blockSum(wideSum);
    positive = blockSum(positive);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
        wide[blockIdx.x] = wideSum;
        atomicAdd(total, positive);
    }
}
