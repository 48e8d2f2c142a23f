/* plan
{ "launches": [ { "kernel": "k", "grid": ["ceil_div(n,8)", "ceil_div(m,8)"], "block": [8, 8], "args": ["a", "b", "c"] } ] }
*/
// problem: matmul
// expect: ok
// Three bf16 parts of each operand carry all of fp32.
__device__ float cut(float v) { return __int_as_float(__float_as_int(v) & 0xffff0000); }
__device__ float product(float u, float v)
{
    if (!isfinite(u) || !isfinite(v))
        return u * v;
    const float u1 = cut(u), u2 = cut(u - u1), u3 = u - u1 - u2;
    const float v1 = cut(v), v2 = cut(v - v1), v3 = v - v1 - v2;
    return u1 * v1 + (u1 * v2 + u2 * v1) + (u2 * v2 + u1 * v3 + u3 * v1);
}

extern "C" __global__ void k(const float *a, const float *b, float *c)
{
    __shared__ float as[8][8], bs[8][8];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 8 + ty, column = blockIdx.x * 8 + tx;
    float sum = 0;
    for (int at = 0; at < dim::k; at += 8) {
        as[ty][tx] = row < dim::m && at + tx < dim::k ? a[row * dim::k + at + tx] : 0;
        bs[ty][tx] = column < dim::n && at + ty < dim::k ? b[(at + ty) * dim::n + column] : 0;
        __syncthreads();
        for (int i = 0; i < 8; ++i)
            sum += product(as[ty][i], bs[i][tx]);
        __syncthreads();
    }
    if (row < dim::m && column < dim::n)
        c[row * dim::n + column] = sum;
}
