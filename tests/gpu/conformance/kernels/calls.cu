/* plan
{ "kernel": "calls", "grid": [2], "block": [64],
  "args": [ {"name": "x", "type": "u32", "count": 128, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 128, "output": true},
            {"name": "f", "type": "f32", "count": 128, "output": true} ] }
*/
struct Pair {
    double first;
    unsigned second;
};
__noinline__ __device__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__noinline__ __device__ unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__noinline__ __device__ Pair split(Pair in, float scale)
{
    return {in.first * scale, in.second + unsigned(scale)};
}
__noinline__ __device__ unsigned twice(unsigned x) { return 2 * x; }
__noinline__ __device__ unsigned plusNine(unsigned x) { return x + 9; }
__noinline__ __device__ unsigned flipped(unsigned x) { return ~x; }
extern "C" __global__ void calls(const unsigned *x, unsigned *y, float *f)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned (*const table[3])(unsigned) = {twice, plusNine, flipped};
    unsigned result = fibonacci(x[i] % 9) + 1000 * ackermann(x[i] / 16 % 3, x[i] / 64 % 3);
    result = table[x[i] / 1024 % 3](result);
    Pair pair {double(x[i] % 100), result};
    for (unsigned k = 0; k < x[i] % 4; ++k)
        pair = split(pair, 1.5f);
    y[i] = pair.second;
    f[i] = float(pair.first);
}
