/* plan
{ "kernel": "doubleMath", "grid": [4], "block": [64],
  "args": [ {"name": "a", "type": "f64", "count": 256, "fill": "wide"},
            {"name": "b", "type": "f64", "count": 256, "fill": "positive"},
            {"name": "out", "type": "f64", "count": 3584, "output": true},
            {"name": "functions", "type": "f64", "count": 2048, "output": true, "relative": 1e-14, "absolute": 1e-15} ] }
*/
extern "C" __global__ void doubleMath(
    const double *a, const double *b, double *out, double *functions)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double x = a[i], y = b[i];
    double *o = out + i * 14;
    o[0] = x + y;
    o[1] = x * y;
    o[2] = x / y;
    o[3] = sqrt(y);
    o[4] = fma(x, y, -x);
    o[5] = __dadd_rd(x, y);
    o[6] = __dmul_ru(x, y);
    o[7] = __ddiv_rz(x, y);
    o[8] = __dsqrt_ru(y);
    o[9] = __fma_rd(x, y, 1.0);
    o[10] = __drcp_ru(x);
    o[11] = floor(x) + ceil(y) + rint(x * 0.5);
    o[12] = fmod(x, y);
    o[13] = double(__double2float_ru(x)) + __double2ll_rd(x) + __ll2double_rz(0x7fffffffffffffffll);
    double *f = functions + i * 8;
    f[0] = exp(x);
    f[1] = log(y);
    f[2] = sin(x);
    f[3] = cos(x * 1000);
    f[4] = tanh(x);
    f[5] = pow(y, 1.7);
    f[6] = rsqrt(y);
    f[7] = cbrt(x) + erf(y);
}
