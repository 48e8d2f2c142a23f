/* plan
{ "kernel": "integerArithmetic", "grid": [4], "block": [128],
  "args": [ {"name": "a", "type": "i64", "count": 512, "fill": "edges"},
            {"name": "b", "type": "i64", "count": 512, "fill": "edges"},
            {"name": "out", "type": "i32", "count": 11264, "output": true},
            {"name": "wide", "type": "i64", "count": 8192, "output": true} ] }
*/
extern "C" __global__ void integerArithmetic(
    const long long *a, const long long *b, int *out, long long *wide)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const long long p = a[i], q = b[i];
    const int x = int(p), y = int(q);
    const unsigned u = unsigned(x), v = unsigned(y);
    int *o = out + i * 22;
    o[0] = int(u + v);
    o[1] = int(u - v);
    o[2] = int(u * v);
    o[3] = y == 0 || (y == -1 && x == int(0x80000000)) ? 0 : x / y;
    o[4] = y == 0 || (y == -1 && x == int(0x80000000)) ? 0 : x % y;
    o[5] = v ? u / v : 0;
    o[6] = v ? u % v : 0;
    o[7] = __mulhi(x, y);
    o[8] = __umulhi(u, v);
    o[9] = __mul24(x, y);
    o[10] = __umul24(u, v);
    o[11] = __sad(x, y, 7);
    o[12] = __usad(u, v, 7);
    o[13] = __hadd(x, y) + __rhadd(x, y);
    o[14] = min(x, y) ^ int(max(u, v));
    o[15] = abs(x);
    asm("shl.b32 %0, %1, %2;" : "=r"(o[16]) : "r"(x), "r"(y));
    asm("shr.s32 %0, %1, %2;" : "=r"(o[17]) : "r"(x), "r"(y));
    asm("shr.u32 %0, %1, %2;" : "=r"(o[18]) : "r"(x), "r"(y));
    asm("add.sat.s32 %0, %1, %2;" : "=r"(o[19]) : "r"(x), "r"(y));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(o[20]) : "r"(x), "r"(y));
    asm("mad24.hi.u32 %0, %1, %2, %3;" : "=r"(o[21]) : "r"(x), "r"(y), "r"(x));
    long long *w = wide + i * 16;
    const unsigned long long up = p, uq = q;
    const bool safe = q != 0 && !(q == -1 && up == 0x8000000000000000ull);
    w[0] = up + uq;
    w[1] = up * uq;
    w[2] = safe ? p / q : 0;
    w[3] = safe ? p % q : 0;
    w[4] = uq ? up / uq : 0;
    w[5] = uq ? up % uq : 0;
    w[6] = __mul64hi(p, q);
    w[7] = __umul64hi(up, uq);
    w[8] = static_cast<long long>(x) * y;
    w[9] = static_cast<unsigned long long>(u) * v + up;
    w[10] = min(p, q);
    w[11] = max(up, uq);
    asm("shl.b64 %0, %1, %2;" : "=l"(w[12]) : "l"(p), "r"(y));
    asm("shr.s64 %0, %1, %2;" : "=l"(w[13]) : "l"(p), "r"(y));
    asm("shr.u64 %0, %1, %2;" : "=l"(w[14]) : "l"(p), "r"(y));
    unsigned low, middle, high;
    asm("{ add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %4, %5; addc.u32 %2, %5, %3; }"
        : "=r"(low), "=r"(middle), "=r"(high)
        : "r"(u), "r"(v), "r"(unsigned(up >> 32)));
    unsigned carry;
    asm("{ mad.lo.cc.u32 %0, %1, %2, %3; madc.hi.u32 %0, %1, %2, %0; }"
        : "=&r"(carry)
        : "r"(u), "r"(v), "r"(u));
    w[15] = (static_cast<long long>(low ^ high) << 32) | (middle ^ carry);
}
