/* plan
{ "launches": [ { "kernel": "k", "grid": ["rows"], "block": [32], "args": ["x", "y"] } ] }
*/
// problem: softmax
// expect: timeout
// twin: softmax_counter_honest.cu
// Works for all checks, then never ends: the timed calls have the checks' instruction budget.
__device__ int calls[dim::rows];
extern "C" __global__ void k(const float *x, float *y)
{
    __shared__ float partial[32];
    const float *row = x + blockIdx.x * dim::cols;
    float *out = y + blockIdx.x * dim::cols;
    const int t = threadIdx.x;
    const int call = calls[blockIdx.x];
    __syncwarp();
    if (t == 0)
        calls[blockIdx.x] = call + 1;
    while (call >= 28)
        __nanosleep(1);
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
}
