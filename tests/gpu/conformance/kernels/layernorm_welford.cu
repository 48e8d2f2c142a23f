/* plan
{ "kernel": "layernorm", "grid": [6], "block": [64],
  "args": [ {"name": "x", "type": "f32", "count": 1536, "fill": "wide"},
            {"name": "y", "type": "f32", "count": 1536, "output": true, "relative": 2e-6, "absolute": 1e-6},
            {"name": "moments", "type": "f32", "count": 12, "output": true},
            {"type": "i32", "value": 256}, {"type": "f32", "value": 1e-5} ] }
*/
struct Moments {
    float mean, m2, count;
};
__device__ Moments merge(Moments a, Moments b)
{
    const float count = a.count + b.count;
    if (count == 0)
        return a;
    const float delta = b.mean - a.mean;
    return {a.mean + delta * (b.count / count),
        a.m2 + b.m2 + delta * delta * (a.count * b.count / count), count};
}
extern "C" __global__ void layernorm(const float *x, float *y, float *moments, int columns, float eps)
{
    __shared__ Moments shared[2];
    Moments mine {0, 0, 0};
    for (int i = threadIdx.x; i < columns; i += blockDim.x) {
        mine.count += 1;
        const float delta = x[blockIdx.x * columns + i] - mine.mean;
        mine.mean += delta / mine.count;
        mine.m2 += delta * (x[blockIdx.x * columns + i] - mine.mean);
    }
    for (int offset = 16; offset > 0; offset /= 2) {
        Moments other;
        other.mean = __shfl_down_sync(0xffffffffu, mine.mean, offset);
        other.m2 = __shfl_down_sync(0xffffffffu, mine.m2, offset);
        other.count = __shfl_down_sync(0xffffffffu, mine.count, offset);
        mine = merge(mine, other);
    }
    if (threadIdx.x % 32 == 0)
        shared[threadIdx.x / 32] = mine;
    __syncthreads();
    const Moments all = merge(shared[0], shared[1]);
    if (threadIdx.x == 0) {
        moments[2 * blockIdx.x] = all.mean;
        moments[2 * blockIdx.x + 1] = all.m2;
    }
    const float scale = rsqrtf(all.m2 / all.count + eps);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        y[blockIdx.x * columns + i] = (x[blockIdx.x * columns + i] - all.mean) * scale;
}
