#include "gpu/verify/distribution.h"

#include "gpu/verify/generator.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpu {

namespace {

// Ordered so that what rejects most wrong candidates comes first.
constexpr std::array<std::string_view, 12> Names{"normal", "large_offset", "stripes", "heavy_tails",
    "uniform", "large_scale", "tiny_scale", "ramp", "constant_rows", "one_hot", "sparse",
    "special_values"};

/// In the order of `Names`.
enum class Kind {
    Normal,
    LargeOffset,
    Stripes,
    HeavyTails,
    Uniform,
    LargeScale,
    TinyScale,
    Ramp,
    ConstantRows,
    OneHot,
    Sparse,
    SpecialValues
};

// Streams of one tensor: the element values, and the few numbers its pattern needs.
constexpr std::uint32_t Streams = 4;
enum Stream : std::uint32_t { Values, Levels, Places, Choices };

constexpr std::int64_t StripePeriod = 16;
constexpr std::int64_t BandWidth = 37;
constexpr std::int64_t Bands = 5;

/// How far a distribution may go in a type without overflowing sums of products.
struct Scales {
    double offset, large, tiny;
};

Scales scalesOf(DType type)
{
    switch (type) {
    case DType::F16:
        return {100, 32, 1e-2};
    case DType::BF16:
        return {16, 1e4, 1e-4};
    case DType::F32:
    case DType::F64:
        return {1000, 1e4, 1e-4};
    case DType::I8:
    case DType::U8:
        return {3, 4, 0.1};
    default:
        return {50, 10, 0.1};
    }
}

/// Fills one tensor. Integers get the same shapes of data, ten times as wide, then rounded.
class Filler {
public:
    Filler(const InputShape &input, std::uint64_t seed)
        : m_values(seed, input.ordinal * Streams + Values)
        , m_levels(seed, input.ordinal * Streams + Levels)
        , m_places(seed, input.ordinal * Streams + Places)
        , m_choices(seed, input.ordinal * Streams + Choices)
        , m_scales(scalesOf(input.dtype))
        , m_shape(input.shape)
        , m_count(elementCount(input.shape))
        , m_columns(input.shape.empty() ? 1 : std::max<std::int64_t>(input.shape.back(), 1))
    {
    }

    double at(Kind kind, std::size_t axis, std::int64_t i) const
    {
        const std::uint64_t row = static_cast<std::uint64_t>(i / m_columns);
        switch (kind) {
        case Kind::Normal:
            break;
        case Kind::LargeOffset:
            return m_scales.offset + m_values.normal(i);
        case Kind::Stripes:
            return stripe(axis, i) + 0.01 * m_values.normal(i);
        case Kind::HeavyTails:
            return (m_choices.bits(i)[0] & 1 ? 1 : -1) / std::sqrt(m_values.uniform(i));
        case Kind::Uniform:
            return m_values.uniform(i);
        case Kind::LargeScale:
            return m_scales.large * m_values.normal(i);
        case Kind::TinyScale:
            return m_scales.tiny * m_values.normal(i);
        case Kind::Ramp:
            return 4.0 * static_cast<double>(i % m_columns) / static_cast<double>(m_columns) - 2.0
                + 0.5 * m_levels.normal(row) + 1e-3 * m_values.normal(i);
        case Kind::ConstantRows:
            return m_levels.normal(row);
        case Kind::OneHot:
            return i % m_columns == static_cast<std::int64_t>(m_places.below(row, m_columns));
        case Kind::Sparse:
            return m_choices.uniform(i) < 0.05 ? m_values.normal(i) : 0.0;
        case Kind::SpecialValues:
            return special(i);
        }
        return m_values.normal(i);
    }

private:
    double stripe(std::size_t axis, std::int64_t i) const
    {
        if (m_shape.empty())
            return m_levels.normal(0);
        axis = std::min(axis, m_shape.size() - 1);
        std::int64_t inner = 1;
        for (std::size_t k = axis + 1; k < m_shape.size(); ++k)
            inner *= m_shape[k];
        const std::int64_t position = (i / inner) % m_shape[axis];
        return m_levels.normal(position % StripePeriod)
            + m_levels.normal(StripePeriod + position / BandWidth % Bands);
    }

    /// One of inf, -inf and NaN at three places of the tensor; the rest is normal.
    double special(std::int64_t i) const
    {
        constexpr std::array<double, 3> specials{std::numeric_limits<double>::infinity(),
            -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
        for (std::size_t k = 0; k < specials.size(); ++k)
            if (i == static_cast<std::int64_t>(m_places.below(k, m_count)))
                return specials[k];
        return m_values.normal(i);
    }

    Generator m_values, m_levels, m_places, m_choices;
    Scales m_scales;
    const std::vector<std::int64_t> &m_shape;
    std::int64_t m_count, m_columns;
};

} // namespace

std::int64_t elementCount(const std::vector<std::int64_t> &shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    return count;
}

Result<std::vector<std::string>> expandDistributions(
    const std::vector<std::string> &listed, std::size_t rank)
{
    for (const std::string &name : listed) {
        if (std::find(Names.begin(), Names.end(), name) != Names.end())
            continue;
        std::string known;
        for (const std::string_view each : Names)
            known += (known.empty() ? "" : ", ") + std::string(each);
        return callerError("problem.json: `distributions` has \"" + name
            + "\", which is not known; use any of: " + known + ".");
    }
    std::vector<std::string> expanded;
    for (const std::string_view name : Names) {
        const bool wanted = name == "normal"
            || (listed.empty() ? name != "special_values"
                               : std::find(listed.begin(), listed.end(), name) != listed.end());
        if (wanted && name == "stripes") {
            for (std::size_t axis = 0; axis < rank; ++axis)
                expanded.push_back("stripes_" + std::to_string(axis));
        } else if (wanted) {
            expanded.emplace_back(name);
        }
    }
    return expanded;
}

std::vector<double> generate(
    const std::string &distribution, const InputShape &input, std::uint64_t seed)
{
    std::vector<double> values(static_cast<std::size_t>(elementCount(input.shape)));
    const std::string name = input.parameter ? "normal" : distribution;
    const std::string base = name.substr(0, name.find("stripes_") == 0 ? 7 : name.size());
    const auto found = std::find(Names.begin(), Names.end(), base);
    const Kind kind
        = found == Names.end() ? Kind::Normal : static_cast<Kind>(found - Names.begin());
    const std::size_t axis = kind == Kind::Stripes && name.size() > 8
        ? static_cast<std::size_t>(std::stoul(name.substr(8)))
        : 0;
    const bool scaled = !isFloating(input.dtype) && input.dtype != DType::Bool;
    const Filler filler(input, seed);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = filler.at(kind, axis, static_cast<std::int64_t>(i)) * (scaled ? 10 : 1);
        if (input.dtype == DType::Bool)
            values[i] = values[i] > 0;
    }
    return values;
}

} // namespace gpu
