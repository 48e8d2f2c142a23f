#pragma once

#include "core/provider/provider.h"
#include "gpu/base/result.h"

#include <QHash>

namespace core {

/// Stored replies to the requests of one search, from a recording folder (RECORDINGS.md) or from a
/// session file.
struct Recording {
    QString name; ///< for messages: the path it was read from
    QString problem;
    QString title;
    int rounds = 0, ideas = 0, branches = 0, repairs = 0; ///< what the recording was made with
    QHash<QString, Reply> replies; ///< by `recordingKey`

    const Reply *find(const Request &request) const;
};

/// "ideas r1", "implementation r1.i2.b1", "repair r1.i2.b1.a1".
QString recordingKey(const Request &request);

/// Reads all of it at once, so that a missing file shows before the search begins. Caller errors
/// name the file, the entry and the remedy.
gpu::Result<Recording> loadRecording(const QString &folder);
/// The replies stored in a session.
gpu::Result<Recording> recordingFromSession(const QString &sessionFile);

} // namespace core
