/* plan
{ "launches": [ { "kernel": "k", "grid": ["batch"], "block": [64], "args": ["x", "weight", "bias", "y"] } ] }
*/
// problem: layernorm
// expect: wrong_result|precision
// twin: layernorm_parts_honest.cu
// Adds the variances of the parts and drops the variance between them: on normal inputs of large parts
// that is an error of bf16's size, on others it is plainly wrong.
__device__ float blockSum(float value)
{
    __shared__ float partial[64];
    const int t = threadIdx.x;
    __syncthreads();
    partial[t] = value;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 64; ++i)
        sum += partial[i];
    return sum;
}

extern "C" __global__ void k(const float *x, const float *w, const float *b, float *y)
{
    constexpr int n = dim::features;
    const float *in = x + blockIdx.x * n;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n; i += 64)
        sum += in[i];
    const float mean = blockSum(sum) / n;
    int count = 0;
    for (int i = threadIdx.x; i < n; i += 64)
        ++count;
    const float own = sum / fmaxf(count, 1);
    for (int i = threadIdx.x; i < n; i += 64)
        squares += (in[i] - own) * (in[i] - own);
    const float variance = blockSum(squares) / n;
    const float scale = 1 / sqrtf(variance + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 64)
        y[blockIdx.x * n + i] = (in[i] - mean) * scale * w[i] + b[i];
}
