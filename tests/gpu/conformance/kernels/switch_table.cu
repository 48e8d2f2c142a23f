/* plan
{ "kernel": "switchTable", "grid": [2], "block": [128],
  "args": [ {"name": "x", "type": "u32", "count": 256, "fill": "bits"},
            {"name": "y", "type": "u32", "count": 256, "output": true} ] }
*/
extern "C" __global__ void switchTable(const unsigned *x, unsigned *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = x[i], result = value >> 8;
    for (int step = 0; step < 6; ++step) {
        switch (value % 12) {
        case 0: result += 17; break;
        case 1: result *= 3; break;
        case 2: result ^= 0x5555; break;
        case 3: result = __brev(result); // falls through
        case 4: result -= value; break;
        case 5: result = result << 3 | result >> 29; break;
        case 6: result = ~result; break;
        case 7: result += __popc(value); break;
        case 9: result /= 7; break;
        case 10: result %= 1000003; break;
        default: result ^= value; break;
        }
        value /= 12;
    }
    y[i] = result;
}
