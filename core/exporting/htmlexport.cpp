#include "core/exporting/htmlexport.h"

#include "core/exporting/chartsvg.h"
#include "core/exporting/treesvg.h"

#include <QDateTime>
#include <QFile>

namespace core {

namespace {
QString verdictText(const NodeSummary &node)
{
    if (!node.verdict)
        return node.kind == NodeKind::Idea && node.state == NodeState::Done ? QString()
                                                                            : name(node.state);
    return verdictName(*node.verdict);
}

QString section(const QString &title, const QString &body)
{
    return QStringLiteral("<section><h2>") + title + QStringLiteral("</h2>\n") + body
        + QStringLiteral("</section>\n");
}

QString row(const QString &name, const QString &value)
{
    return QStringLiteral("<tr><th scope=\"row\">") + name + QStringLiteral("</th><td>")
        + escaped(value) + QStringLiteral("</td></tr>\n");
}

QString table(const QString &rows)
{
    return QStringLiteral("<div class=\"wide\"><table>\n") + rows
        + QStringLiteral("</table></div>\n");
}

/// "CPU time" where it is one: such times are never to be taken for a GPU's.
QString timeTitle(const StoredSession &session)
{
    const bool onCpu
        = session.tree.contains(1) && session.tree.at(1).deviceKind == QLatin1String("cpu");
    return onCpu ? QStringLiteral("CPU time, us") : QStringLiteral("Time, us");
}

QString summary(const StoredSession &session)
{
    int kernels = 0, ok = 0, ideas = 0;
    for (const NodeRecord &node : session.tree.all()) {
        const bool isIdea = node.summary.kind == NodeKind::Idea;
        ideas += isIdea;
        kernels += !isIdea;
        ok += node.summary.verdict == gpu::Verdict::Ok;
    }
    QString text;
    if (const std::optional<NodeId> best = session.tree.best()) {
        const NodeSummary &node = session.tree.at(*best).summary;
        text += QStringLiteral(
            "<p class=\"lead\"><strong>%1x</strong> the seed's speed: #%2 %3</p>\n")
                    .arg(node.speedup.value_or(1), 0, 'f', 2)
                    .arg(node.id)
                    .arg(escaped(node.title));
    } else {
        text += QStringLiteral("<p class=\"lead\">No kernel was ok.</p>\n");
    }
    text += QStringLiteral("<p>%1 rounds, %2 ideas, %3 kernels, %4 of them ok. %5</p>\n")
                .arg(session.tree.lastRound())
                .arg(ideas)
                .arg(kernels)
                .arg(ok)
                .arg(escaped(session.head.message));
    if (timeTitle(session).startsWith(QLatin1String("CPU")))
        text += QStringLiteral(
            "<p class=\"note\">All times here are <strong>CPU times</strong>: the "
            "kernels were executed by Espalier's CPU device, which interprets "
            "their PTX. They rank candidates of this session against each other "
            "and say nothing about a GPU.</p>\n");
    return text;
}

QString nodeTable(const StoredSession &session)
{
    QString rows = QStringLiteral("<tr><th>Node</th><th>Round</th><th>Kind</th><th>Title</th>"
                                  "<th>Verdict</th><th>%1</th><th>Speed-up</th><th>Precision</th>"
                                  "<th>Author</th><th>Message</th></tr>\n")
                       .arg(timeTitle(session));
    for (const NodeRecord &node : session.tree.all()) {
        const NodeSummary &s = node.summary;
        rows += QStringLiteral("<tr class=\"%1\"><td>#%2</td><td>%3</td><td>%4</td>")
                    .arg(nodeClass(session.tree, s.id))
                    .arg(s.id)
                    .arg(s.round)
                    .arg(name(s.kind));
        const QStringList cells{s.title, verdictText(s),
            s.medianUs ? QString::number(*s.medianUs, 'g', 5) : QString(),
            s.speedup ? QStringLiteral("%1x").arg(*s.speedup, 0, 'f', 2) : QString(),
            s.precisionClass, s.author, s.message.left(300)};
        for (const QString &cell : cells)
            rows += QStringLiteral("<td>") + escaped(cell) + QStringLiteral("</td>");
        rows += QStringLiteral("</tr>\n");
    }
    return table(rows);
}

gpu::Result<QString> ideaList(StoredSession &session)
{
    QString text;
    for (const NodeRecord &node : session.tree.all()) {
        const NodeSummary &s = node.summary;
        if (s.kind != NodeKind::Idea)
            continue;
        const gpu::Result<QString> idea = session.store.ideaText(s.id);
        if (!idea)
            return idea.error();
        text += QStringLiteral("<details><summary>#%1 %2%3%4</summary><p class=\"prose\">%5</p>"
                               "</details>\n")
                    .arg(s.id)
                    .arg(escaped(s.title),
                        s.category.isEmpty() ? QString()
                                             : QStringLiteral(" (%1)").arg(escaped(s.category)),
                        s.speedup ? QStringLiteral(": best %1x").arg(*s.speedup, 0, 'f', 2)
                                  : QString(),
                        escaped(*idea));
    }
    return text;
}

QString checkTable(const gpu::Evaluation &evaluation)
{
    QString rows = QStringLiteral("<tr><th>Size</th><th>Distribution</th><th>Passed</th>"
                                  "<th>Error</th><th>Class</th><th>Message</th></tr>\n");
    for (const gpu::CheckResult &check : evaluation.checks) {
        rows += QStringLiteral("<tr>");
        for (const QString &cell :
            {QString::fromStdString(check.size), QString::fromStdString(check.distribution),
                check.passed ? QStringLiteral("yes") : QStringLiteral("no"),
                QString::number(check.error, 'g', 3), QString::fromStdString(check.precisionClass),
                QString::fromStdString(check.message)})
            rows += QStringLiteral("<td>") + escaped(cell) + QStringLiteral("</td>");
        rows += QStringLiteral("</tr>\n");
    }
    return table(rows);
}

gpu::Result<QString> kernelSection(StoredSession &session, NodeId id)
{
    const gpu::Result<NodeDetails> details = session.store.details(id);
    if (!details)
        return details.error();
    const NodeSummary &node = session.tree.at(id).summary;
    QString rows = row(QStringLiteral("Title"), node.title)
        + row(QStringLiteral("Verdict"), verdictText(node));
    QString checks;
    if (const auto &evaluation = details->evaluation) {
        if (evaluation->time)
            rows += row(timeTitle(session),
                QStringLiteral("%1 [%2, %3], minimum %4, %5 samples%6")
                    .arg(evaluation->time->medianUs)
                    .arg(evaluation->time->lowUs)
                    .arg(evaluation->time->highUs)
                    .arg(evaluation->time->minUs)
                    .arg(evaluation->time->samplesUs.size())
                    .arg(evaluation->time->graphReplay ? QStringLiteral(", graph replays")
                                                       : QString()));
        for (const RunOff &runOff : details->runOffs)
            rows += row(QStringLiteral("Run-off against #%1").arg(runOff.a), text(runOff));
        rows += row(QStringLiteral("Floor (speed of light), us"),
            QString::number(evaluation->floorUs, 'g', 4));
        QStringList yardsticks;
        for (const auto &[yardstick, error] : evaluation->precision.yardsticks)
            yardsticks.append(QStringLiteral("%1 %2")
                                  .arg(QString::fromStdString(yardstick))
                                  .arg(error, 0, 'g', 3));
        rows += row(QStringLiteral("Precision"),
            QStringLiteral("%1, error %2 (yardsticks: %3)")
                .arg(QString::fromStdString(evaluation->precision.precisionClass))
                .arg(evaluation->precision.error, 0, 'g', 3)
                .arg(yardsticks.join(QLatin1String(", "))));
        rows += row(QStringLiteral("KernelBench's allclose"),
            QStringLiteral("1e-4: %1, 1e-2: %2")
                .arg(evaluation->precision.allclose1e4 ? QStringLiteral("yes")
                                                       : QStringLiteral("no"),
                    evaluation->precision.allclose1e2 ? QStringLiteral("yes")
                                                      : QStringLiteral("no")));
        for (const gpu::KernelResources &kernel : evaluation->resources)
            rows += row(escaped(QString::fromStdString(kernel.kernel)),
                QStringLiteral("%1 registers, %2 bytes shared, %3 bytes spilled")
                    .arg(kernel.registers)
                    .arg(kernel.sharedBytes)
                    .arg(kernel.spillStoreBytes + kernel.spillLoadBytes));
        checks
            = QStringLiteral("<details><summary>%1 checks</summary>").arg(evaluation->checks.size())
            + checkTable(*evaluation) + QStringLiteral("</details>\n");
    }
    return section(QStringLiteral("Kernel #%1").arg(id),
        table(rows) + checks + QStringLiteral("<pre><code>") + escaped(details->source)
            + QStringLiteral("</code></pre>\n"));
}

QString environment(const StoredSession &session)
{
    const SearchConfig &config = session.head.config;
    return table(row(QStringLiteral("Espalier"), QStringLiteral(ESPALIER_VERSION))
        + row(QStringLiteral("Session"), session.store.file())
        + row(QStringLiteral("Device"), session.head.deviceName)
        + row(QStringLiteral("Size"), config.size)
        + row(QStringLiteral("Provider"), config.provider)
        + row(QStringLiteral("Policy"), config.policy)
        + row(QStringLiteral("Rounds, ideas, branches, repairs"),
            QStringLiteral("%1, %2, %3, %4")
                .arg(config.rounds)
                .arg(config.ideas)
                .arg(config.branches)
                .arg(config.repairs))
        + row(QStringLiteral("Tokens in, out"),
            QStringLiteral("%1, %2").arg(session.usage.input).arg(session.usage.output))
        + row(QStringLiteral("Cost, USD"), QString::number(session.usage.costUsd))
        + row(QStringLiteral("Elapsed, s"), QString::number(session.head.elapsedSeconds, 'f', 1))
        + row(QStringLiteral("Exported"), QDateTime::currentDateTimeUtc().toString(Qt::ISODate)));
}

QString styleSheet()
{
    QFile file(QStringLiteral(":/exporting/report.css"));
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    return opened ? QString::fromUtf8(file.readAll()) : QString();
}
} // namespace

gpu::Result<QString> htmlExport(StoredSession &session, NodeId node)
{
    const QString title = escaped(
        QStringLiteral("Espalier: %1").arg(QString::fromStdString(session.head.problem.title)));
    const gpu::Result<QString> ideas = ideaList(session);
    if (!ideas)
        return ideas.error();
    QString kernel;
    if (node != 0) {
        gpu::Result<QString> text = kernelSection(session, node);
        if (!text)
            return text.error();
        kernel = *text;
    }
    const QString chart = speedupChartSvg(session.tree);
    return QString(QStringLiteral("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                                  "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" "
                                  "content=\"width=device-width, initial-scale=1\"/>\n<title>")
        + title + QStringLiteral("</title>\n<style>\n") + styleSheet()
        + QStringLiteral("</style>\n</head>\n<body>\n<h1>") + title + QStringLiteral("</h1>\n")
        + summary(session)
        + section(QStringLiteral("Search tree"),
            QStringLiteral("<div class=\"wide\">") + treeSvg(session.tree)
                + QStringLiteral(
                    "</div>\n<p class=\"note\">Round boxes are ideas; below them stand "
                    "their implementations and repairs.</p>\n"))
        + (chart.isEmpty()
                ? QString()
                : section(QStringLiteral("Speed-up by round"),
                    QStringLiteral("<div class=\"wide\">") + chart + QStringLiteral("</div>\n")))
        + kernel + section(QStringLiteral("Nodes"), nodeTable(session))
        + section(QStringLiteral("Ideas"), *ideas)
        + section(QStringLiteral("Environment"), environment(session))
        + QStringLiteral("</body>\n</html>\n"));
}

} // namespace core
