/* plan
{ "launches": [ { "kernel": "conv2d", "grid": ["ceil_div(conv_height*conv_width,128)", "filters", "batch"], "block": [128],
                  "args": ["x", "weight", "bias", "convolved"] },
                { "kernel": "relu_maxpool", "grid": ["ceil_div(out_height*out_width,128)", "filters", "batch"], "block": [128],
                  "args": ["convolved", "y"] } ],
  "scratch": { "convolved": { "dtype": "f64", "count": "batch*filters*conv_height*conv_width" } } }
*/
extern "C" __global__ void conv2d(const float *x, const float *weight, const float *bias, double *convolved)
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
    convolved[(long long)(sample * dim::filters + filter) * dim::conv_height * dim::conv_width + pixel] = sum;
}

extern "C" __global__ void relu_maxpool(const double *convolved, double *y)
{
    const int pixel = blockIdx.x * 128 + threadIdx.x;
    if (pixel >= dim::out_height * dim::out_width)
        return;
    const long long plane = blockIdx.z * dim::filters + blockIdx.y;
    const int top = pixel / dim::out_width * dim::pool_stride;
    const int left = pixel % dim::out_width * dim::pool_stride;
    double largest = 0; // of what ReLU leaves
    for (int i = 0; i < dim::pool; ++i)
        for (int j = 0; j < dim::pool; ++j)
            largest = fmax(largest, convolved[(plane * dim::conv_height + top + i) * dim::conv_width + left + j]);
    y[plane * dim::out_height * dim::out_width + pixel] = largest;
}
