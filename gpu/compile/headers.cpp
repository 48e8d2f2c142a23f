#include "gpu/compile/headers.h"

namespace gpu {

namespace {
#define STD_INTS                                                                                   \
    "namespace std { using ::int8_t; using ::uint8_t; using ::int16_t; using ::uint16_t;"          \
    " using ::int32_t; using ::uint32_t; using ::int64_t; using ::uint64_t;"                       \
    " using ::intptr_t; using ::uintptr_t; }\n"

// The types are those of CUDA's own <cuda/std/cstdint> under NVRTC.
constexpr const char *StdInt = R"(#pragma once
using int8_t = signed char; using uint8_t = unsigned char;
using int16_t = signed short; using uint16_t = unsigned short;
using int32_t = signed int; using uint32_t = unsigned int;
using int64_t = signed long long; using uint64_t = unsigned long long;
using intptr_t = int64_t; using uintptr_t = uint64_t;
using intmax_t = int64_t; using uintmax_t = uint64_t;
#ifndef INT32_MAX
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 4294967295u
#define INT64_MIN (-9223372036854775807ll - 1)
#define INT64_MAX 9223372036854775807ll
#define UINT64_MAX 18446744073709551615ull
#endif
)" STD_INTS;

constexpr const char *StdIntOfCccl = "#pragma once\n#include <cuda/std/cstdint>\n" STD_INTS;
constexpr const char *CLimitsOfCccl = "#pragma once\n#include <cuda/std/climits>\n";

constexpr const char *CudaAgain = "#pragma once\n#include <cuda.h>\n";

// NVRTC itself has size_t, ptrdiff_t, NULL, offsetof, assert, printf, memset and memcpy.
constexpr const char *StdDef = R"(#pragma once
namespace std { using ::size_t; using ::ptrdiff_t; using nullptr_t = decltype(nullptr); }
)";

constexpr const char *Empty = "#pragma once\n";

constexpr const char *Math = R"(#pragma once
#ifndef INFINITY
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#endif
#ifndef NAN
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#endif
#ifndef HUGE_VALF
#define HUGE_VALF __builtin_bit_cast(float, 0x7f800000)
#define HUGE_VAL __builtin_bit_cast(double, 0x7ff0000000000000ull)
#endif
#ifndef M_PI
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif
)";

constexpr const char *CMath = R"(#pragma once
#include <math.h>
namespace std {
using ::abs; using ::fabs; using ::fmod; using ::fma; using ::fmax; using ::fmin; using ::fdim;
using ::exp; using ::exp2; using ::expm1; using ::log; using ::log2; using ::log10; using ::log1p;
using ::pow; using ::sqrt; using ::cbrt; using ::hypot; using ::sin; using ::cos; using ::tan;
using ::asin; using ::acos; using ::atan; using ::atan2; using ::sinh; using ::cosh; using ::tanh;
using ::asinh; using ::acosh; using ::atanh; using ::erf; using ::erfc; using ::tgamma; using ::lgamma;
using ::ceil; using ::floor; using ::trunc; using ::round; using ::rint; using ::nearbyint;
using ::ldexp; using ::frexp; using ::copysign; using ::isnan; using ::isinf; using ::isfinite;
using ::signbit;
}
)";

constexpr const char *Float = R"(#pragma once
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_EPSILON 1.19209290e-7f
#define FLT_MIN 1.17549435e-38f
#define FLT_MAX 3.40282347e+38f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_EPSILON 2.2204460492503131e-16
#define DBL_MIN 2.2250738585072014e-308
#define DBL_MAX 1.7976931348623157e+308
#endif
)";

constexpr const char *CLimits = R"(#pragma once
#ifndef INT_MAX
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-2147483647 - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295u
#define LONG_MIN (-9223372036854775807l - 1)
#define LONG_MAX 9223372036854775807l
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MIN (-9223372036854775807ll - 1)
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#endif
)";

constexpr const char *Limits = R"(#pragma once
namespace std {
template <class T, bool Integer, bool Signed, int Digits> struct espalier_limits {
    static constexpr bool is_specialized = true, is_integer = Integer, is_signed = Signed;
    static constexpr bool is_exact = Integer, has_infinity = !Integer, has_quiet_NaN = !Integer;
    static constexpr bool is_iec559 = !Integer;
    static constexpr int digits = Digits, radix = 2;
};
template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };
#define ESPALIER_INTEGER(T, S, D, LOW, HIGH) \
    template <> struct numeric_limits<T> : espalier_limits<T, true, S, D> { \
        __host__ __device__ static constexpr T min() { return LOW; } \
        __host__ __device__ static constexpr T lowest() { return LOW; } \
        __host__ __device__ static constexpr T max() { return HIGH; } \
        __host__ __device__ static constexpr T epsilon() { return 0; } \
        __host__ __device__ static constexpr T infinity() { return 0; } \
        __host__ __device__ static constexpr T quiet_NaN() { return 0; } };
ESPALIER_INTEGER(bool, false, 1, false, true)
ESPALIER_INTEGER(char, true, 7, -128, 127)
ESPALIER_INTEGER(signed char, true, 7, -128, 127)
ESPALIER_INTEGER(unsigned char, false, 8, 0, 255)
ESPALIER_INTEGER(short, true, 15, -32768, 32767)
ESPALIER_INTEGER(unsigned short, false, 16, 0, 65535)
ESPALIER_INTEGER(int, true, 31, -2147483647 - 1, 2147483647)
ESPALIER_INTEGER(unsigned int, false, 32, 0, 4294967295u)
ESPALIER_INTEGER(long, true, 63, -9223372036854775807l - 1, 9223372036854775807l)
ESPALIER_INTEGER(unsigned long, false, 64, 0, 18446744073709551615ul)
ESPALIER_INTEGER(long long, true, 63, -9223372036854775807ll - 1, 9223372036854775807ll)
ESPALIER_INTEGER(unsigned long long, false, 64, 0, 18446744073709551615ull)
#undef ESPALIER_INTEGER
#define ESPALIER_FLOATING(T, D, MIN, MAX, EPS, INF, NOTANUMBER, DENORM) \
    template <> struct numeric_limits<T> : espalier_limits<T, false, true, D> { \
        __host__ __device__ static constexpr T min() { return MIN; } \
        __host__ __device__ static constexpr T lowest() { return -MAX; } \
        __host__ __device__ static constexpr T max() { return MAX; } \
        __host__ __device__ static constexpr T epsilon() { return EPS; } \
        __host__ __device__ static constexpr T infinity() { return INF; } \
        __host__ __device__ static constexpr T quiet_NaN() { return NOTANUMBER; } \
        __host__ __device__ static constexpr T denorm_min() { return DENORM; } };
ESPALIER_FLOATING(float, 24, 1.17549435e-38f, 3.40282347e+38f, 1.19209290e-7f, __builtin_bit_cast(float, 0x7f800000),
    __builtin_bit_cast(float, 0x7fffffff), 1.40129846e-45f)
ESPALIER_FLOATING(double, 53, 2.2250738585072014e-308, 1.7976931348623157e+308,
    2.2204460492503131e-16, __builtin_bit_cast(double, 0x7ff0000000000000ull), __builtin_bit_cast(double, 0x7ff8000000000000ull), 4.9406564584124654e-324)
#undef ESPALIER_FLOATING
}
)";

constexpr const char *TypeTraits = R"(#pragma once
namespace std {
template <class T, T V> struct integral_constant {
    static constexpr T value = V;
    typedef T value_type;
    __host__ __device__ constexpr operator T() const { return V; }
    __host__ __device__ constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <bool B, class T = void> struct enable_if { };
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class...> using void_t = void;
template <class T> struct remove_const { typedef T type; };
template <class T> struct remove_const<const T> { typedef T type; };
template <class T> struct remove_volatile { typedef T type; };
template <class T> struct remove_volatile<volatile T> { typedef T type; };
template <class T> struct remove_cv { typedef typename remove_volatile<typename remove_const<T>::type>::type type; };
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T &> { typedef T type; };
template <class T> struct remove_reference<T &&> { typedef T type; };
template <class T> struct remove_pointer { typedef T type; };
template <class T> struct remove_pointer<T *> { typedef T type; };
template <class T> struct decay { typedef typename remove_cv<typename remove_reference<T>::type>::type type; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> using remove_cvref_t = remove_cv_t<remove_reference_t<T>>;
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> using decay_t = typename decay<T>::type;
template <class T, class U> struct is_same : false_type { };
template <class T> struct is_same<T, T> : true_type { };
template <class T> struct is_pointer : false_type { };
template <class T> struct is_pointer<T *> : true_type { };
template <class T> struct is_const : false_type { };
template <class T> struct is_const<const T> : true_type { };
template <class T> struct is_floating_plain : false_type { };
template <> struct is_floating_plain<float> : true_type { };
template <> struct is_floating_plain<double> : true_type { };
template <class T> struct is_floating_point : is_floating_plain<remove_cv_t<T>> { };
template <class T> struct is_integral_plain : false_type { };
template <> struct is_integral_plain<bool> : true_type { };
template <> struct is_integral_plain<char> : true_type { };
template <> struct is_integral_plain<signed char> : true_type { };
template <> struct is_integral_plain<unsigned char> : true_type { };
template <> struct is_integral_plain<short> : true_type { };
template <> struct is_integral_plain<unsigned short> : true_type { };
template <> struct is_integral_plain<int> : true_type { };
template <> struct is_integral_plain<unsigned int> : true_type { };
template <> struct is_integral_plain<long> : true_type { };
template <> struct is_integral_plain<unsigned long> : true_type { };
template <> struct is_integral_plain<long long> : true_type { };
template <> struct is_integral_plain<unsigned long long> : true_type { };
template <class T> struct is_integral : is_integral_plain<remove_cv_t<T>> { };
template <class T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> { };
template <class T, bool = is_arithmetic<T>::value> struct is_signed : bool_constant<T(-1) < T(0)> { };
template <class T> struct is_signed<T, false> : false_type { };
template <class T> struct is_unsigned : bool_constant<is_arithmetic<T>::value && !is_signed<T>::value> { };
template <class T, class U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> inline constexpr bool is_const_v = is_const<T>::value;
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> inline constexpr bool is_unsigned_v = is_unsigned<T>::value;
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> { };
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> { };
template <class T> inline constexpr bool is_trivially_copyable_v = is_trivially_copyable<T>::value;
}
)";

// std::move and std::forward are built in.
constexpr const char *Utility = R"(#pragma once
#include <type_traits>
namespace std {
template <class T> __host__ __device__ constexpr void swap(T &a, T &b) { T t = a; a = b; b = t; }
template <class T> __host__ __device__ T &&declval() noexcept;
template <class A, class B> struct pair { A first; B second; };
}
)";

constexpr const char *Algorithm = R"(#pragma once
#include <utility>
namespace std {
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T &clamp(const T &v, const T &low, const T &high)
{ return v < low ? low : high < v ? high : v; }
}
)";

constexpr const char *Cuda = R"(#pragma once
// The driver API is host code; of it a kernel needs the tensor map only.
typedef struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; } CUtensorMap;
)";
} // namespace

const std::vector<std::pair<std::string, std::string>> &stubHeaders(bool besideCccl)
{
    using Headers = std::vector<std::pair<std::string, std::string>>;
    static const auto list = [](const char *stdInt, const char *climits) -> Headers {
        return {{"stdint.h", stdInt}, {"cstdint", stdInt}, {"inttypes.h", stdInt},
            {"stddef.h", StdDef}, {"cstddef", StdDef}, {"math.h", Math}, {"cmath", CMath},
            {"float.h", Float}, {"cfloat", Float}, {"limits.h", climits}, {"climits", climits},
            {"limits", Limits}, {"type_traits", TypeTraits}, {"utility", Utility},
            {"algorithm", Algorithm}, {"assert.h", Empty}, {"cassert", Empty},
            {"initializer_list", Empty}, {"cuda.h", Cuda}, {"cudaTypedefs.h", CudaAgain},
            {"stdio.h", StdDef}, {"cstdio", StdDef}, {"stdlib.h", StdDef}, {"cstdlib", StdDef},
            {"string.h", StdDef}, {"cstring", StdDef}};
    };
    static const Headers plain = list(StdInt, CLimits);
    static const Headers cccl = list(StdIntOfCccl, CLimitsOfCccl);
    return besideCccl ? cccl : plain;
}

} // namespace gpu
