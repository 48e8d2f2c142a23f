/* plan
{ "launches": [ { "kernel": "conv2d", "grid": ["ceil_div(conv_height*conv_width,128)", "filters", "batch"], "block": [128],
                  "args": ["x", "weight", "bias", "y"] } ] }
*/
extern "C" __global__ void conv2d(const float *x, const float *weight, const float *bias, double *y)
{
    const int pixel = blockIdx.x * 128 + threadIdx.x;
    if (pixel >= dim::conv_height * dim::conv_width)
        return;
    const int filter = blockIdx.y, sample = blockIdx.z;
    const int top = pixel / dim::conv_width * dim::stride - dim::pad;
    const int left = pixel % dim::conv_width * dim::stride - dim::pad;
    double sum = bias[filter];
    for (int c = 0; c < dim::channels; ++c)
        for (int i = 0; i < dim::taps; ++i)
            for (int j = 0; j < dim::taps; ++j) {
                const int row = top + i, column = left + j;
                if (row < 0 || row >= dim::height || column < 0 || column >= dim::width)
                    continue;
                sum += double(x[((long long)(sample * dim::channels + c) * dim::height + row) * dim::width + column])
                    * double(weight[((filter * dim::channels + c) * dim::taps + i) * dim::taps + j]);
            }
    y[(long long)(sample * dim::filters + filter) * dim::conv_height * dim::conv_width + pixel] = sum;
}
