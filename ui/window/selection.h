#pragma once

#include "core/session/node.h"

#include <QObject>
#include <QTimer>

namespace core {
class SearchService;
}

namespace ui {

/// The one selected node of the window and what is stored about it. Details are fetched from the
/// engine; an answer for a node that is no longer selected is dropped. Lives on the GUI thread.
class Selection : public QObject {
    Q_OBJECT
public:
    explicit Selection(core::SearchService *service, QObject *parent = nullptr);

    core::NodeId node() const { return m_node; }
    /// Empty until they have come.
    const core::NodeDetails &details() const { return m_details; }
    bool hasDetails() const { return m_node != 0 && m_details.summary.id == m_node; }
    void clear();
    /// The selected node has changed in the engine: its details are fetched again.
    void refresh();

public Q_SLOTS:
    void select(core::NodeId node);

Q_SIGNALS:
    void changed(core::NodeId node);
    void detailsChanged(const core::NodeDetails &details);

private:
    void fetch();

    core::SearchService *m_service;
    core::NodeId m_node = 0;
    core::NodeDetails m_details;
    quint64 m_request = 0; ///< number of the last fetch: older answers are stale
    QTimer m_delay; ///< a node that changes many times a second is fetched a few times
};

} // namespace ui
