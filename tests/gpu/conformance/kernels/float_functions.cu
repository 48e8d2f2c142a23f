/* plan
{ "kernel": "floatFunctions", "grid": [4], "block": [64],
  "args": [ {"name": "x", "type": "f32", "count": 256, "fill": "wide"},
            {"name": "p", "type": "f32", "count": 256, "fill": "positive"},
            {"name": "exact", "type": "f32", "count": 1536, "output": true},
            {"name": "near", "type": "f32", "count": 2560, "output": true, "relative": 2e-6, "absolute": 1e-7} ] }
*/
extern "C" __global__ void floatFunctions(
    const float *x, const float *p, float *exact, float *near)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float v = x[i], q = p[i];
    float *e = exact + i * 6;
    e[0] = sinf(v);
    e[1] = cosf(v * 1e6f);
    e[2] = floorf(v) + ceilf(q) + truncf(v) + rintf(v) + roundf(v);
    e[3] = fmodf(v, q);
    e[4] = sqrtf(q) / v;
    e[5] = ldexpf(frexpf(v, &reinterpret_cast<int &>(e[5])), 3) + copysignf(q, v);
    float *o = near + i * 10;
    o[0] = expf(v);
    o[1] = logf(q);
    o[2] = powf(q, v * 0.1f);
    o[3] = tanhf(v);
    o[4] = erff(q);
    o[5] = normcdff(v * 0.1f);
    o[6] = atan2f(v, q);
    o[7] = exp2f(v) + log2f(q) + log10f(q);
    o[8] = cbrtf(v) + hypotf(v, q);
    o[9] = 0.5f * v * (1.0f + erff(v * 0.02f));
}
