/* plan
{ "launches": [ { "kernel": "layernorm", "grid": ["batch"], "block": [128],
                  "args": ["x", "weight", "bias", "y"] } ] }
*/
__device__ double blockSum(double value)
{
    __shared__ double partial[128];
    __syncthreads();
    partial[threadIdx.x] = value;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < 128; ++i)
        sum += partial[i];
    return sum;
}

extern "C" __global__ void layernorm(const float *x, const float *weight, const float *bias, double *y)
{
    const float *sample = x + (long long)blockIdx.x * dim::features;
    double *out = y + (long long)blockIdx.x * dim::features;

    double sum = 0;
    for (int i = threadIdx.x; i < dim::features; i += 128)
        sum += double(sample[i]);
    const double mean = blockSum(sum) / dim::features;

    double squares = 0;
    for (int i = threadIdx.x; i < dim::features; i += 128) {
        const double d = double(sample[i]) - mean;
        squares += d * d;
    }
    const double scale = 1.0 / sqrt(blockSum(squares) / dim::features + 1e-5);

    for (int i = threadIdx.x; i < dim::features; i += 128)
        out[i] = (double(sample[i]) - mean) * scale * double(weight[i]) + double(bias[i]);
}
