/* plan
{ "launches": [ { "kernel": "matmul", "grid": ["ceil_div(n,32)", "ceil_div(m,4)"], "block": [32, 4],
                  "args": ["a", "b", "c"] } ] }
*/
extern "C" __global__ void matmul(const float *a, const float *b, double *c)
{
    const int column = blockIdx.x * 32 + threadIdx.x;
    const int row = blockIdx.y * 4 + threadIdx.y;
    if (row >= dim::m || column >= dim::n)
        return;
    double sum = 0;
    for (int i = 0; i < dim::k; ++i)
        sum += double(a[(long long)row * dim::k + i]) * double(b[(long long)i * dim::n + column]);
    c[(long long)row * dim::n + column] = sum;
}
