#pragma once

#include "gpu/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <QString>

namespace core {

/// What the command line ends with (design §8).
enum class ExitCode { Done = 0, AnswerIsNo = 1, WrongCall = 2, Environment = 3 };

/// The code for an error of this blame.
ExitCode exitCode(gpu::Blame blame);
/// Tells an error on standard error and gives its code.
ExitCode fail(const gpu::Error &error);
/// One line on standard error, as `espalier: …`.
void complain(const QString &message);
/// A document on standard output.
void print(const nlohmann::json &document);
void print(const QString &text);

} // namespace core
