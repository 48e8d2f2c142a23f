#pragma once

#include "gpu/verify/evaluation.h"

#include <Qsci/qsciscintilla.h>

namespace ui {

class CudaLexer;

/// One text with CUDA colours, line numbers, folding, and marks at lines that a compiler or the
/// check has something to say about.
class KernelEdit : public QsciScintilla {
    Q_OBJECT
public:
    explicit KernelEdit(QWidget *parent = nullptr);

    /// For a new buffer: there is nothing to undo afterwards.
    void setFreshText(const QString &text);
    /// One undo step.
    void replaceAllText(const QString &text);
    /// Marks the lines of errors and of the fault; none for an evaluation without.
    void showFindings(const gpu::Evaluation &evaluation);
    void clearFindings();
    /// Puts the cursor at a line, from 1, and shows it.
    void goToLine(int line);

protected:
    void changeEvent(QEvent *event) override;

private:
    void applyTheme();
    void annotateLine(int line, const QString &text, bool error);

    CudaLexer *m_lexer;
};

} // namespace ui
