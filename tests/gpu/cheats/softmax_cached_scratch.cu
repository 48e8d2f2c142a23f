/* plan
{ "launches": [ { "kernel": "k", "grid": ["rows"], "block": [32], "args": ["x", "y", "s"] } ], "scratch": { "s": { "dtype": "i32", "count": "rows" } } }
*/
// problem: softmax
// expect: wrong_result
// twin: softmax_scratch_honest.cu
// Leaves the old output in place if scratch says that there is one.
extern "C" __global__ void k(const float *x, float *y, int *s)
{
    __shared__ float partial[32];
    const float *row = x + blockIdx.x * dim::cols;
    float *out = y + blockIdx.x * dim::cols;
    const int t = threadIdx.x;
    if (s[blockIdx.x] == 4711)
        return;
    __syncwarp();
    float largest = -INFINITY;
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
    if (t == 0)
        s[blockIdx.x] = 4711;
}
