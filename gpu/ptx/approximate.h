#pragma once

#include <cstdint>

/// The .approx and .full instructions. The ISA bounds their error and fixes special values;
/// hardware differs in the last bits, so these are within the bounds but not bit-equal to any GPU.
/// `ftz` flushes subnormal operands and results to zero.
namespace gpu::ptx {

float approximateEx2(float x, bool ftz);
float approximateLg2(float x, bool ftz);
float approximateSin(float x, bool ftz);
float approximateCos(float x, bool ftz);
float approximateTanh(float x);
float approximateRcp(float x, bool ftz);
float approximateRsqrt(float x, bool ftz);
float approximateSqrt(float x, bool ftz);
/// div.approx: 0 (or NaN for an infinite a) when 2^126 < |b| < 2^128, as the ISA says.
float approximateDiv(float a, float b, bool ftz);
/// div.full: no such gap.
float fullDiv(float a, float b, bool ftz);

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64: only the upper 32 bits of the operand count and of
/// the result are set.
double approximateRcpF64(double x);
double approximateRsqrtF64(double x);
/// rsqrt.approx.f64: full precision.
double rsqrtF64(double x);

std::uint16_t approximateEx2F16(std::uint16_t x, bool ftz);
std::uint16_t approximateTanhF16(std::uint16_t x);
std::uint16_t approximateEx2Bf16(std::uint16_t x); ///< ex2.approx.ftz.bf16
std::uint16_t approximateTanhBf16(std::uint16_t x);

} // namespace gpu::ptx
