#include "ptxharness.h"

namespace ptxtest {

namespace {

constexpr std::size_t InBytes = 32, OutBytes = 16;
constexpr u64 Untouched = 0x5a5a5a5a5a5a5a5au;
constexpr const char *SourceNames[] = {"%a", "%b", "%c", "%e"};
constexpr const char *ResultNames[] = {"%d", "%q"};

template <class T> std::vector<u64> integers(std::size_t operands)
{
    std::vector<T> values
        = {0, 1, T(~T(0)), T(T(1) << (8 * sizeof(T) - 1)), T(T(~T(0)) >> 1), 31, 32, 33, 0x1234};
    if (operands < 4)
        for (const unsigned more : {2u, 7u, 16u, 63u, 64u, 255u, 256u})
            values.push_back(T(more));
    if (operands < 3) {
        for (const u64 more : {u64(0x7fff), u64(0x8000), u64(0xffff), u64(0x00ff00ff),
                 u64(0x80808080), u64(0x7fffff), u64(0x800000), u64(0xffffff), u64(0x80000000),
                 u64(0x7fffffff), u64(0xffffffff), u64(0x100000000), u64(0xaaaaaaaaaaaaaaaa)})
            values.push_back(T(more));
        for (const int more : {-2, -31, -128, -129, -255, -256})
            values.push_back(T(more));
    }
    return {values.begin(), values.end()};
}

std::vector<u64> singles(std::size_t operands)
{
    constexpr float Inf = std::numeric_limits<float>::infinity();
    std::vector<float> values
        = {0.0f, -0.0f, 1.0f, -1.0f, 0x1p-149f, -0x1.fffffcp-127f, 0x1p-126f, Inf, -Inf,
            std::bit_cast<float>(0x7fc00000u), 0x1.fffffep127f, 0x1.000002p0f, -0x1.5bf0a8p1f};
    if (operands < 3)
        for (const float more : {0.5f, -0.5f, 1.5f, -2.5f, 2.0f, -0x1.fffffep127f, 0x1p-127f,
                 -0x1p-126f, 0x1.8p126f, 0x1p64f, 0x1p-64f, -0x1p24f, 0x1.fffffep-1f, 0x1p-25f,
                 3.0f, -7.0f, 0x1.fffffep23f, 100.25f, -88.75f, 1e-10f, 0x1.921fb6p1f,
                 std::bit_cast<float>(0xff800001u), std::bit_cast<float>(0x7fbfffffu)})
            values.push_back(more);
    std::vector<u64> bits;
    for (const float value : values)
        bits.push_back(std::bit_cast<u32>(value));
    return bits;
}

std::vector<u64> doubles(std::size_t operands)
{
    constexpr double Inf = std::numeric_limits<double>::infinity();
    std::vector<double> values = {0.0, -0.0, 1.0, -1.0, 0x1p-1074, -0x1.8p-1023, 0x1p-1022, Inf,
        -Inf, std::bit_cast<double>(u64(0x7ff8000000000000)), 0x1.fffffffffffffp1023,
        0x1.0000000000001p0, -0x1.5bf0a8b145769p1};
    if (operands < 3)
        for (const double more : {0.5, -0.5, 1.5, -2.5, 2.0, -0x1.fffffffffffffp1023, 0x1p-149,
                 0x1.8p-150, -0x1p-126, 0x1.fffffefp127, 0x1p53, -0x1p31, 0x1.fffffffcp30, 3.0,
                 0x1.000001p0, 0x1.0000010000001p0, -65520.0, 65519.99, 1e300, 1e-300, 100.25,
                 0x1.921fb54442d18p1, std::bit_cast<double>(u64(0xfff0000000000001))})
            values.push_back(more);
    std::vector<u64> bits;
    for (const double value : values)
        bits.push_back(std::bit_cast<u64>(value));
    return bits;
}

std::vector<u64> halves(std::size_t operands, bool brain)
{
    // 0, 1, subnormals, the largest, infinity, NaN, 1+ulp, -3.14, then more of each size.
    std::vector<u64> values = brain ? std::vector<u64>{0, 0x8000, 0x3f80, 0xbf80, 1, 0x807f, 0x80,
                                  0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x3f81, 0xc049}
                                    : std::vector<u64>{0, 0x8000, 0x3c00, 0xbc00, 1, 0x83ff, 0x400,
                                        0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3c01, 0xc248};
    if (operands < 3) {
        std::mt19937 random(7);
        for (int i = 0; i < 24; ++i)
            values.push_back(random() & 0xffffu);
        values.push_back(0xffffu);
        values.push_back(brain ? 0x7f81u : 0x7c01u);
    }
    return values;
}

u64 randomBits(Kind kind, std::mt19937_64 &random)
{
    const u64 bits = random();
    switch (kind) {
    case Kind::Predicate:
        return bits & 1;
    case Kind::Single:
        // Half of them near 1, where sums and products round.
        return bits >> 63 ? u32(bits)
                          : (u32(bits) & 0x807fffffu) | ((118u + u32(bits >> 40) % 20u) << 23);
    case Kind::Double:
        return random() & 1 ? bits : (bits & 0x800fffffffffffffu) | (u64(1013 + bits % 20) << 52);
    case Kind::Int64:
        return bits;
    case Kind::Int32:
    case Kind::F16x2:
    case Kind::BF16x2:
        return u32(bits);
    default:
        return u16(bits);
    }
}

std::vector<Row> inputsOf(const Op &op)
{
    if (!op.rows.empty())
        return op.rows;
    std::vector<Row> rows(1);
    for (std::size_t i = 0; i < op.sources.size(); ++i) {
        std::vector<Row> next;
        for (const auto &row : rows)
            for (const u64 value : edges(op.sources[i], op.sources.size())) {
                next.push_back(row);
                next.back()[i] = value;
            }
        rows = std::move(next);
    }
    std::mt19937_64 random(op.sources.size());
    for (int n = 0; n < 512; ++n) {
        Row row{};
        for (std::size_t i = 0; i < op.sources.size(); ++i)
            row[i] = randomBits(op.sources[i], random);
        rows.push_back(row);
    }
    for (const u64 value : op.more)
        rows.push_back({value, 0, 0, 0});
    while (rows.size() % 32)
        rows.push_back(rows.front());
    return rows;
}

/// Every thread runs the instruction; with `odd`, lanes with an even index jump over it.
std::string kernelOf(const Op &op, bool odd)
{
    std::string text
        = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 buffer,"
          ".param .u64 results)\n{\n.reg .b64 %ia, %oa, %wide;\n.reg .b32 %i, %x, %y;\n"
          ".reg .pred %even;\n.reg .b32 %active;\n";
    text += odd ? "mov.b32 %active, 0xaaaaaaaa;\n" : "mov.b32 %active, 0xffffffff;\n";
    for (std::size_t i = 0; i < op.sources.size(); ++i)
        text += std::string(".reg .") + registerType(op.sources[i]) + " " + SourceNames[i] + ";\n";
    for (std::size_t i = 0; i < op.results.size(); ++i)
        text += std::string(".reg .") + registerType(op.results[i]) + " " + ResultNames[i] + ";\n";
    text += "ld.param.u64 %ia, [buffer];\nld.param.u64 %oa, [results];\nmov.u32 %i, %ctaid.x;\n"
            "mov.u32 %x, %ntid.x;\nmov.u32 %y, %tid.x;\nmad.lo.u32 %i, %i, %x, %y;\n"
            "mad.wide.u32 %ia, %i, 32, %ia;\nmad.wide.u32 %oa, %i, 16, %oa;\n";
    const auto load = [&](const char *name, Kind kind, const std::string &from) {
        if (kind == Kind::Predicate)
            text += "ld.global.b32 %x, " + from + ";\nsetp.ne.u32 " + name + ", %x, 0;\n";
        else
            text += std::string("ld.global.") + registerType(kind) + " " + name + ", " + from
                + ";\n";
    };
    for (std::size_t i = 0; i < op.sources.size(); ++i)
        load(SourceNames[i], op.sources[i], "[%ia+" + std::to_string(8 * i) + "]");
    for (std::size_t i = 0; i < op.results.size(); ++i)
        load(ResultNames[i], op.results[i], "[%oa+" + std::to_string(8 * i) + "]");
    if (odd)
        text += "and.b32 %x, %y, 1;\nsetp.eq.u32 %even, %x, 0;\n@%even bra SKIP;\n";
    text += op.text.toStdString() + (op.text.endsWith("\n}") ? "\n" : ";\n");
    if (odd)
        text += "SKIP:\n";
    for (std::size_t i = 0; i < op.results.size(); ++i) {
        const std::string to = "[%oa+" + std::to_string(8 * i) + "], ";
        if (op.results[i] == Kind::Predicate)
            text += std::string("selp.u32 %x, 1, 0, ") + ResultNames[i] + ";\nst.global.b32 " + to
                + "%x;\n";
        else
            text += std::string("st.global.") + registerType(op.results[i]) + " " + to
                + ResultNames[i] + ";\n";
    }
    return text + "ret;\n}\n";
}

u64 widthMask(Kind kind)
{
    switch (kind) {
    case Kind::Predicate:
    case Kind::Int32:
    case Kind::Single:
    case Kind::F16x2:
    case Kind::BF16x2:
        return 0xffffffffu;
    case Kind::Int64:
    case Kind::Double:
        return ~u64(0);
    default:
        return 0xffffu;
    }
}

bool isNan(Kind kind, u64 bits)
{
    switch (kind) {
    case Kind::Single:
        return std::isnan(fromBits<float>(bits));
    case Kind::Double:
        return std::isnan(fromBits<double>(bits));
    case Kind::F16:
        return (bits & 0x7fffu) > 0x7c00u;
    case Kind::BF16:
        return (bits & 0x7fffu) > 0x7f80u;
    default:
        return false;
    }
}

double number(Kind kind, u64 bits)
{
    switch (kind) {
    case Kind::Single:
        return fromBits<float>(bits);
    case Kind::Double:
        return fromBits<double>(bits);
    case Kind::BF16:
        return fromBits<float>(bits << 16);
    default:
        return double(std::bit_cast<_Float16>(u16(bits)));
    }
}

/// A NaN that f32, f16 or bf16 arithmetic makes is canonical, unless the ISA leaves it open.
bool agrees(Kind kind, u64 got, const Wanted &want)
{
    if (kind == Kind::F16x2 || kind == Kind::BF16x2) {
        const Kind half = kind == Kind::F16x2 ? Kind::F16 : Kind::BF16;
        Wanted high = want;
        high.bits >>= 16;
        Wanted low = want;
        low.bits &= 0xffffu;
        return agrees(half, got & 0xffffu, low) && agrees(half, got >> 16, high);
    }
    if (isNan(kind, want.bits)) {
        const u64 canonical = kind == Kind::F16 || kind == Kind::BF16 ? 0x7fffu : 0x7fffffffu;
        return want.anyNan ? isNan(kind, got) : got == canonical;
    }
    if (got == want.bits || (want.relative == 0 && want.absolute == 0))
        return got == want.bits;
    const double error = std::fabs(number(kind, got) - want.value);
    return error <= want.absolute || error <= want.relative * std::fabs(want.value);
}

QString hex(u64 value)
{
    return QStringLiteral("0x%1").arg(value, 0, 16);
}

QString name(const char *text)
{
    return QString::fromLatin1(text);
}

QString runOnce(const Op &op, const std::vector<Row> &rows, bool odd)
{
    const auto program = gpu::ptx::decode(kernelOf(op, odd));
    if (!program)
        return QString::fromStdString(program.error().message);
    gpu::ptx::GlobalMemory memory(std::uint64_t(1) << 30);
    const auto instance = gpu::ptx::Instance::load(*program, memory);
    if (!instance)
        return QString::fromStdString(instance.error().message);
    const u64 in = *memory.allocate(rows.size() * InBytes, "in");
    const u64 out = *memory.allocate(rows.size() * OutBytes, "out");
    std::memcpy(memory.contents(in).data(), rows.data(), rows.size() * InBytes);
    std::memset(memory.contents(out).data(), int(Untouched & 0xff), rows.size() * OutBytes);
    gpu::ptx::Launch launch;
    launch.kernel = "k";
    launch.block = {32, 1, 1};
    launch.grid = {u32(rows.size() / 32), 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &in, 8);
    std::memcpy(launch.parameters.data() + 8, &out, 8);
    gpu::ptx::ExecutionOptions options;
    options.threads = 1;
    if (const auto fault = gpu::ptx::run(**instance, memory, launch, options))
        return QString::fromStdString(fault->message);
    const std::byte *results = memory.contents(out).data();
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const bool skipped = odd && row % 2 == 0;
        Wanted wants[2];
        const auto lane = unsigned(row % 32);
        if (op.define)
            op.define(rows[row].data(), wants);
        else if (!skipped
            && !op.defineLane(&rows[row - lane], lane, odd ? 0xaaaaaaaau : 0xffffffffu, wants))
            continue;
        for (std::size_t k = 0; k < op.results.size(); ++k) {
            const Kind kind = op.results[k];
            u64 got = 0;
            std::memcpy(&got, results + row * OutBytes + 8 * k, 8);
            got &= widthMask(kind);
            const u64 kept = kind == Kind::Predicate ? 1 : Untouched & widthMask(kind);
            if (skipped ? got == kept : agrees(kind, got, wants[k]))
                continue;
            QString inputs;
            for (std::size_t i = 0; i < op.sources.size(); ++i)
                inputs += QStringLiteral(" %1 = %2").arg(name(SourceNames[i]), hex(rows[row][i]));
            return QStringLiteral("%1 for%2 gives %3 = %4, not %5%6")
                .arg(name(op.text.constData()), inputs, name(ResultNames[k]), hex(got),
                    hex(skipped ? kept : wants[k].bits),
                    odd ? QStringLiteral(" (every other lane)") : QString());
        }
    }
    return {};
}

} // namespace

std::vector<u64> edges(Kind kind, std::size_t operands)
{
    switch (kind) {
    case Kind::Predicate:
        return {0, 1};
    case Kind::Int16:
        return integers<u16>(operands);
    case Kind::Int32:
        return integers<u32>(operands);
    case Kind::Int64:
        return integers<u64>(operands);
    case Kind::Double:
        return doubles(operands);
    case Kind::F16:
    case Kind::BF16:
        return halves(operands, kind == Kind::BF16);
    case Kind::F16x2:
    case Kind::BF16x2: {
        // Each value beside another one of the list.
        std::vector<u64> values = halves(operands, kind == Kind::BF16x2);
        const std::vector<u64> ones = values;
        for (std::size_t i = 0; i < ones.size(); ++i)
            values[i] |= ones[(5 * i + 3) % ones.size()] << 16;
        return values;
    }
    default:
        return singles(operands);
    }
}

QString firstDifference(const Op &op)
{
    const auto rows = inputsOf(op);
    const QString all = runOnce(op, rows, false);
    return all.isEmpty() ? runOnce(op, rows, true) : all;
}

} // namespace ptxtest
