#include "gpu/base/files.h"
#include "ptxrun.h"
#include "tests/gpu/conformance/case.h"
#include "tests/gpu/conformance/casecompiler.h"

#include <QtTest>

#include <random>

using namespace gpu;

namespace {

/// Kernels and mutations of each; ESPALIER_FUZZ multiplies them.
constexpr int MutationsOfEach = 60;
constexpr std::uint64_t Budget = 3000;

/// Words, numbers, punctuation and the space between them.
std::vector<std::string_view> pieces(std::string_view text)
{
    const auto isWord = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%'
            || c == '$';
    };
    std::vector<std::string_view> result;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        if (isWord(text[at]))
            while (end < text.size() && isWord(text[end]))
                ++end;
        result.push_back(text.substr(at, end - at));
        at = end;
    }
    return result;
}

class Mutator {
public:
    explicit Mutator(unsigned seed)
        : m_random(seed)
    {
    }

    std::string mutate(const std::string &text)
    {
        std::string result = text;
        for (std::size_t n = 1 + below(3); n > 0; --n)
            result = once(result);
        return result;
    }

private:
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : m_random() % limit; }

    std::string once(const std::string &text)
    {
        if (below(8) == 0)
            return flipByte(text);
        std::vector<std::string_view> all = pieces(text);
        if (all.size() < 2)
            return text;
        const std::size_t a = word(all), b = word(all);
        static constexpr std::string_view Oddities[] = {"0", "-1", "4294967295", "65537", "{", "}",
            "[", "]", "(", ")", ";", ":", "@%p1", "0x8000000000000000", "0f7FC00000", "%tid.x",
            ".pred", ".b128", ".v4", ".align", "99999999999999999999", "_", "|", "!", "<", ">"};
        switch (below(6)) {
        case 0:
            all.erase(all.begin() + std::ptrdiff_t(a));
            break;
        case 1:
            all.insert(all.begin() + std::ptrdiff_t(a), all[a]);
            break;
        case 2:
            std::swap(all[a], all[b]);
            break;
        case 3:
            all[a] = all[b];
            break;
        case 4:
            all[a] = Oddities[below(std::size(Oddities))];
            break;
        default:
            // Everything from one place to another a little later.
            all.erase(all.begin() + std::ptrdiff_t(a),
                all.begin() + std::ptrdiff_t(std::min(all.size(), a + below(40))));
        }
        std::string result;
        for (const std::string_view piece : all)
            result += piece;
        return result;
    }

    std::string flipByte(std::string text)
    {
        if (!text.empty())
            text[below(text.size())] ^= char(1u << below(8));
        return text;
    }

    std::size_t word(const std::vector<std::string_view> &all)
    {
        std::size_t at = below(all.size());
        for (int tries = 0; tries < 20 && (all[at] == " " || all[at] == "\n"); ++tries)
            at = below(all.size());
        return at;
    }

    std::mt19937 m_random;
};

/// Decodes and, if that succeeds, runs every kernel for a moment with a buffer behind each pointer.
/// Any error and any fault is right; what counts is to come back.
void runShortly(const std::string &text)
{
    const auto program = ptx::decode(text);
    if (!program) {
        QVERIFY(!program.error().message.empty());
        return;
    }
    for (const ptx::KernelInfo &kernel : ptx::kernels(**program)) {
        ptx::GlobalMemory memory(std::uint64_t(1) << 26);
        const auto instance = ptx::Instance::load(*program, memory);
        if (!instance)
            return;
        const auto buffer = memory.allocate(1 << 16, "buffer");
        QVERIFY(buffer);
        std::memset(memory.contents(*buffer).data(), 0, 1 << 16);
        ptx::Launch launch;
        launch.kernel = kernel.name;
        launch.grid = {2, 1, 1};
        launch.block = {std::min(48u, kernel.maxThreadsPerBlock), 1, 1};
        launch.dynamicSharedBytes = 256;
        if (kernel.parameterBytes > 65536)
            continue;
        launch.parameters.resize(kernel.parameterBytes);
        for (const ptx::ParameterInfo &parameter : kernel.parameters) {
            const std::uint64_t value = parameter.sizeBytes == 8 ? *buffer : 37;
            std::memcpy(launch.parameters.data() + parameter.offset, &value,
                std::min<std::size_t>(parameter.sizeBytes, 8));
        }
        ptx::ExecutionOptions options;
        options.instructionBudget = Budget;
        options.threads = 1;
        options.checked = kernel.name.size() % 2;
        options.maxSharedBytes = 1 << 16;
        const auto fault = ptx::run(**instance, memory, launch, options);
        QVERIFY(!fault || !fault->message.empty());
    }
}

} // namespace

/// Damaged PTX is an error or a fault, never a crash, a hang or a sanitizer's report.
class TestPtxFuzz : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase()
    {
        const auto text = readFile(SOURCE_DIR "/tests/gpu/data/matmul.ptx");
        QVERIFY(text);
        m_texts.push_back(*text);
        const auto compiler = conformance::CaseCompiler::open();
        QVERIFY2(compiler, compiler ? "" : compiler.error().message.c_str());
        const auto cases = conformance::readCases(SOURCE_DIR "/tests/gpu/conformance/kernels");
        QVERIFY2(cases, cases ? "" : cases.error().message.c_str());
        for (const conformance::Case &test : *cases) {
            if (!m_few.contains(QString::fromStdString(test.name)) && multiplier() == 1)
                continue;
            const auto ptx = compiler->ptx(test.source, test.options);
            QVERIFY2(ptx, ptx ? "" : ptx.error().message.c_str());
            m_texts.push_back(*ptx);
        }
        QVERIFY(m_texts.size() > std::size_t(m_few.size()));
    }

    void mutations()
    {
        for (std::size_t i = 0; i < m_texts.size(); ++i) {
            Mutator mutator(unsigned(1000 + i));
            for (int n = 0; n < MutationsOfEach * multiplier(); ++n)
                runShortly(mutator.mutate(m_texts[i]));
        }
    }

    void handWritten()
    {
        // Short, so that most mutations hit something that matters.
        const std::string text = PtxRun::kernel(
            "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra L;\n"
            "mov.b64 {%r2, %r3}, %o;\nld.global.v2.u32 {%r4, %r5}, [%o+8];\n"
            "atom.global.cas.b32 %r6, [%o], %r4, %r5;\nL:\nbar.sync 0;\n"
            "shfl.sync.up.b32 %r7|%p2, %r1, 1, 0, -1;\nvote.sync.ballot.b32 %r8, %p2, -1;\n"
            "{\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [a], %o;\ncall (r), f, (a);\n"
            "ld.param.b32 %r9, [r];\n}\nts: .branchtargets A, B;\nand.b32 %r1, %r1, 1;\n"
            "brx.idx %r1, ts;\nA:\nst.shared.v4.f32 [s], {%f1, %f2, %f3, 0f3F800000};\nB:\n"
            "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [s];\n"
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11}, "
            "{%r1}, {%f1, %f2, %f3, %f4};\ncvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;\n"
            "mbarrier.init.shared.b64 [s], 1;\ncp.async.ca.shared.global [s], [%o], 16;\n"
            "st.local.u64 [l], %rd1;\nprmt.b32 %r1, %r2, %r3, 0x1234;\nadd.cc.u32 %r1, %r1, %r1;",
            ".shared .align 16 .b8 s[64];\n.const .u32 c[2] = {1, 2};\n"
            ".global .u64 g = generic(c)+4;\n"
            ".func (.param .b32 r) f(.param .b64 a)\n{\n.local .b8 l[8];\n.reg .b64 %x;\n"
            "ld.param.b64 %x, [a];\nst.local.b64 [l], %x;\nst.param.b32 [r], 3;\nret;\n}\n");
        Mutator mutator(1);
        for (int n = 0; n < 1500 * multiplier(); ++n)
            runShortly(mutator.mutate(text));
    }

private:
    static int multiplier() { return std::max(1, qEnvironmentVariableIntValue("ESPALIER_FUZZ")); }

    const QStringList m_few{QStringLiteral("calls"), QStringLiteral("cp_async"),
        QStringLiteral("switch_table"), QStringLiteral("local_arrays"),
        QStringLiteral("warp_functions"), QStringLiteral("mma_types"),
        QStringLiteral("vectors_constants")};
    std::vector<std::string> m_texts;
};

QTEST_GUILESS_MAIN(TestPtxFuzz)
#include "tst_ptx_fuzz.moc"
