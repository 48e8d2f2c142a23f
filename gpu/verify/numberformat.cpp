#include "gpu/verify/numberformat.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace gpu {

namespace {

/// Rounds to `mantissaBits` stored bits, with subnormals below 2^minExponent, and `round` applied
/// to the scaled value.
template <class Round>
double roundMantissa(double value, int mantissaBits, int minExponent, Round round)
{
    if (value == 0 || !std::isfinite(value))
        return value;
    const int exponent = std::max(std::ilogb(value), minExponent);
    return std::ldexp(round(std::ldexp(value, mantissaBits - exponent)), exponent - mantissaBits);
}

double nearestEven(double value)
{
    return std::nearbyint(value); // the default rounding mode is to nearest even
}

double towardZero(double value)
{
    return std::trunc(value);
}

constexpr double HalfMax = 65504;

template <class T> void decodeAs(std::span<const std::byte> bytes, std::vector<double> &values)
{
    values.resize(bytes.size() / sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        T element;
        std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
        values[i] = static_cast<double>(element);
    }
}

template <class T> void encodeAs(std::span<const double> values, std::vector<std::byte> &bytes)
{
    bytes.resize(values.size() * sizeof(T));
    for (std::size_t i = 0; i < values.size(); ++i) {
        T element;
        if constexpr (std::is_floating_point_v<T>) {
            element = static_cast<T>(values[i]);
        } else {
            constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
            constexpr double high = static_cast<double>(std::numeric_limits<T>::max());
            const double rounded = std::nearbyint(values[i]);
            // `high` of a 64-bit type is 2^63 or 2^64 as a double, which no longer fits.
            if (!(rounded > low))
                element = std::numeric_limits<T>::min();
            else if (rounded >= high)
                element = std::numeric_limits<T>::max();
            else
                element = static_cast<T>(rounded);
        }
        std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
}

template <class Encode>
void encode16(std::span<const double> values, std::vector<std::byte> &bytes, Encode encode)
{
    bytes.resize(values.size() * 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t bits = encode(values[i]);
        std::memcpy(bytes.data() + i * 2, &bits, 2);
    }
}

template <class Decode>
void decode16(std::span<const std::byte> bytes, std::vector<double> &values, Decode decode)
{
    values.resize(bytes.size() / 2);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::uint16_t bits;
        std::memcpy(&bits, bytes.data() + i * 2, 2);
        values[i] = decode(bits);
    }
}

} // namespace

std::uint16_t halfFromDouble(double value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
        return sign | 0x7e00;
    const double rounded = std::fabs(roundMantissa(value, 10, -14, nearestEven));
    if (rounded > HalfMax)
        return sign | 0x7c00;
    if (rounded < std::ldexp(1.0, -14))
        return static_cast<std::uint16_t>(sign | static_cast<int>(std::ldexp(rounded, 24)));
    const int exponent = std::ilogb(rounded);
    const int mantissa = static_cast<int>(std::ldexp(rounded, 10 - exponent)) - 1024;
    return static_cast<std::uint16_t>(sign | ((exponent + 15) << 10) | mantissa);
}

double doubleFromHalf(std::uint16_t bits)
{
    const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
    double value = 0;
    if (exponent == 31)
        value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
    else if (exponent == 0)
        value = std::ldexp(mantissa, -24);
    else
        value = std::ldexp(1024 + mantissa, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

std::uint16_t bfloatFromDouble(double value)
{
    if (std::isnan(value))
        return 0x7fff;
    // Rounding in double first and once: a cast through float would round twice.
    const float rounded = static_cast<float>(roundMantissa(value, 7, -126, nearestEven));
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(rounded) >> 16);
}

double doubleFromBfloat(std::uint16_t bits)
{
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

double truncateTo(Format format, double value)
{
    switch (format) {
    case Format::Fp32:
        return roundMantissa(value, 23, -126, towardZero);
    case Format::Tf32:
        return roundMantissa(value, 10, -126, towardZero);
    case Format::Bf16:
        return roundMantissa(value, 7, -126, towardZero);
    case Format::Fp16:
        if (std::fabs(value) > HalfMax && std::isfinite(value))
            return std::copysign(std::numeric_limits<double>::infinity(), value);
        return roundMantissa(value, 10, -14, towardZero);
    }
    return value;
}

std::vector<double> decodeElements(DType type, std::span<const std::byte> bytes)
{
    std::vector<double> values;
    switch (type) {
    case DType::F64:
        decodeAs<double>(bytes, values);
        break;
    case DType::F32:
        decodeAs<float>(bytes, values);
        break;
    case DType::F16:
        decode16(bytes, values, doubleFromHalf);
        break;
    case DType::BF16:
        decode16(bytes, values, doubleFromBfloat);
        break;
    case DType::I64:
        decodeAs<std::int64_t>(bytes, values);
        break;
    case DType::I32:
        decodeAs<std::int32_t>(bytes, values);
        break;
    case DType::I16:
        decodeAs<std::int16_t>(bytes, values);
        break;
    case DType::I8:
        decodeAs<std::int8_t>(bytes, values);
        break;
    case DType::U64:
        decodeAs<std::uint64_t>(bytes, values);
        break;
    case DType::U32:
        decodeAs<std::uint32_t>(bytes, values);
        break;
    case DType::U16:
        decodeAs<std::uint16_t>(bytes, values);
        break;
    case DType::U8:
    case DType::Bool:
        decodeAs<std::uint8_t>(bytes, values);
        break;
    }
    return values;
}

std::vector<std::byte> encodeElements(DType type, std::span<const double> values)
{
    std::vector<std::byte> bytes;
    switch (type) {
    case DType::F64:
        encodeAs<double>(values, bytes);
        break;
    case DType::F32:
        encodeAs<float>(values, bytes);
        break;
    case DType::F16:
        encode16(values, bytes, halfFromDouble);
        break;
    case DType::BF16:
        encode16(values, bytes, bfloatFromDouble);
        break;
    case DType::I64:
        encodeAs<std::int64_t>(values, bytes);
        break;
    case DType::I32:
        encodeAs<std::int32_t>(values, bytes);
        break;
    case DType::I16:
        encodeAs<std::int16_t>(values, bytes);
        break;
    case DType::I8:
        encodeAs<std::int8_t>(values, bytes);
        break;
    case DType::U64:
        encodeAs<std::uint64_t>(values, bytes);
        break;
    case DType::U32:
        encodeAs<std::uint32_t>(values, bytes);
        break;
    case DType::U16:
        encodeAs<std::uint16_t>(values, bytes);
        break;
    case DType::U8:
        encodeAs<std::uint8_t>(values, bytes);
        break;
    case DType::Bool:
        bytes.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            bytes[i] = std::byte{values[i] != 0};
        break;
    }
    return bytes;
}

double smallestNormal(DType type)
{
    switch (type) {
    case DType::F64:
        return std::numeric_limits<double>::min();
    case DType::F32:
    case DType::BF16:
        return static_cast<double>(std::numeric_limits<float>::min());
    case DType::F16:
        return std::ldexp(1.0, -14);
    default:
        return 0;
    }
}

} // namespace gpu
