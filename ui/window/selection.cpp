#include "ui/window/selection.h"

#include "core/search/searchservice.h"

namespace ui {

namespace {
constexpr int RefreshMs = 150;
}

Selection::Selection(core::SearchService *service, QObject *parent)
    : QObject(parent)
    , m_service(service)
{
    m_delay.setSingleShot(true);
    m_delay.setInterval(RefreshMs);
    connect(&m_delay, &QTimer::timeout, this, &Selection::fetch);
}

void Selection::clear()
{
    m_delay.stop();
    ++m_request;
    m_details = {};
    if (std::exchange(m_node, 0) != 0)
        Q_EMIT changed(0);
}

void Selection::select(core::NodeId node)
{
    if (node == m_node)
        return;
    m_node = node;
    m_details = {};
    Q_EMIT changed(node);
    fetch();
}

void Selection::refresh()
{
    if (m_node && !m_delay.isActive())
        m_delay.start();
}

void Selection::fetch()
{
    if (m_node == 0)
        return;
    const quint64 request = ++m_request;
    m_service->details(m_node).then(this, [this, request](const core::NodeDetails &details) {
        if (request != m_request || details.summary.id != m_node)
            return;
        m_details = details;
        Q_EMIT detailsChanged(m_details);
    });
}

} // namespace ui
