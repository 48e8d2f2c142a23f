/* plan
{ "kernel": "spinLock", "grid": [2], "block": [64],
  "args": [ {"name": "state", "type": "u32", "count": 3, "output": true},
            {"name": "order", "type": "u32", "count": 128, "output": true} ] }
*/
// Lanes of one warp wait for each other: needs independent progress, as Volta and later give.
extern "C" __global__ void spinLock(unsigned *state, unsigned *order)
{
    __shared__ volatile unsigned turn;
    bool done = false;
    while (!done) {
        if (atomicCAS(&state[0], 0u, 1u) == 0) {
            volatile unsigned *count = state + 1;
            *count = *count * 1 + threadIdx.x + 1;
            __threadfence();
            atomicExch(&state[0], 0u);
            done = true;
        }
    }
    if (threadIdx.x == 0)
        turn = 0;
    __syncthreads();
    // Thread t takes its turn after thread t + 1: the order is against the lanes' numbers. What the
    // next one waits for is done inside the loop: lanes that have left it may wait for the others.
    bool mine = false;
    while (!mine) {
        if (turn == 63 - threadIdx.x) {
            order[blockIdx.x * 64 + threadIdx.x] = turn * 3;
            __threadfence_block();
            turn = turn + 1;
            mine = true;
        }
    }
    __syncthreads();
    atomicAdd(&state[2], turn);
}
