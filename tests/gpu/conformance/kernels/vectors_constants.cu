/* plan
{ "kernel": "vectors", "grid": [2], "block": [64],
  "args": [ {"name": "x", "type": "f32", "count": 512, "fill": "unit"},
            {"name": "y", "type": "f32", "count": 512, "output": true},
            {"name": "b", "type": "u8", "count": 512, "fill": "bits"},
            {"name": "o", "type": "u8", "count": 512, "output": true},
            {"name": "h", "type": "u16", "count": 256, "output": true} ] }
*/
__constant__ float weights[8] = {0.5f, -1.0f, 2.0f, 0.25f, 1e-3f, 3.0f, -0.125f, 1.0f};
__device__ unsigned table[4] = {11, 22, 33, 44};
__device__ const char text[] = "constant bytes";
extern "C" __global__ void vectors(const float4 *__restrict__ x, float4 *y,
    const uchar4 *__restrict__ b, uchar4 *o, ushort2 *h)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float4 v = __ldg(x + i);
    float4 r;
    r.x = v.x * weights[i % 8] + v.w;
    r.y = v.y * weights[(i + 3) % 8];
    r.z = fmaf(v.z, weights[(i * 5) % 8], weights[0]);
    r.w = __ldcs(&x[127 - i].x) - v.w;
    __stcg(y + i, r);
    const uchar4 c = b[i];
    const unsigned char step = static_cast<unsigned char>(table[c.x % 4] + text[c.y % 14]);
    o[i] = make_uchar4(c.w, static_cast<unsigned char>(c.x + step), c.z / 3, c.y ^ step);
    h[i] = make_ushort2(static_cast<unsigned short>(c.x * 256 + c.y), static_cast<unsigned short>(-c.z));
}
