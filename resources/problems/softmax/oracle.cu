/* plan
{ "launches": [ { "kernel": "softmax", "grid": ["rows"], "block": [128], "args": ["x", "y"] } ] }
*/
extern "C" __global__ void softmax(const float *x, double *y)
{
    __shared__ double partial[128];
    const float *row = x + (long long)blockIdx.x * dim::cols;
    double *out = y + (long long)blockIdx.x * dim::cols;

    // A comparison that lets NaN win, so that a NaN anywhere makes the row NaN.
    double largest = row[0];
    for (int c = threadIdx.x; c < dim::cols; c += 128)
        largest = (row[c] > largest || isnan(row[c])) ? double(row[c]) : largest;
    partial[threadIdx.x] = largest;
    __syncthreads();
    for (int i = 0; i < 128; ++i)
        largest = (partial[i] > largest || isnan(partial[i])) ? partial[i] : largest;
    __syncthreads();

    double sum = 0;
    for (int c = threadIdx.x; c < dim::cols; c += 128) {
        const double e = exp(double(row[c]) - largest);
        out[c] = e;
        sum += e;
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; i < 128; ++i)
        sum += partial[i];
    for (int c = threadIdx.x; c < dim::cols; c += 128)
        out[c] /= sum;
}
