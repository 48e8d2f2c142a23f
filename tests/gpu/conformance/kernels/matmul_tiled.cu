/* plan
{ "kernel": "matmul", "grid": [4, 3], "block": [16, 16],
  "args": [ {"name": "a", "type": "f32", "count": 3840, "fill": "unit"},
            {"name": "b", "type": "f32", "count": 5120, "fill": "unit"},
            {"name": "c", "type": "f32", "count": 3072, "output": true},
            {"type": "i32", "value": 48}, {"type": "i32", "value": 64}, {"type": "i32", "value": 80} ] }
*/
// One fixed order of fused multiply-adds: bit for bit.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float left[16][16], right[16][17];
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int at = 0; at < k; at += 16) {
        left[threadIdx.y][threadIdx.x] = a[row * k + at + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; ++i)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}
