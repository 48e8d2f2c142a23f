#include "core/commandline/exportcommand.h"

namespace core {

ExitCode exportCommand(const ExportOptions &options)
{
    if (const gpu::Status status = exportSession(options); !status)
        return fail(status.error());
    complain(QStringLiteral("wrote %1").arg(options.out));
    return ExitCode::Done;
}

} // namespace core
