#include "tests/gpu/conformance/case.h"
#include "tests/gpu/conformance/casecompiler.h"
#include "tests/gpu/conformance/record.h"
#include "tests/gpu/conformance/runners.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string_view>

/// Runs every kernel of a folder on the interpreter and, where there is one, on the GPU, and
/// compares. Exit 0: all agree; 1: something differs or faults; 2: the call is wrong or something
/// is missing.

using namespace gpu;
using namespace gpu::conformance;

namespace {

struct Arguments {
    std::string folder, record, only;
};

Result<Arguments> parse(int count, char **values)
{
    Arguments arguments;
    for (int i = 1; i < count; ++i) {
        const std::string_view option = values[i];
        std::string *target = option == "--record" ? &arguments.record
            : option == "--only"                   ? &arguments.only
                                                   : nullptr;
        if (target && i + 1 < count)
            *target = values[++i];
        else if (!target && arguments.folder.empty() && option.rfind("--", 0) != 0)
            arguments.folder = option;
        else
            return callerError("Bad argument " + std::string(option) + '.');
    }
    if (arguments.folder.empty())
        return callerError("usage: conformance KERNEL_FOLDER [--record FILE] "
                           "[--only NAME]");
    return arguments;
}

struct Session {
    CaseCompiler compiler;
    std::unique_ptr<Device> device; ///< null without a GPU
    nlohmann::json record;
};

/// One line of the report; `ok` decides the exit code.
struct Verdict {
    bool ok = false;
    std::string text;
};

Verdict evaluate(Session &session, const Case &test)
{
    const auto ptx = session.compiler.ptx(test.source, test.options);
    if (!ptx)
        return {false, ptx.error().message};
    const auto cubin = session.compiler.cubin(test.source, test.options);
    if (!cubin)
        return {false, cubin.error().message};
    std::optional<Outputs> truth;
    if (session.device) {
        auto outputs = session.device->run(test, *cubin);
        if (!outputs)
            return {false, "on the GPU: " + outputs.error().message};
        truth = std::move(*outputs);
        addToRecord(session.record, test, *truth);
    }
    const auto outputs = runInterpreted(test, *ptx);
    if (!outputs)
        return {false, "on the interpreter: " + outputs.error().message};
    if (!truth)
        return {true, "ran on the interpreter; no GPU to compare with"};
    if (const auto difference = firstDifference(test, *outputs, *truth))
        return {false, *difference};
    return {true, "agrees"};
}

int fail(const Error &error)
{
    std::fprintf(stderr, "%s\n", error.message.c_str());
    return 2;
}

} // namespace

int main(int argc, char **argv)
{
    // A kernel that never ends must not hold the machine.
    alarm(540);
    const auto arguments = parse(argc, argv);
    if (!arguments)
        return fail(arguments.error());
    const auto cases = readCases(arguments->folder);
    if (!cases)
        return fail(cases.error());
    auto compiler = CaseCompiler::open();
    if (!compiler)
        return fail(compiler.error());
    Session session{std::move(*compiler), nullptr, {}};
    auto device = Device::open();
    if (device)
        session.device = std::move(*device);
    else if (!arguments->record.empty())
        return fail(device.error());
    std::printf("GPU: %s\n",
        device ? session.device->description().c_str() : device.error().message.c_str());
    if (session.device)
        session.record = emptyRecord(session.device->description());

    int failures = 0, total = 0;
    for (const Case &test : *cases) {
        if (!arguments->only.empty() && test.name != arguments->only)
            continue;
        const Verdict verdict = evaluate(session, test);
        std::printf(
            "%-4s %-24s %s\n", verdict.ok ? "ok" : "FAIL", test.name.c_str(), verdict.text.c_str());
        std::fflush(stdout);
        failures += verdict.ok ? 0 : 1;
        ++total;
    }
    std::printf("%d of %d kernels ok\n", total - failures, total);
    if (!arguments->record.empty()) {
        std::ofstream file(arguments->record);
        file << session.record.dump(1) << '\n';
        if (!file)
            return fail(environmentError("Cannot write " + arguments->record + '.'));
    }
    return failures || total == 0 ? 1 : 0;
}
