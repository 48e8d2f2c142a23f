/* plan
{ "kernel": "atomics", "grid": [3], "block": [64],
  "args": [ {"name": "x", "type": "u32", "count": 192, "fill": "bits"},
            {"name": "words", "type": "u32", "count": 16, "output": true},
            {"name": "wide", "type": "u64", "count": 8, "output": true},
            {"name": "floats", "type": "f32", "count": 4, "output": true},
            {"name": "doubles", "type": "f64", "count": 2, "output": true},
            {"name": "halves", "type": "f16", "count": 4, "output": true} ] }
*/
#include <cuda_fp16.h>
// Only operations whose final value does not depend on the order.
extern "C" __global__ void atomics(const unsigned *x, unsigned *words, unsigned long long *wide,
    float *floats, double *doubles, __half *halves)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned v = x[i];
    const int s = int(v);
    atomicAdd(&words[0], v);
    atomicSub(&words[1], v);
    atomicMax(&words[2], v);
    atomicMin(&words[3], v >> 3);
    atomicMax(reinterpret_cast<int *>(&words[4]), s);
    atomicMin(reinterpret_cast<int *>(&words[5]), s);
    atomicAnd(&words[6], v | 0xff00ff00u);
    atomicOr(&words[7], v & 0x00ff1234u);
    atomicXor(&words[8], v);
    atomicInc(&words[9], 49);
    atomicDec(&words[10], 37);
    atomicAdd_block(&words[11], 1u);
    atomicExch(&words[12], 77u);
    atomicCAS(&words[13], 0u, 5u);
    words[14] = 3;
    atomicAdd(&wide[0], static_cast<unsigned long long>(v) << 20);
    atomicMax(&wide[1], static_cast<unsigned long long>(v) * v);
    atomicMin(reinterpret_cast<long long *>(&wide[2]), static_cast<long long>(s) * 5);
    atomicXor(&wide[3], static_cast<unsigned long long>(v) << (v % 32));
    atomicOr(&wide[4], 1ull << (v % 64));
    atomicExch(&wide[5], 0x123456789abcull);
    atomicAdd(&floats[0], float(v % 64));
    atomicAdd(&floats[1], -0.5f);
    atomicAdd(&doubles[0], double(v % 1024) * 0.125);
    atomicAdd(&halves[0], __float2half(float(v % 2)));
    atomicAdd(reinterpret_cast<__half2 *>(halves + 2), __floats2half2_rn(1.0f, float(v % 4)));
    __shared__ unsigned shared[3];
    if (threadIdx.x < 3)
        shared[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&shared[0], v % 16);
    atomicMax(&shared[1], v);
    atomicInc(&shared[2], 1000);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(&words[15], shared[0] + (shared[1] >> 8) + shared[2] * 7);
}
