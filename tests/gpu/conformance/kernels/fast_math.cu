/* plan
{ "kernel": "fastMath", "grid": [4], "block": [64],
  "args": [ {"name": "x", "type": "f32", "count": 256, "fill": "unit"},
            {"name": "p", "type": "f32", "count": 256, "fill": "positive"},
            {"name": "near", "type": "f32", "count": 2048, "output": true, "relative": 3e-6, "absolute": 2e-6},
            {"name": "rough", "type": "f32", "count": 256, "output": true, "relative": 1e-3} ] }
*/
extern "C" __global__ void fastMath(const float *x, const float *p, float *near, float *rough)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i], q = p[i];
    float *o = near + i * 8;
    o[0] = __sinf(v * 3);
    o[1] = __cosf(v * 3);
    o[2] = __expf(v);
    o[3] = __logf(q);
    o[4] = __powf(q, v);
    o[5] = __fdividef(v, q);
    o[6] = rsqrtf(q) + __frsqrt_rn(q);
    asm("sqrt.approx.f32 %0, %1;" : "=f"(o[7]) : "f"(q));
    asm("tanh.approx.f32 %0, %1;" : "=f"(rough[i]) : "f"(v));
}
