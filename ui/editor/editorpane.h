#pragma once

#include "core/session/node.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;
class QTabWidget;

namespace core {
class DraftStore;
}

namespace ui {

class FindBar;
class KernelEdit;

/// Kernels of the search, a tab each. A stored kernel never changes: typing makes a draft of it,
/// kept by the store within seconds, and evaluating sends the draft as a new child. The last tab
/// that was only looked at is used again for the next kernel. Lives on the GUI thread.
class EditorPane : public QWidget {
    Q_OBJECT
public:
    explicit EditorPane(core::DraftStore *drafts, QWidget *parent = nullptr);

    /// For another session: closes all tabs. Drafts that were not evaluated stay in the old store.
    void setDrafts(core::DraftStore *drafts);
    /// Shows a node's source. A draft of it is shown instead, with a way back.
    void openNode(const core::NodeDetails &details);
    /// A node that may be open has changed.
    void updateNode(const core::NodeSummary &summary);

    core::NodeId currentNode() const;
    QString currentSource() const;
    bool hasUnsavedDrafts() const;
    KernelEdit *currentEdit() const;
    /// The last draft could not be stored; empty if all are.
    QString storeError() const { return m_storeError; }

public Q_SLOTS:
    void evaluate();
    void find();
    void findNext();
    void findPrevious();
    void replace();
    void showLine(int line);
    /// Puts the node's own source back, as one undo step.
    void revert();
    /// Writes drafts that were typed in since the last time.
    void storeDrafts();

Q_SIGNALS:
    void evaluateRequested(core::NodeId parent, QString source);
    void seedRequested(core::NodeId node);
    void nodeRequested(core::NodeId node);

private:
    struct Tab {
        KernelEdit *edit = nullptr;
        core::NodeSummary summary;
        QString base; ///< the node's own source
        bool draft = false; ///< differs from the base
        bool stored = true; ///< what is typed is in the store
        bool baseChanged = false; ///< the draft was begun on another source
    };

    Tab *tabOf(core::NodeId node);
    Tab *currentTab();
    const Tab *currentTab() const;
    Tab &newTab();
    void fill(Tab &tab, const core::NodeDetails &details);
    void textChanged(KernelEdit *edit);
    void closeTab(int index);
    void refreshTitle(const Tab &tab);
    void refreshHeader();

    core::DraftStore *m_drafts;
    QTabWidget *m_tabs;
    FindBar *m_findBar;
    QLabel *m_header;
    QPushButton *m_evaluate, *m_seed, *m_revert;
    QList<Tab> m_open;
    QTimer m_storeTimer;
    QString m_storeError;
    bool m_filling = false;
};

} // namespace ui
