#include "ui/window/mainwindow.h"

#include "core/search/searchservice.h"
#include "core/session/draftstore.h"
#include "ui/charts/speedupchart.h"
#include "ui/editor/editorpane.h"
#include "ui/inspector/inspector.h"
#include "ui/tree/nodemodel.h"
#include "ui/tree/treeview.h"
#include "ui/window/actions.h"
#include "ui/window/messagebar.h"
#include "ui/window/nodelist.h"
#include "ui/window/noticelist.h"
#include "ui/window/recentfiles.h"
#include "ui/window/selection.h"
#include "ui/window/statuspanel.h"
#include "ui/window/welcome.h"

#include <QFileInfo>
#include <QMessageBox>
#include <QStackedWidget>

namespace ui {

void MainWindow::connectService()
{
    connect(m_service, &core::SearchService::opened, this, &MainWindow::sessionOpened);
    connect(m_service, &core::SearchService::nodesChanged, this, &MainWindow::receiveNodes);
    connect(m_service, &core::SearchService::progressChanged, this, &MainWindow::receiveProgress);
    connect(m_service, &core::SearchService::failed, this, &MainWindow::searchFailed);
    connect(m_service, &core::SearchService::finished, this, &MainWindow::searchFinished);
    connect(m_service, &core::SearchService::noticed, this, [this](const core::Notice &notice) {
        m_notices->add(notice);
        if (notice.level != core::Notice::Level::Info)
            m_message->show(notice.level == core::Notice::Level::Error ? MessageBar::Kind::Error
                                                                       : MessageBar::Kind::Warning,
                notice.text);
    });
}

void MainWindow::connectSelection()
{
    const auto select = [this](core::NodeId node) { m_selection->select(node); };
    const auto open = [this](core::NodeId node) {
        m_selection->select(node);
        m_actions->at(Command::OpenNode)->trigger();
    };
    connect(m_tree, &TreeView::selectionChanged, this, select);
    connect(m_tree, &TreeView::activated, this, open);
    connect(m_tree, &TreeView::contextMenuRequested, this, &MainWindow::showNodeMenu);
    connect(m_list, &NodeList::selectionChanged, this, select);
    connect(m_list, &NodeList::activated, this, open);
    connect(m_list, &NodeList::contextMenuRequested, this, &MainWindow::showNodeMenu);
    connect(m_chart, &SpeedupChart::nodeRequested, this, select);
    connect(m_notices, &NoticeList::nodeRequested, this, select);
    connect(m_inspector, &Inspector::nodeRequested, this, select);
    connect(m_editor, &EditorPane::nodeRequested, this, select);
    connect(m_selection, &Selection::changed, this, [this](core::NodeId node) {
        m_tree->select(node);
        m_list->select(node);
        m_chart->setSelected(node);
        if (const core::NodeSummary *summary = m_model->find(node))
            m_inspector->showSummary(*summary);
        else
            m_inspector->clear();
        adaptActions();
    });
    connect(
        m_selection, &Selection::detailsChanged, this, [this](const core::NodeDetails &details) {
            m_inspector->showDetails(details);
            if (!details.source.isEmpty())
                m_editor->openNode(details);
            adaptActions();
            if (m_sessionOpen && !std::exchange(m_settled, true))
                Q_EMIT settled();
        });
    connect(m_tree, &TreeView::followNewestChanged, m_actions->at(Command::Follow),
        &QAction::setChecked);
}

void MainWindow::openSession(const QString &file)
{
    if (!mayLeave())
        return;
    leaveSession();
    m_service->open(file);
}

void MainWindow::startSearch(const QString &file, const core::SearchConfig &config)
{
    if (!mayLeave())
        return;
    leaveSession();
    m_service->create(file, config);
}

void MainWindow::sessionOpened(const core::SearchConfig &config)
{
    m_config = config;
    m_sessionOpen = true;
    m_settled = false;
    const QString file = m_service->sessionFile();
    m_drafts = std::make_unique<core::DraftStore>(file);
    m_editor->setDrafts(m_drafts.get());
    addRecentFile(file);
    refreshRecent();
    setWindowFilePath(file);
    setWindowTitle(QStringLiteral("%1 — %2").arg(QFileInfo(file).fileName(), config.problem));
    m_centre->setCurrentWidget(m_tree);
    m_tree->fit();
    adaptActions();
}

void MainWindow::receiveNodes(const QList<core::NodeSummary> &batch)
{
    // By what is new, not by what is unfinished: a quick verdict arrives with the node itself.
    core::NodeId sentFromHere = 0;
    for (const core::NodeSummary &node : batch)
        if (!sentFromHere && m_editParent && node.parent == m_editParent
            && node.kind == core::NodeKind::Edit && !m_model->find(node.id))
            sentFromHere = node.id;
    m_model->apply(batch);
    for (const core::NodeSummary &node : batch) {
        m_editor->updateNode(node);
        if (node.id == m_selection->node()) {
            m_inspector->showSummary(node);
            m_selection->refresh();
        }
    }
    if (sentFromHere) {
        m_editParent = 0;
        m_selection->select(sentFromHere);
    }
    // A session that is opened shows its best node; one that has just begun, its seed.
    if (m_selection->node() == 0 && m_model->size() > 0)
        m_selection->select(m_model->best() ? m_model->best() : m_model->at(0).id);
    adaptActions();
}

void MainWindow::receiveProgress(const core::SearchProgress &progress)
{
    const bool stateChanged = progress.state != m_progress.state;
    m_progress = progress;
    m_status->show(progress);
    if (stateChanged)
        adaptActions();
}

void MainWindow::searchFailed(const QString &message, bool)
{
    say(core::Notice::Level::Error, message);
    if (m_model->size() == 0) {
        m_sessionOpen = false;
        m_centre->setCurrentWidget(m_welcome);
    }
    adaptActions();
}

void MainWindow::searchFinished(const core::SearchOutcome &outcome)
{
    m_progress.state = outcome.state;
    m_status->show(m_progress);
    const bool failed = outcome.state == core::SearchState::Failed;
    say(failed ? core::Notice::Level::Error : core::Notice::Level::Info, outcome.message);
    adaptActions();
}

void MainWindow::say(core::Notice::Level level, const QString &text)
{
    m_notices->add({level, text, 0});
    if (level != core::Notice::Level::Info)
        m_message->show(level == core::Notice::Level::Error ? MessageBar::Kind::Error
                                                            : MessageBar::Kind::Warning,
            text);
}

bool MainWindow::mayLeave()
{
    if (!m_sessionOpen || !isActive(m_progress.state) || !isVisible())
        return true;
    return QMessageBox::question(this, tr("The search is running"),
               tr("Stop the search and leave? Everything so far is stored, and Start goes on where "
                  "it was."))
        == QMessageBox::Yes;
}

void MainWindow::leaveSession()
{
    if (!m_sessionOpen)
        return;
    if (isActive(m_progress.state))
        m_service->stop();
    m_sessionOpen = false;
    m_editParent = 0;
    m_editor->setDrafts(nullptr);
    m_drafts.reset();
    m_selection->clear();
    m_model->clear();
    m_progress = {};
    m_status->clear();
    m_message->hide();
}

void MainWindow::closeSession()
{
    if (!mayLeave())
        return;
    leaveSession();
    setWindowFilePath({});
    setWindowTitle(tr("Espalier"));
    m_centre->setCurrentWidget(m_welcome);
    adaptActions();
}

void MainWindow::adaptActions()
{
    const core::NodeSummary *node = m_model->find(m_selection->node());
    Situation now;
    now.state = m_progress.state;
    now.sessionOpen = m_sessionOpen;
    now.nodeSelected = node != nullptr;
    now.kernelSelected
        = node && m_selection->hasDetails() && !m_selection->details().source.isEmpty();
    now.editorHasText = m_editor->currentNode() != 0;
    m_actions->adapt(now);
    m_actions->at(Command::Pin)->setChecked(node && node->pinned);
    m_actions->at(Command::Exclude)->setChecked(node && node->excluded);
    m_actions->at(Command::Archive)->setChecked(node && node->archived);
}

} // namespace ui
