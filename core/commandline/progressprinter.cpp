#include "core/commandline/progressprinter.h"

#include "core/search/durationtext.h"

#include <QStringList>

#include <cmath>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace core {

namespace {
constexpr qint64 PlainStatusMs = 5000;

int terminalColumns()
{
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

QString verdictText(const NodeSummary &node)
{
    if (node.state == NodeState::Lost)
        return QStringLiteral("lost");
    return node.verdict ? verdictName(*node.verdict) : QStringLiteral("idea");
}
} // namespace

QString timeText(double us)
{
    if (us >= 1e6)
        return QStringLiteral("%1 s").arg(us / 1e6, 0, 'g', 4);
    if (us >= 1e3)
        return QStringLiteral("%1 ms").arg(us / 1e3, 0, 'g', 4);
    return QStringLiteral("%1 us").arg(us, 0, 'g', 4);
}

QString statusText(const SearchProgress &p)
{
    QStringList parts;
    if (p.state == SearchState::Starting)
        parts.append(QStringLiteral("starting the device"));
    else if (p.round == 0)
        parts.append(QStringLiteral("measuring the seed"));
    else
        parts.append(
            QStringLiteral("round %1/%2, %3 ideas").arg(p.round).arg(p.rounds).arg(p.ideas));
    QStringList doing;
    const QList<QPair<int, const char *>> counts{{p.asking, "asking"}, {p.queued, "queued"},
        {p.compiling, "compiling"}, {p.checking, "checking"}, {p.timing, "timing"},
        {p.runOffs, "in a run-off"}};
    for (const auto &[count, label] : counts) {
        if (count > 0)
            doing.append(QStringLiteral("%1 %2").arg(count).arg(QLatin1String(label)));
    }
    QString candidates = QStringLiteral("%1/%2 candidates")
                             .arg(p.candidatesDone)
                             .arg(std::max(p.candidates, p.candidatesExpected));
    if (!doing.isEmpty())
        candidates += QStringLiteral(" (%1)").arg(doing.join(QLatin1String(", ")));
    parts.append(candidates);
    if (p.best && p.bestSpeedup)
        parts.append(QStringLiteral("best %1x (#%2)").arg(*p.bestSpeedup, 0, 'f', 2).arg(*p.best));
    parts.append(durationText(p.elapsedSeconds));
    if (p.remainingSeconds)
        parts.append(QStringLiteral("about %1 left").arg(durationText(*p.remainingSeconds)));
    return parts.join(QLatin1String(", "));
}

ProgressPrinter::ProgressPrinter()
    : m_isTerminal(::isatty(STDERR_FILENO) != 0)
{
}

void ProgressPrinter::line(const QString &text)
{
    if (m_isTerminal)
        std::fputs("\r\033[K", stderr);
    std::fprintf(stderr, "%s\n", text.toUtf8().constData());
    if (m_isTerminal && !m_status.isEmpty())
        std::fputs(m_status.toUtf8().constData(), stderr);
}

void ProgressPrinter::status(const QString &text)
{
    if (m_isTerminal) {
        m_status = text.left(terminalColumns() - 1);
        std::fprintf(stderr, "\r\033[K%s", m_status.toUtf8().constData());
        std::fflush(stderr);
        return;
    }
    m_status = text;
    if (m_sinceStatus.isValid() && m_sinceStatus.elapsed() < PlainStatusMs)
        return;
    m_sinceStatus.start();
    std::fprintf(stderr, "%s\n", std::exchange(m_status, {}).toUtf8().constData());
}

void ProgressPrinter::nodes(const QList<NodeSummary> &batch)
{
    for (const NodeSummary &node : batch) {
        const bool isIdea = node.kind == NodeKind::Idea;
        const bool ended = node.state == NodeState::Done || node.state == NodeState::Lost;
        const bool toTell = isIdea ? node.state != NodeState::Asking : ended;
        if (!toTell || m_told.contains(node.id))
            continue;
        m_told.insert(node.id);
        if (m_skipEnded)
            continue;
        QString text = QStringLiteral("  #%1 %2").arg(node.id, -4).arg(verdictText(node), -16);
        text += node.speedup && !isIdea ? QStringLiteral("%1x %2  ")
                                              .arg(*node.speedup, 6, 'f', 2)
                                              .arg(timeText(*node.medianUs), 9)
                                        : QString(18, QLatin1Char(' '));
        text += node.title;
        if (isIdea && !node.category.isEmpty())
            text += QStringLiteral(" (%1)").arg(node.category);
        if (!isIdea && node.verdict != gpu::Verdict::Ok && !node.message.isEmpty())
            text += QStringLiteral(": ") + node.message.section(QLatin1Char('\n'), 0, 0).left(120);
        line(text);
    }
}

void ProgressPrinter::progress(const SearchProgress &progress)
{
    status(statusText(progress));
}

void ProgressPrinter::notice(const Notice &notice)
{
    const QString prefix = notice.level == Notice::Level::Info ? QString()
        : notice.level == Notice::Level::Warning               ? QStringLiteral("warning: ")
                                                               : QStringLiteral("error: ");
    line(prefix + notice.text);
}

void ProgressPrinter::end()
{
    if (m_isTerminal && !m_status.isEmpty())
        std::fputs("\r\033[K", stderr);
    if (!m_status.isEmpty())
        std::fprintf(stderr, "%s\n", m_status.toUtf8().constData());
    m_status.clear();
}

} // namespace core
