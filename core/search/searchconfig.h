#pragma once

#include "core/session/node.h"

#include <QList>
#include <QString>

namespace core {

/// What a search was asked to do. Stored in its session.
struct SearchConfig {
    QString problem; ///< id or folder
    QString provider = QStringLiteral("replay"); ///< "replay" or "replay:PATH"
    QList<QString> models;
    QString policy = QStringLiteral("best");
    int rounds = 3;
    int seeds = 1; ///< parents a round
    int ideas = 3; ///< ideas a round
    int branches = 2; ///< implementations an idea
    int repairs = 1; ///< repair attempts an implementation
    QString device = QStringLiteral("cpu");
    QString size = QStringLiteral("small");
    QString workerCommand; ///< command template; empty: espalier-worker beside this program
    std::optional<qint64> budgetTokens;
    std::optional<double> budgetUsd, budgetMinutes;
};

enum class SearchState { Idle, Starting, Running, Pausing, Paused, Stopping, Finished, Failed };

/// Where a running search is. Sent at most once a frame.
struct SearchProgress {
    SearchState state = SearchState::Idle;
    int round = 0, rounds = 0;
    int ideas = 0; ///< received so far
    int candidates = 0, candidatesDone = 0, candidatesExpected = 0;
    int asking = 0, queued = 0, compiling = 0, checking = 0, timing = 0;
    int runOffs = 0; ///< running now
    std::optional<NodeId> best;
    std::optional<double> bestSpeedup;
    TokenUsage usage;
    double elapsedSeconds = 0;
    std::optional<double> remainingSeconds; ///< estimate; nullopt until one is possible
    QString deviceName;
};

struct SearchOutcome {
    SearchState state = SearchState::Finished; ///< Finished, or Failed
    std::optional<NodeId> best; ///< fastest node that is ok and keeps the precision
    std::optional<double> bestSpeedup;
    QString message; ///< why it ended, in a sentence
    bool environmentFault = false; ///< exit code 3
};

/// A notice for the Problems pane and standard error.
struct Notice {
    enum class Level { Info, Warning, Error };
    Level level = Level::Info;
    QString text;
    NodeId node = 0;
};

QString name(SearchState state);

} // namespace core

Q_DECLARE_METATYPE(core::SearchConfig)
Q_DECLARE_METATYPE(core::SearchProgress)
Q_DECLARE_METATYPE(core::SearchOutcome)
Q_DECLARE_METATYPE(core::Notice)
