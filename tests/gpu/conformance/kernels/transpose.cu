/* plan
{ "kernel": "transpose", "grid": [3, 2], "block": [32, 8],
  "args": [ {"name": "x", "type": "u32", "count": 5100, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 5100, "output": true},
            {"type": "i32", "value": 60}, {"type": "i32", "value": 85} ] }
*/
extern "C" __global__ void transpose(const unsigned *x, unsigned *y, int rows, int columns)
{
    __shared__ unsigned tile[32][33];
    int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (row + i < rows && column < columns)
            tile[threadIdx.y + i][threadIdx.x] = x[(row + i) * columns + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8)
        if (row + i < columns && column < rows)
            y[(row + i) * rows + column] = tile[threadIdx.x][threadIdx.y + i];
}
