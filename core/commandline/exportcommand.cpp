#include "core/commandline/exportcommand.h"

#include "core/exporting/cuexport.h"
#include "core/exporting/htmlexport.h"

#include <QSaveFile>

namespace core {

ExitCode exportCommand(const ExportOptions &options)
{
    const bool isCu = options.format == QLatin1String("cu");
    if (!isCu && options.format != QLatin1String("html"))
        return fail(
            gpu::callerError(QStringLiteral("The format `%1` is not supported yet: use cu or html.")
                                 .arg(options.format)
                                 .toStdString()));
    StoredSession session;
    if (gpu::Status status = session.load(options.session); !status)
        return fail(status.error());
    const gpu::Result<NodeId> node = session.find(options.node);
    // A report tells of a search without a winner too.
    const bool needsNode = isCu || options.node != QLatin1String("best");
    if (!node && needsNode)
        return fail(node.error());
    const gpu::Result<QString> text
        = isCu ? cuExport(session, *node) : htmlExport(session, node ? *node : NodeId(0));
    if (!text)
        return fail(text.error());
    // A disk that fills up must not leave half a file in the place of a whole one.
    QSaveFile file(options.out);
    const QByteArray bytes = text->toUtf8();
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return fail(gpu::environmentError(
            QStringLiteral("%1 cannot be written: %2. Check that its folder exists, may be written "
                           "and has space.")
                .arg(options.out, file.errorString())
                .toStdString()));
    complain(QStringLiteral("wrote %1").arg(options.out));
    return ExitCode::Done;
}

} // namespace core
