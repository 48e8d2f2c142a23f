/* plan
{ "kernel": "scan", "grid": [2], "block": [256],
  "args": [ {"name": "x", "type": "f32", "count": 512, "fill": "unit"},
            {"name": "n", "type": "i32", "count": 512, "fill": "small"},
            {"name": "prefix", "type": "f32", "count": 512, "output": true},
            {"name": "counts", "type": "i32", "count": 512, "output": true} ] }
*/
template <class T>
__device__ T inclusive(T v)
{
    __shared__ T warps[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int offset = 1; offset < 32; offset <<= 1) {
        const T other = __shfl_up_sync(0xffffffffu, v, offset);
        if (lane >= offset)
            v += other;
    }
    if (lane == 31)
        warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        T w = lane < 8 ? warps[lane] : T(0);
        for (int offset = 1; offset < 8; offset <<= 1) {
            const T other = __shfl_up_sync(0xffffffffu, w, offset);
            if (lane >= offset)
                w += other;
        }
        if (lane < 8)
            warps[lane] = w;
    }
    __syncthreads();
    return warp > 0 ? v + warps[warp - 1] : v;
}
extern "C" __global__ void scan(const float *x, const int *n, float *prefix, int *counts)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    prefix[i] = inclusive(x[i]);
    counts[i] = inclusive(n[i]);
}
