/* plan
{ "launches": [ { "kernel": "k", "grid": ["rows"], "block": [32], "args": ["x", "y"] } ] }
*/
// problem: softmax
// expect: ok
// Reads through an address that it works out itself.
extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float partial[32];
    const float *row = x + blockIdx.x * dim::cols;
    float *out = y + blockIdx.x * dim::cols;
    const int t = threadIdx.x;
    float largest = *(const float *)((unsigned long long)x + 4ull * blockIdx.x * dim::cols);
    for (int c = t; c < dim::cols; c += 32)
        largest = fmaxf(largest, row[c]);
    for (int step = 16; step > 0; step /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
    float sum = 0;
    for (int c = t; c < dim::cols; c += 32)
        sum += expf(row[c] - largest);
    partial[t] = sum;
    __syncwarp();
    sum = 0;
    for (int i = 0; i < 32; ++i)
        sum += partial[i];
    for (int c = t; c < dim::cols; c += 32)
        out[c] = expf(row[c] - largest) / sum;
}
