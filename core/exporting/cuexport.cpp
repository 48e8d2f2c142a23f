#include "core/exporting/cuexport.h"

#include <QStringList>

namespace core {

namespace {
/// Text from a model or a person must not end the comment it is put in.
QString commentSafe(const QString &text)
{
    QString result = text.simplified();
    return result.replace(QLatin1String("*/"), QLatin1String("* /"));
}

QString provenance(const StoredSession &session, const NodeRecord &node, const NodeDetails &details)
{
    const NodeSummary &s = node.summary;
    QStringList lines{
        QStringLiteral("/* Exported by Espalier " ESPALIER_VERSION ", node #%1 (%2) of %3.")
            .arg(s.id)
            .arg(text(node.path), commentSafe(session.store.file())),
        QStringLiteral("   Problem: %1. Author: %2.")
            .arg(commentSafe(QString::fromStdString(session.head.problem.id)),
                commentSafe(s.author)),
        QStringLiteral("   %1: %2").arg(name(s.kind), commentSafe(s.title))};
    if (s.verdict) {
        QString line = QStringLiteral("   Verdict: %1").arg(verdictName(*s.verdict));
        if (s.medianUs)
            line += QStringLiteral(", median %1 us%2 at size %3")
                        .arg(*s.medianUs)
                        .arg(node.deviceKind == QLatin1String("cpu") ? QStringLiteral(" (CPU time)")
                                                                     : QString(),
                            session.head.config.size);
        if (s.speedup)
            line += QStringLiteral(", %1x the seed's speed").arg(*s.speedup, 0, 'f', 2);
        if (!s.precisionClass.isEmpty())
            line += QStringLiteral(", precision %1").arg(s.precisionClass);
        lines.append(line + QLatin1Char('.'));
    }
    if (details.evaluation)
        lines.append(QStringLiteral("   Device: %1.")
                         .arg(commentSafe(QString::fromStdString(details.evaluation->deviceName))));
    return lines.join(QLatin1Char('\n')) + QStringLiteral(" */\n");
}
} // namespace

gpu::Result<QString> cuExport(StoredSession &session, NodeId node)
{
    const gpu::Result<NodeDetails> details = session.store.details(node);
    if (!details)
        return details.error();
    const QString &source = details->source;
    if (source.isEmpty())
        return gpu::callerError(
            QStringLiteral("Node #%1 has no source: it is an idea, or its reply "
                           "was lost. Name an implementation.")
                .arg(node)
                .toStdString());
    const QString comment = provenance(session, session.tree.at(node), *details);
    // The plan must stay the leading comment.
    const qsizetype planEnd = source.indexOf(QLatin1String("*/"));
    if (!source.trimmed().startsWith(QLatin1String("/*")) || planEnd < 0)
        return QString(comment + source);
    return QString(
        source.left(planEnd + 2) + QLatin1Char('\n') + comment + source.mid(planEnd + 2));
}

} // namespace core
