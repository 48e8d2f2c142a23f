/* plan
{ "kernel": "localArrays", "grid": [2], "block": [64],
  "args": [ {"name": "x", "type": "i32", "count": 2048, "fill": "bits"},
            {"name": "y", "type": "i32", "count": 2048, "output": true},
            {"name": "b", "type": "u8", "count": 2048, "output": true} ] }
*/
struct Item {
    short key;
    unsigned char tag;
    int value;
};
extern "C" __global__ void localArrays(const int *x, int *y, unsigned char *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Item items[16];
    for (int k = 0; k < 16; ++k)
        items[k] = {short(x[i * 16 + k]), static_cast<unsigned char>(k), x[i * 16 + k]};
    for (int k = 1; k < 16; ++k) {
        const Item item = items[k];
        int at = k - 1;
        for (; at >= 0 && items[at].key > item.key; --at)
            items[at + 1] = items[at];
        items[at + 1] = item;
    }
    unsigned char order[16];
    for (int k = 0; k < 16; ++k)
        order[items[k].tag] = static_cast<unsigned char>(k * 3);
    for (int k = 0; k < 16; ++k) {
        y[i * 16 + k] = items[k].value;
        b[i * 16 + k] = order[(k + x[i * 16]) & 15];
    }
}
