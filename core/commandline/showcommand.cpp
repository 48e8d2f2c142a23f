#include "core/commandline/showcommand.h"

#include "core/commandline/progressprinter.h"
#include "core/session/storedsession.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {
int depth(const NodeTree &tree, NodeId id)
{
    int result = 0;
    for (NodeId parent = tree.at(id).summary.parent; parent != 0;
         parent = tree.at(parent).summary.parent)
        ++result;
    return result;
}

void printTree(const NodeTree &tree, NodeId id)
{
    const NodeSummary &node = tree.at(id).summary;
    const QString verdict = node.verdict ? verdictName(*node.verdict) : name(node.state);
    QString line = QStringLiteral("#%1 %2").arg(id, -5).arg(verdict, -17);
    line += node.speedup ? QStringLiteral("%1x ").arg(*node.speedup, 7, 'f', 2)
                         : QString(9, QLatin1Char(' '));
    line += QString(node.medianUs ? timeText(*node.medianUs) : QString()).leftJustified(11);
    line += QString(2 * depth(tree, id), QLatin1Char(' ')) + node.title;
    print(line);
    for (const NodeId child : tree.children(id))
        printTree(tree, child);
}
} // namespace

ExitCode showCommand(const QString &sessionFile, bool json)
{
    StoredSession session;
    if (gpu::Status status = session.load(sessionFile); !status)
        return fail(status.error());
    if (json) {
        print(toJson(session));
        return ExitCode::Done;
    }
    const bool onCpu
        = !session.tree.all().isEmpty() && session.tree.at(1).deviceKind == QLatin1String("cpu");
    print(QStringLiteral("%1 (%2), size %3, on %4%5")
              .arg(QString::fromStdString(session.head.problem.title),
                  QString::fromStdString(session.head.problem.id), session.head.config.size,
                  session.head.deviceName.isEmpty() ? QStringLiteral("no device yet")
                                                    : session.head.deviceName,
                  onCpu ? QStringLiteral("; times are CPU times") : QString()));
    print(QStringLiteral("%1. %2").arg(session.head.state, session.head.message));
    if (session.tree.contains(1))
        printTree(session.tree, 1);
    for (const RunOff &runOff : session.tree.runOffs())
        print(QStringLiteral("Run-off: #%1 against #%2: %3")
                  .arg(runOff.b)
                  .arg(runOff.a)
                  .arg(text(runOff)));
    return ExitCode::Done;
}

} // namespace core
