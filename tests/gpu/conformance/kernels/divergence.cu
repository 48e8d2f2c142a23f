/* plan
{ "kernel": "divergence", "grid": [3], "block": [100],
  "args": [ {"name": "x", "type": "u32", "count": 300, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 300, "output": true},
            {"name": "masks", "type": "u32", "count": 300, "output": true} ] }
*/
extern "C" __global__ void divergence(const unsigned *x, unsigned *y, unsigned *masks)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned n = x[i] % 1000 + 1, steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        ++steps;
        if (steps > 100)
            break;
    }
    unsigned result = steps;
    for (unsigned k = 0; k < x[i] % 7; ++k) {
        if ((x[i] >> k) & 1) {
            if (k % 3 == 0)
                continue;
            result = result * 5 + k;
        } else {
            for (unsigned j = 0; j < k; ++j)
                result ^= j << k;
        }
        if (result % 11 == 0)
            break;
    }
    __syncwarp();
    masks[i] = (x[i] & 1) && (x[i] & 2) ? 3 : (x[i] & 1) || (result > 5 && !(n & 4)) ? 1 : 0;
    y[i] = result;
}
