/* plan
{ "launches": [ { "kernel": "conv2d", "grid": ["ceil_div(batch*filters*conv_height*conv_width,256)"], "block": [256],
                  "args": ["x", "weight", "bias", "y"] } ] }
*/
// The straight port: one thread an output, seven nested loops, everything read from global memory.
extern "C" __global__ void conv2d(const float *x, const float *weight, const float *bias, float *y)
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
    y[index] = sum;
}
