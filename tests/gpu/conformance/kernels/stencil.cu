/* plan
{ "kernel": "stencil", "grid": [3, 4, 2], "block": [16, 8],
  "args": [ {"name": "x", "type": "f32", "count": 2400, "fill": "wide"},
            {"name": "y", "type": "f32", "count": 2400, "output": true},
            {"type": "i32", "value": 40}, {"type": "i32", "value": 30} ] }
*/
extern "C" __global__ void stencil(const float *x, float *y, int width, int height)
{
    __shared__ float tile[10][18];
    const float *plane = x + blockIdx.z * width * height;
    const int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8;
    for (int i = threadIdx.y * 16 + threadIdx.x; i < 180; i += 128) {
        const int column = min(max(x0 + i % 18 - 1, 0), width - 1);
        const int row = min(max(y0 + i / 18 - 1, 0), height - 1);
        tile[i / 18][i % 18] = plane[row * width + column];
    }
    __syncthreads();
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int column = x0 + threadIdx.x, row = y0 + threadIdx.y;
    if (column < width && row < height)
        y[(blockIdx.z * height + row) * width + column] = 0.5f * tile[ty][tx]
            + 0.125f * (tile[ty - 1][tx] + tile[ty + 1][tx] + tile[ty][tx - 1] + tile[ty][tx + 1]);
}
