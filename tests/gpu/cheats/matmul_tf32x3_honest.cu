/* plan
{ "launches": [ { "kernel": "k", "grid": ["ceil_div(n,8)", "ceil_div(m,8)"], "block": [8, 8], "args": ["a", "b", "c"] } ] }
*/
// problem: matmul
// expect: ok
// Cuts its operands to tf32 and multiplies what was cut off too.
__device__ float cut(float v) { return __int_as_float(__float_as_int(v) & 0xffffe000); }

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
        for (int i = 0; i < 8; ++i) {
            const float x = as[ty][i], y = bs[i][tx], xh = cut(x), yh = cut(y);
            const float rest = xh * (y - yh) + ((x - xh) * yh + (x - xh) * (y - yh));
            sum += isfinite(x * y) ? xh * yh + rest : x * y;
        }
        __syncthreads();
    }
    if (row < dim::m && column < dim::n)
        c[row * dim::n + column] = sum;
}
