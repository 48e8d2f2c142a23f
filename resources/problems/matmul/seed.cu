/* plan
{ "launches": [ { "kernel": "matmul", "grid": ["ceil_div(n,16)", "ceil_div(m,16)"], "block": [16, 16],
                  "args": ["a", "b", "c", "m", "n", "k"] } ] }
*/
// The straight port: one thread an element of C, everything read from global memory.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i)
            sum += a[row * k + i] * b[i * n + column];
        c[row * n + column] = sum;
    }
}
