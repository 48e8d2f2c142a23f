#pragma once

#include "core/search/searchconfig.h"
#include "core/session/node.h"

#include <QElapsedTimer>
#include <QSet>

namespace core {

/// Shows a running search on standard error: a line for each result, and one status line that is
/// rewritten on a terminal and repeated now and then otherwise.
class ProgressPrinter {
public:
    ProgressPrinter();

    void nodes(const QList<NodeSummary> &batch);
    void progress(const SearchProgress &progress);
    void notice(const Notice &notice);
    /// Leaves the terminal on a fresh line.
    void end();

    /// Nodes that had ended before this run are not results of it.
    void skipEnded(bool skip) { m_skipEnded = skip; }

private:
    void line(const QString &text);
    void status(const QString &text);

    bool m_isTerminal;
    bool m_skipEnded = false;
    QString m_status;
    QElapsedTimer m_sinceStatus;
    QSet<NodeId> m_told;
};

/// "round 1/3, 3 ideas, 4/19 candidates (2 checking), best 2.31x (#9), 0:42, about 1:10 left".
QString statusText(const SearchProgress &progress);
/// "12.3 us", "4.56 ms".
QString timeText(double us);

} // namespace core
