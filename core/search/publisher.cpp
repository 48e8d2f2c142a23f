#include "core/search/publisher.h"

#include <algorithm>

namespace core {

namespace {
constexpr qint64 FrameMs = 16;
}

Publisher::Publisher(QObject *parent)
    : QObject(parent)
    , m_timer(this)
{
    m_timer.setSingleShot(true);
    m_timer.setTimerType(Qt::PreciseTimer);
    connect(&m_timer, &QTimer::timeout, this, &Publisher::flush);
}

void Publisher::nodeChanged(NodeId id)
{
    m_changed.insert(id);
    touch();
}

void Publisher::touch()
{
    if (m_timer.isActive())
        return;
    const qint64 since = m_sinceLast.isValid() ? m_sinceLast.elapsed() : FrameMs;
    m_timer.start(static_cast<int>(std::max<qint64>(0, FrameMs - since)));
}

void Publisher::flush()
{
    m_timer.stop();
    m_sinceLast.start();
    const QList<NodeId> changed(m_changed.begin(), m_changed.end());
    m_changed.clear();
    Q_EMIT due(changed);
}

} // namespace core
