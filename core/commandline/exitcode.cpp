#include "core/commandline/exitcode.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace core {

ExitCode exitCode(gpu::Blame blame)
{
    switch (blame) {
    case gpu::Blame::Caller:
        return ExitCode::WrongCall;
    case gpu::Blame::Candidate:
        return ExitCode::AnswerIsNo;
    case gpu::Blame::Environment:
        return ExitCode::Environment;
    }
    return ExitCode::Environment;
}

ExitCode fail(const gpu::Error &error)
{
    complain(QString::fromStdString(error.message));
    return exitCode(error.blame);
}

void complain(const QString &message)
{
    std::fprintf(stderr, "espalier: %s\n", message.toUtf8().constData());
}

void print(const nlohmann::json &document)
{
    const std::string text = document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    std::fputs((text + "\n").c_str(), stdout);
    std::fflush(stdout);
}

void print(const QString &text)
{
    std::fputs(QString(text + QLatin1Char('\n')).toUtf8().constData(), stdout);
    std::fflush(stdout);
}

} // namespace core
