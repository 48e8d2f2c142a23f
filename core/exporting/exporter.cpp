#include "core/exporting/exporter.h"

#include "core/exporting/cuexport.h"
#include "core/exporting/htmlexport.h"

#include <QSaveFile>

namespace core {

gpu::Status writeFile(const QString &path, const QByteArray &bytes)
{
    // A disk that fills up must not leave half a file in the place of a whole one.
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit())
        return gpu::Unit{};
    return gpu::environmentError(
        QStringLiteral("%1 cannot be written: %2. Check that its folder exists, may be written "
                       "and has space.")
            .arg(path, file.errorString())
            .toStdString());
}

gpu::Status exportSession(const ExportOptions &options)
{
    const bool isCu = options.format == QLatin1String("cu");
    if (!isCu && options.format != QLatin1String("html"))
        return gpu::callerError(
            QStringLiteral("The format `%1` is not supported yet: use cu or html.")
                .arg(options.format)
                .toStdString());
    StoredSession session;
    if (gpu::Status status = session.load(options.session); !status)
        return status;
    const gpu::Result<NodeId> node = session.find(options.node);
    // A report tells of a search without a winner too.
    const bool needsNode = isCu || options.node != QLatin1String("best");
    if (!node && needsNode)
        return node.error();
    const gpu::Result<QString> text
        = isCu ? cuExport(session, *node) : htmlExport(session, node ? *node : NodeId(0));
    if (!text)
        return text.error();
    return writeFile(options.out, text->toUtf8());
}

} // namespace core
