#pragma once

#include "core/session/node.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <set>

namespace core {

/// Gathers changes and lets them go at most once a frame. Lives on the engine's thread.
class Publisher : public QObject {
    Q_OBJECT
public:
    explicit Publisher(QObject *parent = nullptr);

    void nodeChanged(NodeId id);
    /// Something else changed: only the progress goes out.
    void touch();
    /// Lets go now what is waiting, so that it comes before what the caller emits next.
    void flush();

Q_SIGNALS:
    /// Ids ascend; may be empty.
    void due(const QList<core::NodeId> &changed);

private:
    std::set<NodeId> m_changed;
    QTimer m_timer;
    QElapsedTimer m_sinceLast;
};

} // namespace core
