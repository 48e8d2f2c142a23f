#pragma once

#include "core/search/searchconfig.h"
#include "core/session/node.h"
#include "gpu/base/result.h"

#include <QMainWindow>

#include <functional>
#include <memory>

class QStackedWidget;

namespace core {
class DraftStore;
class SearchService;
} // namespace core

namespace ui {

enum class ColorScheme;
class Actions;
class EditorPane;
class Inspector;
class MessageBar;
class NodeList;
class NodeModel;
class NoticeList;
class Selection;
class SpeedupChart;
class StatusPanel;
class TreeView;
class Welcome;

/// The window: the tree in the middle, panes around it. Only listens to the service and tells it
/// what the user wants; lives on the GUI thread and never waits.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(core::SearchService *service, QWidget *parent = nullptr);
    ~MainWindow() override;

    void openSession(const QString &file);
    void startSearch(const QString &file, const core::SearchConfig &config);
    /// Whether the layout is restored when shown and stored when closed. On unless said otherwise.
    void setRemembersLayout(bool on) { m_remembersLayout = on; }
    /// For this run; what the user chooses in the menu is also stored.
    void setColorScheme(ColorScheme scheme);
    /// Docks and tool bars as they were; the default layout if `state` is not usable.
    void restoreLayout(const QByteArray &geometry, const QByteArray &state);

    TreeView *tree() const { return m_tree; }
    NodeModel *model() const { return m_model; }
    Selection *selection() const { return m_selection; }
    Actions *actions() const { return m_actions; }
    EditorPane *editor() const { return m_editor; }
    MessageBar *message() const { return m_message; }

Q_SIGNALS:
    /// A stored session is shown with its best node's details.
    void settled();

protected:
    void closeEvent(QCloseEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    // What the window consists of: mainwindow.cpp
    void buildCentre();
    void buildPanes();
    void buildMenus();
    void resetLayout();
    void storeLayout();
    QDockWidget *addPane(
        const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area);

    // What follows from what the engine says: sessionbinding.cpp
    void connectService();
    void connectSelection();
    void sessionOpened(const core::SearchConfig &config);
    void receiveNodes(const QList<core::NodeSummary> &batch);
    void receiveProgress(const core::SearchProgress &progress);
    void searchFailed(const QString &message, bool environmentFault);
    void searchFinished(const core::SearchOutcome &outcome);
    void say(core::Notice::Level level, const QString &text);
    void closeSession();
    bool mayLeave();
    void leaveSession();
    void adaptActions();

    // What follows from what the user says: usercommands.cpp
    void connectActions();
    void newSearch();
    void chooseSession();
    void startDemo();
    /// Writes a file off the GUI thread and says how it went.
    void writeAside(const QString &out, const std::function<gpu::Status()> &write);
    void exportSession(const QString &format);
    void exportTree();
    void showNodeMenu(core::NodeId node, const QPoint &globalPosition);
    void showAssembly(const QString &form);
    void refreshRecent();
    QString proposedFolder() const;

    core::SearchService *m_service;
    std::unique_ptr<core::DraftStore> m_drafts; ///< of the open session
    NodeModel *m_model;
    Actions *m_actions;
    Selection *m_selection;
    TreeView *m_tree = nullptr;
    NodeList *m_list = nullptr;
    EditorPane *m_editor = nullptr;
    Inspector *m_inspector = nullptr;
    SpeedupChart *m_chart = nullptr;
    NoticeList *m_notices = nullptr;
    MessageBar *m_message = nullptr;
    StatusPanel *m_status = nullptr;
    Welcome *m_welcome = nullptr;
    QStackedWidget *m_centre = nullptr;
    QDockWidget *m_editorPane = nullptr, *m_nodesPane = nullptr, *m_problemsPane = nullptr;
    QDockWidget *m_inspectorPane = nullptr, *m_chartPane = nullptr;
    QMenu *m_recentMenu = nullptr;
    QByteArray m_defaultState;
    core::SearchProgress m_progress;
    core::SearchConfig m_config;
    core::NodeId m_editParent = 0; ///< an edit of it was sent: its child is selected when it comes
    bool m_sessionOpen = false, m_settled = false, m_remembersLayout = true, m_shown = false;
};

} // namespace ui
