/* plan
{ "kernel": "bitTricks", "grid": [4], "block": [128],
  "args": [ {"name": "a", "type": "u32", "count": 512, "fill": "edges"},
            {"name": "b", "type": "u32", "count": 512, "fill": "edges"},
            {"name": "c", "type": "u32", "count": 512, "fill": "edges"},
            {"name": "out", "type": "u32", "count": 16384, "output": true},
            {"name": "wide", "type": "u64", "count": 2048, "output": true} ] }
*/
extern "C" __global__ void bitTricks(const unsigned *a, const unsigned *b, const unsigned *c,
    unsigned *out, unsigned long long *wide)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned x = a[i], y = b[i], z = c[i];
    unsigned *o = out + i * 32;
    o[0] = __clz(x);
    o[1] = __popc(x);
    o[2] = __brev(x);
    o[3] = __ffs(x);
    o[4] = __byte_perm(x, y, z);
    o[5] = __funnelshift_l(x, y, z);
    o[6] = __funnelshift_r(x, y, z);
    o[7] = __funnelshift_lc(x, y, z);
    o[8] = __funnelshift_rc(x, y, z);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(o[9]) : "r"(x), "r"(y), "r"(z));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(o[10]) : "r"(x), "r"(y), "r"(z));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(o[11]) : "r"(x), "r"(y), "r"(z), "r"(x & 63));
    asm("lop3.b32 %0, %1, %2, %3, 0x3a;" : "=r"(o[12]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(o[13]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(o[14]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(o[15]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(o[16]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(o[17]) : "r"(x), "r"(y), "r"(z));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(o[18]) : "r"(x), "r"(y), "r"(z));
    asm("bfind.u32 %0, %1;" : "=r"(o[19]) : "r"(x));
    asm("bfind.s32 %0, %1;" : "=r"(o[20]) : "r"(x));
    asm("bfind.shiftamt.s32 %0, %1;" : "=r"(o[21]) : "r"(x));
    asm("fns.b32 %0, %1, %2, %3;" : "=r"(o[22]) : "r"(x), "r"(y & 31), "r"(int(z % 9) - 4));
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(o[23]) : "r"(y), "r"(z));
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(o[24]) : "r"(y), "r"(z));
    asm("szext.clamp.s32 %0, %1, %2;" : "=r"(o[25]) : "r"(x), "r"(z));
    asm("szext.wrap.u32 %0, %1, %2;" : "=r"(o[26]) : "r"(x), "r"(z));
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(o[27]) : "r"(x), "r"(z));
    o[28] = __dp4a(int(x), int(y), int(z));
    o[29] = __dp4a(x, y, z);
    o[30] = __dp2a_lo(int(x), int(y), int(z));
    o[31] = __dp2a_hi(x, y, z);
    const unsigned long long w = (static_cast<unsigned long long>(x) << 32) | y;
    wide[i * 4] = __brevll(w) + __clzll(w) * 1000 + __popcll(w) * 100000;
    unsigned long long r;
    // In range only: the ISA takes the low byte of position and length, an H200 all of the 64-bit
    // forms' (seen with length 0x40c9230e, which it took as 64).
    asm("bfe.u64 %0, %1, %2, %3;" : "=l"(r) : "l"(w), "r"(z & 255), "r"(y & 255));
    wide[i * 4 + 1] = r;
    asm("bfe.s64 %0, %1, %2, %3;" : "=l"(r) : "l"(w), "r"(z & 255), "r"(y & 255));
    wide[i * 4 + 2] = r;
    asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r) : "l"(w), "l"(~w), "r"(z & 127), "r"(y & 127));
    wide[i * 4 + 3] = r;
}
