#pragma once

#include "core/search/searchconfig.h"

#include <QAction>
#include <QObject>

#include <array>

namespace ui {

/// What the window can be told to do.
enum class Command {
    NewSearch,
    Open,
    ExportReport,
    ExportKernel,
    ExportTree,
    CloseSession,
    Quit,
    Start,
    Pause,
    Stop,
    Evaluate,
    SeedFrom,
    OpenNode,
    Pin,
    Exclude,
    Archive,
    ShowPtx,
    ShowSass,
    CopySource,
    Find,
    FindNext,
    FindPrevious,
    Replace,
    Fit,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    Follow,
    SelectBest,
    SelectRoot,
    Collapse,
    SchemeSystem,
    SchemeLight,
    SchemeDark,
    ResetLayout,
    Shortcuts,
    About,
    Count
};

/// What decides which commands can be given now.
struct Situation {
    core::SearchState state = core::SearchState::Idle;
    bool sessionOpen = false;
    bool nodeSelected = false;
    bool kernelSelected = false; ///< the selected node has a source
    bool editorHasText = false;
};

/// One QAction a command: text, key and tip come from one table. Lives on the GUI thread.
class Actions : public QObject {
    Q_OBJECT
public:
    explicit Actions(QObject *parent);

    QAction *at(Command command) const { return m_actions[static_cast<std::size_t>(command)]; }
    void adapt(const Situation &situation);
    /// A table of all keys, as HTML.
    QString shortcutTable() const;

private:
    std::array<QAction *, static_cast<std::size_t>(Command::Count)> m_actions{};
};

/// Something runs or is about to: the session must not be closed without a word.
bool isActive(core::SearchState state);

} // namespace ui
