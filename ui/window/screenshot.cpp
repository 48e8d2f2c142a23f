#include "ui/window/screenshot.h"

#include "core/exporting/exporter.h"
#include "ui/window/mainwindow.h"

#include <QBuffer>
#include <QPixmap>
#include <QTimer>

namespace ui {

namespace {
constexpr int PatienceMs = 60'000;
constexpr int SettleMs = 400; ///< charts and layouts that follow the last data
} // namespace

Screenshot::Screenshot(MainWindow *window, const QString &file)
    : QObject(window)
    , m_window(window)
    , m_file(file)
{
    connect(window, &MainWindow::settled, this,
        [this] { QTimer::singleShot(SettleMs, this, &Screenshot::take); });
    QTimer::singleShot(PatienceMs, this, [this] {
        if (!std::exchange(m_done, true))
            Q_EMIT finished(tr("The session was not shown within %1 s, so there is no picture.")
                                .arg(PatienceMs / 1000));
    });
}

void Screenshot::take()
{
    if (std::exchange(m_done, true))
        return;
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    m_window->grab().save(&buffer, "PNG");
    const gpu::Status status = core::writeFile(m_file, bytes);
    Q_EMIT finished(status ? QString() : QString::fromStdString(status.error().message));
}

} // namespace ui
