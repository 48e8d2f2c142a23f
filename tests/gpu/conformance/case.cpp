#include "tests/gpu/conformance/case.h"

#include "gpu/ptx/numeric.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace gpu::conformance {

namespace {

using nlohmann::json;

/// The finaliser of splitmix64: the same inputs everywhere, whatever the standard library.
std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

std::uint64_t encode(DType type, double value)
{
    switch (type) {
    case DType::F64:
        return std::bit_cast<std::uint64_t>(value);
    case DType::F32:
        return std::bit_cast<std::uint32_t>(ptx::f64ToF32(value, ptx::Rounding::Rn));
    case DType::F16:
        return ptx::encodeFloat(ptx::format::F16, value, ptx::Rounding::Rn);
    case DType::BF16:
        return ptx::encodeFloat(ptx::format::BF16, value, ptx::Rounding::Rn);
    default:
        return std::uint64_t(std::int64_t(value));
    }
}

double decode(DType type, std::uint64_t bits)
{
    switch (type) {
    case DType::F64:
        return std::bit_cast<double>(bits);
    case DType::F32:
        return std::bit_cast<float>(std::uint32_t(bits));
    case DType::F16:
        return ptx::decodeFloat(ptx::format::F16, bits);
    case DType::BF16:
        return ptx::decodeFloat(ptx::format::BF16, bits);
    default:
        return double(std::int64_t(bits));
    }
}

/// Values where rules differ: zeros, ties, limits of each format and of the integers, NaN.
std::uint64_t edge(DType type, std::uint64_t hash)
{
    constexpr double Inf = std::numeric_limits<double>::infinity();
    static const double Floats[] = {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3.0, 7.0,
        1e-3, 65504.0, 65520.0, 2049.0, 0x1p-14, 0x1p-24, 0x1.8p-25, 0x1p-126, 0x1p-127, 0x1p-149,
        0x1.fffffep127, 0x1p31, -0x1p31, 0x1.fffffep30, 0x1p32, 0x1p63, 4294967040.0, 16777217.0,
        1.0 + 0x1p-23, 1.0 - 0x1p-24, 0x1p-1022, 0x1p-1074, 448.0, 464.0, 0x1p-9, Inf, -Inf,
        std::bit_cast<double>(0xfff8000000000000u)};
    static const std::uint64_t Integers[]
        = {0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff,
            0x7fffffff, 0x80000000, 0xffffffff, 0xffffffff00000000, 0x7fffffffffffffff,
            0x8000000000000000, 0xffffffffffffffff, 0xfffffffffffffffe, 0x55555555, 0xaaaaaaaa};
    return isFloating(type) ? encode(type, Floats[hash % std::size(Floats)])
                            : Integers[hash % std::size(Integers)];
}

/// A random pattern that is not a NaN, so that no payload rule decides.
std::uint64_t pattern(DType type, std::uint64_t hash)
{
    if (type == DType::F64 && std::isnan(decode(type, hash)))
        hash &= ~(std::uint64_t(1) << 62);
    if (type == DType::F32 && std::isnan(decode(type, hash)))
        hash &= ~(std::uint64_t(1) << 30);
    if ((type == DType::F16 || type == DType::BF16) && std::isnan(decode(type, hash & 0xffff)))
        hash &= ~(std::uint64_t(1) << 14);
    return hash;
}

std::optional<std::uint64_t> element(
    const std::string &fill, DType type, std::uint64_t index, std::uint64_t seed)
{
    const std::uint64_t hash = mix(index ^ mix(seed));
    const double unit = double(hash >> 11) * 0x1p-53;
    if (fill == "zero")
        return 0;
    if (fill == "index")
        return encode(type, double(index));
    if (fill == "bits")
        return pattern(type, hash);
    if (fill == "edges")
        return hash & 1 ? edge(type, hash >> 8) : pattern(type, mix(hash));
    if (fill == "unit")
        return encode(type, 2 * unit - 1);
    if (fill == "positive")
        return encode(type, unit + 0x1p-10);
    if (fill == "wide")
        return encode(type, 40 * (2 * unit - 1));
    if (fill == "small")
        return encode(type, double(hash % 9) - 4);
    return std::nullopt;
}

Error badPlan(const std::string &name, const std::string &what)
{
    return callerError(name + ": the plan in the leading comment " + what + ".");
}

Result<Argument> readArgument(const std::string &test, const json &entry)
{
    Argument argument;
    const auto type = dtypeFromName(entry.at("type").get<std::string>());
    if (!type)
        return badPlan(test, "names an unknown type");
    argument.type = *type;
    const std::size_t size = sizeInBytes(*type);
    if (entry.contains("value")) {
        const std::uint64_t bits = encode(*type, entry.at("value").get<double>());
        argument.bytes.resize(size);
        std::memcpy(argument.bytes.data(), &bits, size);
        return argument;
    }
    argument.buffer = true;
    argument.name = entry.at("name").get<std::string>();
    argument.output = entry.value("output", false);
    argument.relative = entry.value("relative", 0.0);
    argument.absolute = entry.value("absolute", 0.0);
    const std::string fill = entry.value("fill", "zero");
    const auto count = entry.at("count").get<std::size_t>();
    const std::uint64_t seed = hashOf(argument.name.data(), argument.name.size());
    argument.bytes.resize(count * size);
    for (std::size_t i = 0; i < count; ++i) {
        const auto bits = element(fill, *type, i, seed);
        if (!bits)
            return badPlan(test, "asks for the unknown fill \"" + fill + '"');
        std::memcpy(argument.bytes.data() + i * size, &*bits, size);
    }
    return argument;
}

Dim3 readDim3(const json &list)
{
    return {list.at(0).get<std::uint32_t>(), list.size() > 1 ? list.at(1).get<std::uint32_t>() : 1,
        list.size() > 2 ? list.at(2).get<std::uint32_t>() : 1};
}

std::uint64_t loadElement(const std::vector<std::byte> &bytes, std::size_t index, std::size_t size)
{
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + index * size, size);
    return value;
}

std::string describe(DType type, std::uint64_t bits)
{
    std::ostringstream text;
    text << "0x" << std::hex << bits;
    if (isFloating(type)) {
        text.precision(9);
        text << " (" << std::defaultfloat << decode(type, bits) << ')';
    }
    return text.str();
}

} // namespace

Result<Case> readCase(const std::filesystem::path &path)
{
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    Case test;
    test.name = path.stem().string();
    test.source = text.str();
    constexpr std::string_view Start = "/* plan\n";
    const std::size_t end = test.source.find("*/");
    if (!file || test.source.rfind(Start, 0) != 0 || end == std::string::npos)
        return badPlan(test.name, "is missing");
    try {
        const json plan = json::parse(test.source.substr(Start.size(), end - Start.size()));
        test.kernel = plan.at("kernel").get<std::string>();
        test.grid = readDim3(plan.at("grid"));
        test.block = readDim3(plan.at("block"));
        test.sharedBytes = plan.value("shared", 0u);
        test.cooperative = plan.value("cooperative", false);
        test.options = plan.value("options", std::vector<std::string>());
        for (const json &entry : plan.at("args")) {
            auto argument = readArgument(test.name, entry);
            if (!argument)
                return argument.error();
            test.arguments.push_back(std::move(*argument));
        }
    } catch (const json::exception &error) {
        return badPlan(test.name, std::string("does not parse: ") + error.what());
    }
    if (outputArguments(test).empty())
        return badPlan(test.name, "has no output");
    return test;
}

Result<std::vector<Case>> readCases(const std::filesystem::path &folder)
{
    std::vector<std::filesystem::path> paths;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".cu")
            paths.push_back(entry.path());
    if (paths.empty())
        return callerError("There is no .cu file in " + folder.string() + '.');
    std::sort(paths.begin(), paths.end());
    std::vector<Case> cases;
    for (const auto &path : paths) {
        auto test = readCase(path);
        if (!test)
            return test.error();
        cases.push_back(std::move(*test));
    }
    return cases;
}

bool isExact(const Argument &argument)
{
    return argument.relative == 0 && argument.absolute == 0;
}

std::vector<const Argument *> outputArguments(const Case &test)
{
    std::vector<const Argument *> outputs;
    for (const Argument &argument : test.arguments)
        if (argument.output)
            outputs.push_back(&argument);
    return outputs;
}

std::uint64_t hashOf(const void *data, std::size_t size)
{
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (std::size_t i = 0; i < size; ++i)
        hash = (hash ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3u;
    return hash;
}

std::optional<std::string> firstDifference(
    const Argument &argument, const std::vector<std::byte> &got, const std::vector<std::byte> &want)
{
    const std::size_t size = sizeInBytes(argument.type);
    if (got.size() != want.size())
        return argument.name + " has another size";
    std::size_t different = 0, first = 0;
    for (std::size_t i = 0; i < got.size() / size; ++i) {
        const std::uint64_t x = loadElement(got, i, size), y = loadElement(want, i, size);
        if (x == y)
            continue;
        if (!isExact(argument)) {
            const double a = decode(argument.type, x), b = decode(argument.type, y);
            if ((std::isnan(a) && std::isnan(b))
                || std::fabs(a - b) <= argument.absolute + argument.relative * std::fabs(b))
                continue;
        }
        first = different++ == 0 ? i : first;
    }
    if (different == 0)
        return std::nullopt;
    return argument.name + '[' + std::to_string(first) + "]: interpreter "
        + describe(argument.type, loadElement(got, first, size)) + ", GPU "
        + describe(argument.type, loadElement(want, first, size)) + "; " + std::to_string(different)
        + " of " + std::to_string(got.size() / size) + " differ";
}

std::optional<std::string> firstDifference(
    const Case &test, const Outputs &got, const Outputs &want)
{
    const auto arguments = outputArguments(test);
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (auto difference = firstDifference(*arguments[i], got[i], want[i]))
            return difference;
    return std::nullopt;
}

} // namespace gpu::conformance
