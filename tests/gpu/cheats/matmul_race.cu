/* plan
{ "launches": [ { "kernel": "k", "grid": ["ceil_div(n,8)", "ceil_div(m,8)"], "block": [8, 8], "args": ["a", "b", "c"] } ] }
*/
// problem: matmul
// expect: nondeterministic
// twin: matmul_honest.cu
// No barrier between filling the tiles and reading them.
extern "C" __global__ void k(const float *a, const float *b, float *c)
{
    __shared__ float as[8][8], bs[8][8];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
    float sum = 0;
    for (int at = 0; at < dim::k; at += 8) {
        as[ty][tx] = row < dim::m && at + tx < dim::k ? a[row * dim::k + at + tx] : 0;
        bs[ty][tx] = column < dim::n && at + ty < dim::k ? b[(at + ty) * dim::n + column] : 0;
        for (int i = 0; i < 8; ++i)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < dim::m && column < dim::n)
        c[row * dim::n + column] = sum;
}
