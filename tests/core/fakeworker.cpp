// A worker that speaks the protocol and judges a source by what it says: "// ok 12.5" is ok at that
// time, "// fail VERDICT" fails so, "// die" ends the process, "// slow MS" takes its time.
// Arguments ask for a faulty one.

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

using nlohmann::json;

namespace {
std::string s_mode;

void say(const json &event)
{
    const std::string line = event.dump() + "\n";
    if (s_mode == "--split") {
        for (std::size_t i = 0; i < line.size(); i += 7) {
            std::cout << line.substr(i, 7) << std::flush;
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        return;
    }
    if (s_mode == "--garbage")
        std::cout << "Last login: never\n\n{\"broken\": \n[1,2]\n{\"event\":5}\n";
    std::cout << line << std::flush;
}

std::string wordAfter(const std::string &source, const std::string &mark)
{
    const std::size_t at = source.find(mark);
    if (at == std::string::npos)
        return {};
    const std::size_t begin = at + mark.size();
    return source.substr(begin, source.find_first_of(" \n", begin) - begin);
}

double timeOf(const std::string &source)
{
    const std::string ok = wordAfter(source, "// ok ");
    return ok.empty() ? 50.0 : std::stod(ok);
}

void waitOrDie(const std::string &source)
{
    if (const std::string ms = wordAfter(source, "// slow "); !ms.empty())
        std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(ms)));
    if (source.find("// die") != std::string::npos) {
        std::cerr << "fakeworker: dying as told" << std::endl;
        std::_Exit(9);
    }
}

void compare(const json &request)
{
    const std::string a = request["a"]["source"], b = request["b"]["source"];
    waitOrDie(b);
    const double ratio = timeOf(b) / timeOf(a);
    say({{"id", request["id"]}, {"event", "compared"}, {"pairs", 9},
        {"comparison", ratio < 1 ? "faster" : "slower"},
        {"ratio", {{"value", ratio}, {"low", ratio}, {"high", ratio}}}});
}

void evaluate(const json &request)
{
    const std::string source = request.value("source", "");
    waitOrDie(source);
    say({{"id", request["id"]}, {"event", "stage"}, {"stage", "check"}, {"done", 1}, {"total", 2}});
    json evaluation{{"message", ""}, {"problem", "toy"},
        {"device", {{"kind", "cpu"}, {"name", "Fake CPU"}}}, {"size", request.value("size", "")},
        {"time_us", nullptr}};
    if (const std::string verdict = wordAfter(source, "// fail "); !verdict.empty()) {
        evaluation["verdict"] = verdict;
        evaluation["message"] = "as the test wants it";
    } else {
        const double us = timeOf(source);
        evaluation["verdict"] = "ok";
        evaluation["time_us"]
            = {{"median", us}, {"low", us}, {"high", us}, {"min", us}, {"samples", {us, us}}};
    }
    say({{"id", request["id"]}, {"event", "result"}, {"evaluation", evaluation}});
}
} // namespace

int main(int argc, char **argv)
{
    s_mode = argc > 1 ? argv[1] : "";
    if (s_mode == "--exit")
        return 7;
    if (s_mode == "--silent")
        std::this_thread::sleep_for(std::chrono::seconds(60));
    if (s_mode == "--flood") {
        const std::string line(1 << 16, 'x');
        for (;;)
            std::cout << line;
    }
    say({{"event", "hello"}, {"protocol", s_mode == "--old" ? 0 : 1}, {"version", "test"},
        {"device",
            {{"kind", "cpu"}, {"id", "cpu"}, {"name", "Fake CPU"}, {"architecture", "sm_90"},
                {"sm_count", 2}, {"max_shared", 49152}, {"memory_bytes", 1000}}},
        {"compiler", s_mode == "--no-compiler" ? json() : json("fake")},
        {"missing",
            s_mode == "--no-compiler" ? json{"NVRTC is missing: install it."} : json::array()},
        {"warnings", json::array()}});
    std::string line;
    while (std::getline(std::cin, line)) {
        const json request = json::parse(line, nullptr, false);
        if (!request.is_object())
            continue;
        const std::string op = request.value("op", "");
        if (op == "quit")
            return 0;
        if (op == "load" && s_mode == "--refuse")
            say({{"id", request["id"]}, {"event", "error"}, {"blame", "caller"},
                {"message", "zeros pass its checks"}});
        else if (op == "load")
            say({{"id", request["id"]}, {"event", "loaded"}, {"problem", "toy"}, {"key", "k"}});
        else if (op == "evaluate")
            evaluate(request);
        else if (op == "compare")
            compare(request);
        else if (op == "assembly")
            say({{"id", request["id"]}, {"event", "assembly"}, {"text", ".version 9.0"}});
    }
    return 0;
}
