#include "ui/window/actions.h"

#include <QActionGroup>
#include <QKeySequence>

namespace ui {

namespace {

struct Entry {
    Command command;
    const char *text;
    const char *keys; ///< several, separated by "; "
    const char *tip;
};

constexpr Entry Table[] = {
    {Command::NewSearch, "&New search…", "Ctrl+N", "Choose a problem and search"},
    {Command::Open, "&Open session…", "Ctrl+O", "Open a stored session"},
    {Command::ExportReport, "Export &report…", "Ctrl+Shift+E",
        "Write the session as one HTML file"},
    {Command::ExportKernel, "Export &kernel…", "Ctrl+E", "Write the selected kernel as a .cu file"},
    {Command::ExportTree, "Export &tree picture…", "", "Write the whole tree as PNG or SVG"},
    {Command::CloseSession, "&Close session", "Ctrl+W", "Close the session; everything is stored"},
    {Command::Quit, "&Quit", "Ctrl+Q", "Leave Espalier"},
    {Command::Start, "&Start", "F5", "Go on with the search"},
    {Command::Pause, "&Pause", "Shift+F6", "End what runs and begin nothing new"},
    {Command::Stop, "S&top", "Shift+F5", "Stop the search now; it can go on later"},
    {Command::Evaluate, "&Compile, check and time", "Ctrl+Return; Ctrl+Enter",
        "Evaluate the editor's text as a new child of its node"},
    {Command::SeedFrom, "&Seed the next round from here", "Ctrl+Shift+Return",
        "The next round starts from the selected kernel"},
    {Command::OpenNode, "Open in &editor", "Return", "Show the selected kernel's source"},
    {Command::Pin, "&Pin", "P", "A pinned kernel seeds before a faster one"},
    {Command::Exclude, "E&xclude", "X", "An excluded kernel never seeds and never wins"},
    {Command::Archive, "&Archive", "", "Put the node aside; nothing is ever deleted"},
    {Command::ShowPtx, "Show &PTX", "", "The PTX that the compiler makes of this kernel"},
    {Command::ShowSass, "Show &SASS", "", "The machine code for the device's architecture"},
    {Command::CopySource, "Copy so&urce", "", "Put the kernel's source on the clipboard"},
    {Command::Find, "&Find…", "Ctrl+F", "Find in the editor"},
    {Command::FindNext, "Find &next", "F3", ""},
    {Command::FindPrevious, "Find pre&vious", "Shift+F3", ""},
    {Command::Replace, "&Replace…", "Ctrl+H", "Find and replace in the editor"},
    {Command::Fit, "&Fit", "F", "Show the whole tree and keep it in view"},
    {Command::ZoomIn, "Zoom &in", "+; =", ""},
    {Command::ZoomOut, "Zoom &out", "-", ""},
    {Command::ZoomReset, "&Actual size", "0", ""},
    {Command::Follow, "Fo&llow", "L", "Keep the newest node in view"},
    {Command::SelectBest, "&Best", "B", "Select the fastest kernel that passed"},
    {Command::SelectRoot, "&Root", "Home", "Select the seed"},
    {Command::Collapse, "&Collapse or expand", "Space", "Fold the selected node's branch"},
    {Command::SchemeSystem, "&System", "", "Light or dark as the desktop is"},
    {Command::SchemeLight, "&Light", "", "Light, whatever the desktop is"},
    {Command::SchemeDark, "&Dark", "", "Dark, whatever the desktop is"},
    {Command::ResetLayout, "&Reset layout", "", "Put all panes back where they were"},
    {Command::Shortcuts, "&Keyboard shortcuts", "F1", ""},
    {Command::About, "&About Espalier", "", ""},
};

/// Keys that the tree handles itself while it has the focus: as window-wide shortcuts they would
/// take letters from the editor.
bool belongsToTree(Command command)
{
    switch (command) {
    case Command::OpenNode:
    case Command::Pin:
    case Command::Exclude:
    case Command::Fit:
    case Command::ZoomIn:
    case Command::ZoomOut:
    case Command::ZoomReset:
    case Command::Follow:
    case Command::SelectBest:
    case Command::SelectRoot:
    case Command::Collapse:
        return true;
    default:
        return false;
    }
}

QList<QKeySequence> keysOf(const Entry &entry)
{
    QList<QKeySequence> keys;
    for (const QString &key :
        QString::fromUtf8(entry.keys).split(QStringLiteral("; "), Qt::SkipEmptyParts))
        keys.append(QKeySequence(key, QKeySequence::PortableText));
    return keys;
}

QString plain(QString text)
{
    return text.remove(QLatin1Char('&')).remove(QStringLiteral("…"));
}

} // namespace

Actions::Actions(QObject *parent)
    : QObject(parent)
{
    for (const Entry &entry : Table) {
        auto *action = new QAction(QString::fromUtf8(entry.text), this);
        const QList<QKeySequence> keys = keysOf(entry);
        action->setShortcuts(keys);
        if (belongsToTree(entry.command))
            action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        const QString tip = entry.tip[0] ? QString::fromUtf8(entry.tip) : plain(action->text());
        action->setStatusTip(tip);
        action->setToolTip(keys.isEmpty()
                ? tip
                : QStringLiteral("%1 (%2)").arg(tip, keys[0].toString(QKeySequence::NativeText)));
        m_actions[static_cast<std::size_t>(entry.command)] = action;
    }
    for (Command command : {Command::Follow, Command::Pin, Command::Exclude, Command::Archive,
             Command::SchemeSystem, Command::SchemeLight, Command::SchemeDark})
        at(command)->setCheckable(true);
    auto *schemes = new QActionGroup(this);
    for (Command command : {Command::SchemeSystem, Command::SchemeLight, Command::SchemeDark})
        schemes->addAction(at(command));
    adapt({});
}

void Actions::adapt(const Situation &now)
{
    using State = core::SearchState;
    const bool running = now.state == State::Running || now.state == State::Starting;
    const bool halting = now.state == State::Pausing || now.state == State::Stopping;
    at(Command::Start)->setEnabled(now.sessionOpen && !running && !halting);
    at(Command::Start)->setText(now.state == State::Paused ? tr("&Resume") : tr("&Start"));
    at(Command::Pause)->setEnabled(running);
    at(Command::Stop)->setEnabled(isActive(now.state) && now.state != State::Stopping);
    for (Command command : {Command::ExportReport, Command::ExportTree, Command::CloseSession,
             Command::Fit, Command::ZoomIn, Command::ZoomOut, Command::ZoomReset, Command::Follow,
             Command::SelectBest, Command::SelectRoot})
        at(command)->setEnabled(now.sessionOpen);
    for (Command command : {Command::Pin, Command::Exclude, Command::Archive, Command::Collapse})
        at(command)->setEnabled(now.nodeSelected);
    for (Command command : {Command::SeedFrom, Command::OpenNode, Command::ShowPtx,
             Command::ShowSass, Command::CopySource, Command::ExportKernel})
        at(command)->setEnabled(now.kernelSelected);
    for (Command command : {Command::Evaluate, Command::Find, Command::FindNext,
             Command::FindPrevious, Command::Replace})
        at(command)->setEnabled(now.editorHasText);
}

QString Actions::shortcutTable() const
{
    QString rows;
    for (const QAction *action : m_actions) {
        if (action->shortcut().isEmpty())
            continue;
        rows += QStringLiteral("<tr><td><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
                    .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                        action->statusTip().toHtmlEscaped());
    }
    return QStringLiteral("<table cellpadding='3'>%1</table>").arg(rows);
}

bool isActive(core::SearchState state)
{
    using State = core::SearchState;
    return state == State::Starting || state == State::Running || state == State::Pausing
        || state == State::Paused || state == State::Stopping;
}

} // namespace ui
