/* plan
{ "launches": [ { "kernel": "k", "grid": ["rows"], "block": [32], "args": ["x", "y"] } ] }
*/
// problem: softmax
// expect: wrong_result
// twin: softmax_honest.cu
// Does nothing: the output stays what it was.
extern "C" __global__ void k(const float *x, float *y) {}
