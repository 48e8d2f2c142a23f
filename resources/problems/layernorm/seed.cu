/* plan
{ "launches": [ { "kernel": "layernorm", "grid": ["batch"], "block": [256],
                  "args": ["x", "weight", "bias", "y", "features"] } ] }
*/
// The straight port: one block a sample; a pass for the mean, one for the variance, one for the result.
__device__ float blockSum(float value)
{
    __shared__ float partial[256];
    int t = threadIdx.x;
    __syncthreads();
    partial[t] = value;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            partial[t] += partial[t + step];
        __syncthreads();
    }
    return partial[0];
}

extern "C" __global__ void layernorm(
    const float *x, const float *weight, const float *bias, float *y, int features)
{
    const float *sample = x + (size_t)blockIdx.x * features;
    float *out = y + (size_t)blockIdx.x * features;

    float sum = 0.0f;
    for (int i = threadIdx.x; i < features; i += 256)
        sum += sample[i];
    float mean = blockSum(sum) / features;

    float squares = 0.0f;
    for (int i = threadIdx.x; i < features; i += 256) {
        float d = sample[i] - mean;
        squares += d * d;
    }
    float variance = blockSum(squares) / features;

    for (int i = threadIdx.x; i < features; i += 256)
        out[i] = (sample[i] - mean) / sqrtf(variance + 1e-5f) * weight[i] + bias[i];
}
