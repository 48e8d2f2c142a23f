/* plan
{ "launches": [ { "kernel": "k", "grid": ["rows"], "block": [32], "args": ["x", "y"] } ] }
*/
// problem: softmax
// expect: wrong_result
// twin: softmax_honest.cu
// A copy of the input.
extern "C" __global__ void k(const float *x, float *y)
{
    const int i = blockIdx.x * dim::cols + threadIdx.x;
    for (int c = 0; threadIdx.x + c < dim::cols; c += 32)
        y[i + c] = x[i + c];
}
