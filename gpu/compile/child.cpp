#include "gpu/compile/child.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <unistd.h>

namespace gpu {

namespace {
std::string hexFromBytes(const std::string &bytes)
{
    constexpr char Digits[] = "0123456789abcdef";
    std::string hex;
    hex.reserve(2 * bytes.size());
    for (unsigned char byte : bytes) {
        hex += Digits[byte >> 4];
        hex += Digits[byte & 15];
    }
    return hex;
}

int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool bytesFromHex(const std::string &hex, std::string &bytes)
{
    bytes.clear();
    bytes.reserve(hex.size() / 2);
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
        const int high = digit(hex[i]), low = digit(hex[i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes += static_cast<char>(high << 4 | low);
    }
    return hex.size() % 2 == 0;
}

void say(const nlohmann::json &line)
{
    // NVRTC's log may quote bytes of the candidate that are no UTF-8.
    const std::string text
        = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

bool fromJson(const std::string &line, NvrtcJob &job)
{
    try {
        const nlohmann::json json = nlohmann::json::parse(line);
        json.at("source").get_to(job.source);
        json.at("name").get_to(job.name);
        json.at("headers").get_to(job.headers);
        json.at("options").get_to(job.options);
        json.at("expressions").get_to(job.expressions);
        json.at("cubin").get_to(job.wantCubin);
        return true;
    } catch (const nlohmann::json::exception &) {
        return false;
    }
}
} // namespace

nlohmann::json toJson(const NvrtcJob &job)
{
    return {{"source", job.source}, {"name", job.name}, {"headers", job.headers},
        {"options", job.options}, {"expressions", job.expressions}, {"cubin", job.wantCubin}};
}

nlohmann::json toJson(const NvrtcOutput &output)
{
    return {{"ok", output.ok}, {"status", output.status}, {"log", output.log}, {"ptx", output.ptx},
        {"cubin", hexFromBytes(output.cubin)}, {"lowered", output.loweredNames}};
}

bool fromJson(const std::string &line, NvrtcOutput &output)
{
    try {
        const nlohmann::json json = nlohmann::json::parse(line);
        json.at("ok").get_to(output.ok);
        json.at("status").get_to(output.status);
        json.at("log").get_to(output.log);
        json.at("ptx").get_to(output.ptx);
        json.at("lowered").get_to(output.loweredNames);
        return bytesFromHex(json.at("cubin").get<std::string>(), output.cubin);
    } catch (const nlohmann::json::exception &) {
        return false;
    }
}

int compileChildMain(int argumentCount, char **arguments)
{
    if (argumentCount < 1) {
        say({{"error", "--compile-child needs the path of libnvrtc"}});
        return 2;
    }
    const Result<Nvrtc> nvrtc = Nvrtc::open(arguments[0]);
    if (!nvrtc) {
        say({{"error", nvrtc.error().message}});
        return 3;
    }
    // The first compilation of a process pays for NVRTC's own start: done before a job is there.
    const NvrtcOutput warm
        = nvrtc->compile({"__global__ void k() {}", "warm.cu", {}, {}, {}, false});
    if (!warm.ok) {
        say({{"error", "NVRTC cannot compile an empty kernel: " + warm.status + " " + warm.log}});
        return 3;
    }
    say({{"hello", nvrtc->version()}});
    std::string line;
    NvrtcJob job;
    if (std::getline(std::cin, line)) {
        if (!fromJson(line, job)) {
            say({{"error", "the job is no JSON of a compile job"}});
            return 2;
        }
        say(toJson(nvrtc->compile(job)));
    }
    // NVRTC crashes now and then in its exit handlers.
    ::_exit(0);
}

} // namespace gpu
