/* plan
{ "launches": [ { "kernel": "softmax", "grid": ["rows"], "block": [256], "args": ["x", "y", "cols"] } ] }
*/
// The straight port: one block a row; a pass for the maximum, one for the sum, one for the result.
extern "C" __global__ void softmax(const float *x, float *y, int cols)
{
    __shared__ float partial[256];
    int t = threadIdx.x;
    const float *row = x + (size_t)blockIdx.x * cols;
    float *out = y + (size_t)blockIdx.x * cols;

    float largest = -INFINITY;
    for (int c = t; c < cols; c += 256)
        largest = fmaxf(largest, row[c]);
    partial[t] = largest;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            partial[t] = fmaxf(partial[t], partial[t + step]);
        __syncthreads();
    }
    largest = partial[0];
    __syncthreads();

    float sum = 0.0f;
    for (int c = t; c < cols; c += 256)
        sum += expf(row[c] - largest);
    partial[t] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (t < step)
            partial[t] += partial[t + step];
        __syncthreads();
    }
    sum = partial[0];

    for (int c = t; c < cols; c += 256)
        out[c] = expf(row[c] - largest) / sum;
}
