/* plan
{ "launches": [ { "kernel": "k", "grid": ["batch"], "block": [64], "args": ["x", "weight", "bias", "y"] } ] }
*/
// problem: layernorm
// expect: wrong_result
// twin: layernorm_honest.cu
// Takes mean 0 and variance 1, which normal inputs have.
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
    const float mean = 0.0f * sum;
    const float variance = 1.0f;
    const float scale = 1 / sqrtf(variance + 1e-5f);
    for (int i = threadIdx.x; i < n; i += 64)
        y[blockIdx.x * n + i] = (in[i] - mean) * scale * w[i] + b[i];
}
