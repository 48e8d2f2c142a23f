/* plan
{ "launches": [ { "kernel": "conv2d", "grid": ["ceil_div(batch*filters*conv_height*conv_width,256)"], "block": [256],
                  "args": ["x", "weight", "bias", "convolved"] },
                { "kernel": "maxpool", "grid": ["ceil_div(batch*filters*out_height*out_width,256)"], "block": [256],
                  "args": ["convolved", "y"] } ],
  "scratch": { "convolved": { "dtype": "f32", "count": "batch*filters*conv_height*conv_width" } } }
*/
// The straight port: a kernel for convolution and ReLU, one for the pool, the image between them in memory.
extern "C" __global__ void conv2d(const float *x, const float *weight, const float *bias, float *convolved)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= dim::batch * dim::filters * dim::conv_height * dim::conv_width)
        return;
    int column = index % dim::conv_width;
    int row = index / dim::conv_width % dim::conv_height;
    int filter = index / (dim::conv_width * dim::conv_height) % dim::filters;
    int sample = index / (dim::conv_width * dim::conv_height * dim::filters);

    float sum = bias[filter];
    for (int c = 0; c < dim::channels; ++c)
        for (int i = 0; i < dim::taps; ++i)
            for (int j = 0; j < dim::taps; ++j) {
                int h = row * dim::stride - dim::pad + i;
                int w = column * dim::stride - dim::pad + j;
                if (h >= 0 && h < dim::height && w >= 0 && w < dim::width)
                    sum += x[((sample * dim::channels + c) * dim::height + h) * dim::width + w]
                        * weight[((filter * dim::channels + c) * dim::taps + i) * dim::taps + j];
            }
    convolved[index] = fmaxf(sum, 0.0f);
}

extern "C" __global__ void maxpool(const float *convolved, float *y)
{
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= dim::batch * dim::filters * dim::out_height * dim::out_width)
        return;
    int column = index % dim::out_width;
    int row = index / dim::out_width % dim::out_height;
    int plane = index / (dim::out_width * dim::out_height);

    float largest = -INFINITY;
    for (int i = 0; i < dim::pool; ++i)
        for (int j = 0; j < dim::pool; ++j) {
            int h = row * dim::pool_stride + i;
            int w = column * dim::pool_stride + j;
            largest = fmaxf(largest, convolved[(plane * dim::conv_height + h) * dim::conv_width + w]);
        }
    y[index] = largest;
}
