#pragma once

#include "core/session/node.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTabWidget;
class QTextBrowser;

namespace ui {

class VerdictHeader;

/// What is known of the selected node. Everything can be selected and copied. Lives on the GUI
/// thread.
class Inspector : public QWidget {
    Q_OBJECT
public:
    explicit Inspector(QWidget *parent = nullptr);

    /// At once, before the details have come.
    void showSummary(const core::NodeSummary &summary);
    void showDetails(const core::NodeDetails &details);
    /// `form` is "ptx" or "sass".
    void showAssembly(const QString &form, const QString &text);
    void clear();
    QString text() const;

Q_SIGNALS:
    void lineRequested(int line);
    void nodeRequested(core::NodeId node);
    void assemblyRequested(core::NodeId node, const QString &form);

protected:
    void changeEvent(QEvent *event) override;

private:
    void render();

    core::NodeDetails m_details;
    bool m_empty = true;
    QString m_shownHtml;
    VerdictHeader *m_header;
    QTabWidget *m_tabs;
    QTextBrowser *m_page;
    QPlainTextEdit *m_prompt, *m_reply, *m_assembly;
    QLabel *m_assemblyTitle;
    QWidget *m_assemblyPage;
};

} // namespace ui
