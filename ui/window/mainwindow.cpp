#include "ui/window/mainwindow.h"

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
#include "ui/window/selection.h"
#include "ui/window/statuspanel.h"
#include "ui/window/welcome.h"

#include <QCloseEvent>
#include <QDockWidget>
#include <QMenuBar>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QVBoxLayout>

namespace ui {

namespace {
/// Raised when docks are added or renamed: an older layout is then not restored.
constexpr int LayoutVersion = 1;
const QString GeometryKey = QStringLiteral("window/geometry");
const QString StateKey = QStringLiteral("window/state");
} // namespace

MainWindow::MainWindow(core::SearchService *service, QWidget *parent)
    : QMainWindow(parent)
    , m_service(service)
    , m_model(new NodeModel(this))
    , m_actions(new Actions(this))
    , m_selection(new Selection(service, this))
{
    setObjectName(QStringLiteral("MainWindow"));
    setWindowTitle(tr("Espalier"));
    setAcceptDrops(true);
    setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    resize(1600, 1000);
    buildCentre();
    buildPanes();
    buildMenus();
    m_status = new StatusPanel(this);
    statusBar()->addPermanentWidget(m_status, 1);
    connectService();
    connectSelection();
    connectActions();
    resetLayout();
    m_defaultState = saveState(LayoutVersion);
    refreshRecent();
    adaptActions();
}

MainWindow::~MainWindow() = default;

void MainWindow::buildCentre()
{
    m_tree = new TreeView(m_model, this);
    m_tree->setAccessibleName(tr("Search tree"));
    m_welcome = new Welcome(this);
    m_message = new MessageBar(this);
    m_centre = new QStackedWidget(this);
    m_centre->addWidget(m_welcome);
    m_centre->addWidget(m_tree);
    auto *centre = new QWidget(this);
    auto *layout = new QVBoxLayout(centre);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_message);
    layout->addWidget(m_centre, 1);
    setCentralWidget(centre);
}

QDockWidget *MainWindow::addPane(
    const QString &name, const QString &title, QWidget *content, Qt::DockWidgetArea area)
{
    auto *dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    addDockWidget(area, dock);
    return dock;
}

void MainWindow::buildPanes()
{
    m_editor = new EditorPane(nullptr, this);
    m_inspector = new Inspector(this);
    m_chart = new SpeedupChart(m_model, this);
    m_list = new NodeList(m_model, this);
    m_notices = new NoticeList(this);
    m_editorPane
        = addPane(QStringLiteral("editor"), tr("Editor"), m_editor, Qt::BottomDockWidgetArea);
    m_nodesPane = addPane(QStringLiteral("nodes"), tr("Nodes"), m_list, Qt::BottomDockWidgetArea);
    m_problemsPane
        = addPane(QStringLiteral("problems"), tr("Problems"), m_notices, Qt::BottomDockWidgetArea);
    m_inspectorPane = addPane(
        QStringLiteral("inspector"), tr("Inspector"), m_inspector, Qt::RightDockWidgetArea);
    m_chartPane
        = addPane(QStringLiteral("chart"), tr("Speed-up"), m_chart, Qt::RightDockWidgetArea);
}

void MainWindow::resetLayout()
{
    for (QDockWidget *pane :
        {m_editorPane, m_nodesPane, m_problemsPane, m_inspectorPane, m_chartPane}) {
        pane->setFloating(false);
        pane->show();
    }
    addDockWidget(Qt::BottomDockWidgetArea, m_editorPane);
    tabifyDockWidget(m_editorPane, m_nodesPane);
    tabifyDockWidget(m_nodesPane, m_problemsPane);
    addDockWidget(Qt::RightDockWidgetArea, m_inspectorPane);
    splitDockWidget(m_inspectorPane, m_chartPane, Qt::Vertical);
    m_editorPane->raise();
    resizeDocks({m_inspectorPane, m_chartPane}, {460, 460}, Qt::Horizontal);
    resizeDocks({m_inspectorPane, m_chartPane}, {600, 300}, Qt::Vertical);
    resizeDocks({m_editorPane}, {400}, Qt::Vertical);
}

void MainWindow::buildMenus()
{
    const auto fill = [this](QMenu *menu, std::initializer_list<std::optional<Command>> commands) {
        for (const auto &command : commands) {
            if (command)
                menu->addAction(m_actions->at(*command));
            else
                menu->addSeparator();
        }
    };
    constexpr auto Line = std::nullopt;
    QMenu *file = menuBar()->addMenu(tr("&File"));
    fill(file, {Command::NewSearch, Command::Open});
    m_recentMenu = file->addMenu(tr("Open &recent"));
    fill(file,
        {Line, Command::ExportReport, Command::ExportKernel, Command::ExportTree, Line,
            Command::CloseSession, Command::Quit});
    fill(menuBar()->addMenu(tr("&Edit")),
        {Command::Find, Command::FindNext, Command::FindPrevious, Command::Replace, Line,
            Command::CopySource});
    fill(menuBar()->addMenu(tr("&Search")),
        {Command::Start, Command::Pause, Command::Stop, Line, Command::Evaluate,
            Command::SeedFrom});
    fill(menuBar()->addMenu(tr("&Node")),
        {Command::OpenNode, Command::Pin, Command::Exclude, Command::Archive, Line,
            Command::ShowPtx, Command::ShowSass, Line, Command::SelectBest, Command::SelectRoot,
            Command::Collapse});
    QMenu *view = menuBar()->addMenu(tr("&View"));
    fill(view,
        {Command::Fit, Command::ZoomIn, Command::ZoomOut, Command::ZoomReset, Command::Follow,
            Line});
    int number = 1;
    for (QDockWidget *dock : findChildren<QDockWidget *>()) {
        QAction *toggle = dock->toggleViewAction();
        toggle->setShortcut(QKeySequence(QStringLiteral("Ctrl+%1").arg(number++)));
        view->addAction(toggle);
    }
    view->addSeparator();
    fill(view->addMenu(tr("&Colour scheme")),
        {Command::SchemeSystem, Command::SchemeLight, Command::SchemeDark});
    fill(view, {Command::ResetLayout});
    fill(menuBar()->addMenu(tr("&Help")), {Command::Shortcuts, Command::About});

    QToolBar *bar = addToolBar(tr("Search"));
    bar->setObjectName(QStringLiteral("searchBar"));
    bar->setToolButtonStyle(Qt::ToolButtonTextOnly);
    for (const auto &command : std::initializer_list<std::optional<Command>>{Command::NewSearch,
             Line, Command::Start, Command::Pause, Command::Stop, Line, Command::Evaluate,
             Command::SeedFrom, Line, Command::Fit, Command::Follow, Command::SelectBest}) {
        if (command)
            bar->addAction(m_actions->at(*command));
        else
            bar->addSeparator();
    }
    // The tree's own keys: they work while it or the list has the focus.
    for (Command command : {Command::OpenNode, Command::Pin, Command::Exclude, Command::Fit,
             Command::ZoomIn, Command::ZoomOut, Command::ZoomReset, Command::Follow,
             Command::SelectBest, Command::SelectRoot, Command::Collapse})
        m_tree->addAction(m_actions->at(command));
}

void MainWindow::restoreLayout(const QByteArray &geometry, const QByteArray &state)
{
    if (!geometry.isEmpty())
        restoreGeometry(geometry);
    if (!state.isEmpty() && !restoreState(state, LayoutVersion))
        restoreState(m_defaultState, LayoutVersion);
}

void MainWindow::storeLayout()
{
    QSettings settings;
    settings.setValue(GeometryKey, saveGeometry());
    settings.setValue(StateKey, saveState(LayoutVersion));
}

void MainWindow::showEvent(QShowEvent *event)
{
    if (!std::exchange(m_shown, true)) {
        if (m_remembersLayout) {
            const QSettings settings;
            restoreLayout(
                settings.value(GeometryKey).toByteArray(), settings.value(StateKey).toByteArray());
        }
        m_tree->setFocus();
    }
    QMainWindow::showEvent(event);
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!mayLeave()) {
        event->ignore();
        return;
    }
    if (m_remembersLayout)
        storeLayout();
    leaveSession();
    event->accept();
}

} // namespace ui
