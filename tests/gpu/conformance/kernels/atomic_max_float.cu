/* plan
{ "kernel": "maxFloat", "grid": [4], "block": [96],
  "args": [ {"name": "x", "type": "f32", "count": 384, "fill": "wide"},
            {"name": "most", "type": "f32", "count": 4, "output": true},
            {"name": "sums", "type": "f64", "count": 1, "output": true} ] }
*/
__device__ void atomicMaxFloat(float *address, float value)
{
    int *bits = reinterpret_cast<int *>(address);
    int old = *bits;
    while (__int_as_float(old) < value) {
        const int assumed = old;
        old = atomicCAS(bits, assumed, __float_as_int(value));
        if (old == assumed)
            break;
    }
}
// Whole numbers in f64: the sum does not depend on the order.
extern "C" __global__ void maxFloat(const float *x, float *most, double *sums)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicMaxFloat(&most[i % 4], x[i]);
    unsigned long long *bits = reinterpret_cast<unsigned long long *>(sums);
    unsigned long long old = *bits, assumed;
    do {
        assumed = old;
        old = atomicCAS(bits, assumed,
            __double_as_longlong(__longlong_as_double(assumed) + rintf(x[i])));
    } while (old != assumed);
}
