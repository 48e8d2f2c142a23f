/* plan
{ "kernel": "useFastMath", "grid": [4], "block": [64], "options": ["--use_fast_math"],
  "args": [ {"name": "x", "type": "f32", "count": 256, "fill": "edges"},
            {"name": "y", "type": "f32", "count": 256, "fill": "edges"},
            {"name": "u", "type": "f32", "count": 256, "fill": "unit"},
            {"name": "exact", "type": "f32", "count": 1280, "output": true},
            {"name": "near", "type": "f32", "count": 768, "output": true, "relative": 1e-5, "absolute": 1e-6} ] }
*/
// Everything flushes subnormals here; sums, products and fma stay bit for bit.
extern "C" __global__ void useFastMath(
    const float *x, const float *y, const float *u, float *exact, float *near)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *e = exact + i * 5;
    e[0] = x[i] + y[i];
    e[1] = x[i] * y[i];
    e[2] = fmaf(x[i], y[i], 0x1p-126f);
    e[3] = fminf(x[i], y[i]);
    e[4] = x[i] < y[i] ? 1.0f : __saturatef(x[i]);
    near[i * 3] = expf(u[i]) / (1.5f + u[i]);
    near[i * 3 + 1] = sqrtf(fabsf(u[i])) + logf(2 + u[i]);
    near[i * 3 + 2] = sinf(u[i]) * cosf(u[i]);
}
