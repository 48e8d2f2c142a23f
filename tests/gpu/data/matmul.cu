extern "C" __global__ void matmul32(const float *a, const float *b, float *c, int n)
{
    __shared__ float tileA[32][33], tileB[32][32];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int t = 0; t < n; t += 32) {
        tileA[ty][tx] = a[row * n + t + tx];
        tileB[ty][tx] = b[(t + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k)
            sum += tileA[ty][k] * tileB[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
extern "C" __global__ void matmul16(const float *a, const float *b, float *c, int n)
{
    __shared__ float tileA[16][16], tileB[16][16];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        tileA[ty][tx] = a[row * n + t + tx];
        tileB[ty][tx] = b[(t + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += tileA[ty][k] * tileB[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
