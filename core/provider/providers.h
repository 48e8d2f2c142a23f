#pragma once

#include "core/provider/provider.h"
#include "core/search/searchconfig.h"
#include "gpu/base/result.h"

#include <memory>

namespace core {

struct Recording;

/// Makes the provider a configuration names: "replay" (the recording that comes with the problem),
/// "replay:FOLDER" or "replay:SESSION". Caller error for an unknown one, a faulty recording, or one
/// of another problem.
gpu::Result<std::unique_ptr<Provider>> makeProvider(
    const QString &provider, const QString &problemId);

/// A configuration with the numbers that its provider's recording was made with; the defaults if
/// it cannot be read.
SearchConfig defaultConfig(const QString &problem, const QString &provider);

} // namespace core
