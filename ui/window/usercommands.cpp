#include "ui/window/mainwindow.h"

#include "core/exporting/exporter.h"
#include "core/provider/providers.h"
#include "core/search/searchservice.h"
#include "core/session/draftstore.h"
#include "core/session/sessionname.h"
#include "ui/editor/editorpane.h"
#include "ui/inspector/inspector.h"
#include "ui/theme.h"
#include "ui/tree/treeview.h"
#include "ui/window/actions.h"
#include "ui/window/newsearchdialog.h"
#include "ui/window/recentfiles.h"
#include "ui/window/selection.h"
#include "ui/window/welcome.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPointer>
#include <QStandardPaths>
#include <QThreadPool>

namespace ui {

namespace {

/// Runs `work` off the GUI thread and `done` with its value on it, if `context` still lives.
template <class Work, class Done> void runAside(QObject *context, Work work, Done done)
{
    QPointer<QObject> alive(context);
    QThreadPool::globalInstance()->start([alive, work = std::move(work), done = std::move(done)] {
        auto value = work();
        QMetaObject::invokeMethod(
            qApp,
            [alive, done, value = std::move(value)] {
                if (alive)
                    done(value);
            },
            Qt::QueuedConnection);
    });
}

constexpr std::pair<Command, ColorScheme> SchemeCommands[] = {
    {Command::SchemeSystem, ColorScheme::System},
    {Command::SchemeLight, ColorScheme::Light},
    {Command::SchemeDark, ColorScheme::Dark},
};

bool isSessionFile(const QUrl &url)
{
    return url.isLocalFile() && url.toLocalFile().endsWith(QLatin1String(".espalier"));
}

} // namespace

void MainWindow::connectActions()
{
    const auto on = [this](Command command, auto &&call) {
        connect(m_actions->at(command), &QAction::triggered, this, call);
    };
    on(Command::NewSearch, [this] { newSearch(); });
    on(Command::Open, [this] { chooseSession(); });
    on(Command::ExportReport, [this] { exportSession(QStringLiteral("html")); });
    on(Command::ExportKernel, [this] { exportSession(QStringLiteral("cu")); });
    on(Command::ExportTree, [this] { exportTree(); });
    on(Command::CloseSession, [this] { closeSession(); });
    on(Command::Quit, [this] { close(); });
    on(Command::Start, [this] { m_service->resume(); });
    on(Command::Pause, [this] { m_service->pause(); });
    on(Command::Stop, [this] { m_service->stop(); });
    on(Command::Evaluate, [this] { m_editor->evaluate(); });
    on(Command::SeedFrom, [this] { m_service->seedFrom(m_selection->node()); });
    on(Command::OpenNode, [this] {
        m_editorPane->show();
        m_editorPane->raise();
        m_editor->setFocus();
    });
    on(Command::Pin, [this](bool yes) { m_service->setPinned(m_selection->node(), yes); });
    on(Command::Exclude, [this](bool yes) { m_service->setExcluded(m_selection->node(), yes); });
    on(Command::Archive, [this](bool yes) { m_service->setArchived(m_selection->node(), yes); });
    on(Command::ShowPtx, [this] { showAssembly(QStringLiteral("ptx")); });
    on(Command::ShowSass, [this] { showAssembly(QStringLiteral("sass")); });
    on(Command::CopySource,
        [this] { QApplication::clipboard()->setText(m_selection->details().source); });
    on(Command::Find, [this] { m_editor->find(); });
    on(Command::FindNext, [this] { m_editor->findNext(); });
    on(Command::FindPrevious, [this] { m_editor->findPrevious(); });
    on(Command::Replace, [this] { m_editor->replace(); });
    on(Command::Fit, [this] { m_tree->fit(); });
    on(Command::ZoomIn, [this] { m_tree->zoomIn(); });
    on(Command::ZoomOut, [this] { m_tree->zoomOut(); });
    on(Command::ZoomReset, [this] { m_tree->zoomReset(); });
    on(Command::Follow, [this](bool yes) { m_tree->setFollowNewest(yes); });
    on(Command::SelectBest, [this] { m_tree->selectBest(); });
    on(Command::SelectRoot, [this] { m_tree->selectRoot(); });
    on(Command::Collapse, [this] { m_tree->toggleCollapsed(); });
    for (const auto &[command, scheme] : SchemeCommands)
        on(command, [this, scheme = scheme] {
            setColorScheme(scheme);
            storeColorScheme(scheme);
        });
    on(Command::ResetLayout, [this] { resetLayout(); });
    on(Command::Shortcuts, [this] {
        QMessageBox box(QMessageBox::NoIcon, tr("Keyboard shortcuts"), m_actions->shortcutTable(),
            QMessageBox::Close, this);
        box.exec();
    });
    on(Command::About, [this] {
        QMessageBox::about(this, tr("About Espalier"),
            tr("<b>Espalier</b><p>A person and language models explore CUDA kernels together.</p>"
               "<p>Free software under the GNU General Public License, version 3 or later.</p>"));
    });

    connect(m_editor, &EditorPane::evaluateRequested, this,
        [this](core::NodeId parent, const QString &source) {
            m_editParent = parent;
            m_service->evaluateEdit(parent, source);
        });
    connect(m_editor, &EditorPane::seedRequested, m_service, &core::SearchService::seedFrom);
    connect(m_inspector, &Inspector::lineRequested, m_editor, &EditorPane::showLine);
    connect(m_inspector, &Inspector::assemblyRequested, this,
        [this](core::NodeId, const QString &form) { showAssembly(form); });
    connect(m_welcome, &Welcome::demoRequested, this, &MainWindow::startDemo);
    connect(m_welcome, &Welcome::newSearchRequested, this, &MainWindow::newSearch);
    connect(m_welcome, &Welcome::openRequested, this, &MainWindow::chooseSession);
    connect(m_welcome, &Welcome::fileRequested, this, &MainWindow::openSession);
}

void MainWindow::setColorScheme(ColorScheme scheme)
{
    applyColorScheme(*qApp, scheme);
    for (const auto &[command, its] : SchemeCommands)
        m_actions->at(command)->setChecked(its == scheme);
}

QString MainWindow::proposedFolder() const
{
    const QString last = m_service->sessionFile();
    return last.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
                          : QFileInfo(last).absolutePath();
}

void MainWindow::newSearch()
{
    auto *dialog = new NewSearchDialog(proposedFolder(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    runAside(dialog, &core::listProblems,
        [dialog](const QList<core::CatalogueEntry> &problems) { dialog->setProblems(problems); });
    connect(dialog, &QDialog::accepted, this,
        [this, dialog] { startSearch(dialog->sessionFile(), dialog->config()); });
    dialog->open();
}

void MainWindow::startDemo()
{
    const QString problem = QStringLiteral("softmax");
    startSearch(core::freshSessionFile(proposedFolder(), problem),
        core::defaultConfig(problem, QStringLiteral("replay")));
}

void MainWindow::chooseSession()
{
    const QString file = QFileDialog::getOpenFileName(this, tr("Open session"), proposedFolder(),
        tr("Espalier sessions (*.espalier);;All files (*)"));
    if (!file.isEmpty())
        openSession(file);
}

void MainWindow::writeAside(const QString &out, const std::function<gpu::Status()> &write)
{
    runAside(this, write, [this, out](const gpu::Status &status) {
        if (status)
            say(core::Notice::Level::Info, tr("Wrote %1.").arg(out));
        else
            say(core::Notice::Level::Error, QString::fromStdString(status.error().message));
    });
}

void MainWindow::exportSession(const QString &format)
{
    const bool isReport = format == QLatin1String("html");
    const QString out
        = QFileDialog::getSaveFileName(this, isReport ? tr("Export report") : tr("Export kernel"),
            proposedFolder(), isReport ? tr("HTML (*.html)") : tr("CUDA source (*.cu)"));
    if (out.isEmpty())
        return;
    const QString node = isReport ? QStringLiteral("best") : QString::number(m_selection->node());
    writeAside(out, [options = core::ExportOptions{m_service->sessionFile(), node, format, out}] {
        return core::exportSession(options);
    });
}

void MainWindow::exportTree()
{
    const QString out = QFileDialog::getSaveFileName(
        this, tr("Export tree picture"), proposedFolder(), tr("PNG (*.png);;SVG (*.svg)"));
    if (out.isEmpty())
        return;
    // A picture is drawn by its widget's thread, and packed and written by another.
    if (out.endsWith(QLatin1String(".svg"))) {
        writeAside(out, [out, svg = m_tree->renderSvg()] { return core::writeFile(out, svg); });
        return;
    }
    writeAside(out, [out, image = m_tree->renderImage(1)] {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        image.save(&buffer, "PNG");
        return core::writeFile(out, bytes);
    });
}

void MainWindow::showNodeMenu(core::NodeId node, const QPoint &globalPosition)
{
    m_selection->select(node);
    QMenu menu(this);
    for (Command command : {Command::OpenNode, Command::SeedFrom})
        menu.addAction(m_actions->at(command));
    menu.addSeparator();
    for (Command command : {Command::Pin, Command::Exclude, Command::Archive})
        menu.addAction(m_actions->at(command));
    menu.addSeparator();
    for (Command command :
        {Command::ShowPtx, Command::ShowSass, Command::CopySource, Command::ExportKernel})
        menu.addAction(m_actions->at(command));
    menu.addSeparator();
    menu.addAction(m_actions->at(Command::Collapse));
    menu.exec(globalPosition);
}

void MainWindow::showAssembly(const QString &form)
{
    const core::NodeId node = m_selection->node();
    m_service->assembly(node, form).then(this, [this, node, form](const QString &text) {
        if (node == m_selection->node() && !text.isEmpty()) {
            m_inspectorPane->raise();
            m_inspector->showAssembly(form, text);
        }
    });
}

void MainWindow::refreshRecent()
{
    const QStringList files = recentFiles();
    const QStringList missing = missingFiles(files);
    m_welcome->setRecent(files, missing);
    m_recentMenu->clear();
    for (const QString &file : files) {
        QAction *action = m_recentMenu->addAction(file, this, [this, file] { openSession(file); });
        action->setEnabled(!missing.contains(file));
    }
    m_recentMenu->addSeparator();
    m_recentMenu->addAction(tr("&Clear this list"), this, [this] {
        clearRecentFiles();
        refreshRecent();
    });
    m_recentMenu->setEnabled(!files.isEmpty());
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && isSessionFile(urls[0]))
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.size() == 1 && isSessionFile(urls[0]))
        openSession(urls[0].toLocalFile());
}

} // namespace ui
