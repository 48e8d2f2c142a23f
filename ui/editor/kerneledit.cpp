#include "ui/editor/kerneledit.h"

#include "ui/editor/cudalexer.h"

#include <QEvent>
#include <Qsci/qscicommandset.h>
#include <Qsci/qscistyle.h>

namespace ui {

namespace {
constexpr int LineMargin = 0, MarkMargin = 1, FoldMargin = 2;
constexpr int ErrorMark = 1, WarningMark = 2;
/// Above the styles of the lexer and of Scintilla itself.
constexpr int ErrorStyle = 48, WarningStyle = 49;
} // namespace

KernelEdit::KernelEdit(QWidget *parent)
    : QsciScintilla(parent)
    , m_lexer(new CudaLexer(this))
{
    setUtf8(true);
    setEolMode(EolUnix);
    setIndentationsUseTabs(false);
    setIndentationWidth(4);
    setTabWidth(4);
    setAutoIndent(true);
    setBackspaceUnindents(true);
    setBraceMatching(SloppyBraceMatch);
    setMarginType(LineMargin, NumberMargin);
    setMarginType(MarkMargin, SymbolMargin);
    setMarginWidth(MarkMargin, 16);
    setMarginMarkerMask(MarkMargin, (1 << ErrorMark) | (1 << WarningMark));
    setFolding(BoxedTreeFoldStyle, FoldMargin);
    setCaretLineVisible(true);
    setAnnotationDisplay(AnnotationIndented);
    setScrollWidth(1);
    setScrollWidthTracking(true);
    setAccessibleName(tr("Kernel source"));
    // Keys that belong to the window.
    for (Qt::Key key : {Qt::Key_Return, Qt::Key_Enter, Qt::Key_H, Qt::Key_F, Qt::Key_E, Qt::Key_W})
        for (int modifiers :
            {int(Qt::ControlModifier), int(Qt::ControlModifier | Qt::ShiftModifier)})
            if (QsciCommand *command = standardCommands()->boundTo(modifiers | key)) {
                if (command->key() == (modifiers | key))
                    command->setKey(0);
                else
                    command->setAlternateKey(0);
            }
    applyTheme();
    setLexer(m_lexer);
    markerDefine(Circle, ErrorMark);
    markerDefine(Circle, WarningMark);
    connect(this, &QsciScintilla::linesChanged, this, [this] {
        setMarginWidth(LineMargin,
            QString(std::max(3, int(QString::number(lines()).size()) + 1), QLatin1Char('9')));
    });
    setMarginWidth(LineMargin, QStringLiteral("9999"));
}

void KernelEdit::applyTheme()
{
    const Theme theme = Theme::fromPalette(palette());
    m_lexer->applyTheme(theme);
    setPaper(theme.color(Role::Surface));
    setColor(theme.color(Role::Text));
    setCaretForegroundColor(theme.color(Role::Text));
    setCaretLineBackgroundColor(theme.color(Role::SurfaceAlt));
    setSelectionBackgroundColor(theme.color(Role::AccentSoft));
    resetSelectionForegroundColor();
    setMarginsBackgroundColor(theme.color(Role::Canvas));
    setMarginsForegroundColor(theme.color(Role::TextFaint));
    setMarginsFont(m_lexer->defaultFont(0));
    setFoldMarginColors(theme.color(Role::Canvas), theme.color(Role::Canvas));
    setMatchedBraceBackgroundColor(theme.color(Role::AccentSoft));
    setMatchedBraceForegroundColor(theme.color(Role::Text));
    setUnmatchedBraceForegroundColor(theme.color(Role::VerdictWrong));
    setMarkerBackgroundColor(theme.color(Role::VerdictWrong), ErrorMark);
    setMarkerForegroundColor(theme.color(Role::VerdictWrong), ErrorMark);
    setMarkerBackgroundColor(theme.color(Role::VerdictBuild), WarningMark);
    setMarkerForegroundColor(theme.color(Role::VerdictBuild), WarningMark);
    for (int marker = SC_MARKNUM_FOLDEREND; marker <= int(SC_MARKNUM_FOLDEROPEN); ++marker) {
        SendScintilla(SCI_MARKERSETFORE, marker, theme.color(Role::Canvas));
        SendScintilla(SCI_MARKERSETBACK, marker, theme.color(Role::TextFaint));
    }
    const QFont small = m_lexer->defaultFont(0);
    QsciStyle(ErrorStyle, QStringLiteral("error"), theme.color(Role::VerdictWrong),
        theme.color(Role::Canvas), small)
        .apply(this);
    QsciStyle(WarningStyle, QStringLiteral("warning"), theme.color(Role::VerdictBuild),
        theme.color(Role::Canvas), small)
        .apply(this);
}

void KernelEdit::setFreshText(const QString &text)
{
    setText(text);
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    setModified(false);
    setCursorPosition(0, 0);
}

void KernelEdit::replaceAllText(const QString &text)
{
    beginUndoAction();
    selectAll();
    replaceSelectedText(text);
    endUndoAction();
    setCursorPosition(0, 0);
}

void KernelEdit::annotateLine(int line, const QString &text, bool error)
{
    const int index = line - 1;
    if (index < 0 || index >= lines())
        return;
    markerAdd(index, error ? ErrorMark : WarningMark);
    const QString earlier = annotation(index);
    const QString whole = earlier.isEmpty() ? text : earlier + QLatin1Char('\n') + text;
    annotate(index, whole, error ? ErrorStyle : WarningStyle);
}

void KernelEdit::showFindings(const gpu::Evaluation &evaluation)
{
    clearFindings();
    for (const gpu::Diagnostic &diagnostic : evaluation.diagnostics)
        if (diagnostic.severity != "note")
            annotateLine(diagnostic.line, QString::fromStdString(diagnostic.text),
                diagnostic.severity == "error");
    if (evaluation.fault)
        annotateLine(evaluation.fault->line, QString::fromStdString(evaluation.message), true);
}

void KernelEdit::clearFindings()
{
    markerDeleteAll(ErrorMark);
    markerDeleteAll(WarningMark);
    clearAnnotations();
}

void KernelEdit::goToLine(int line)
{
    const int index = std::clamp(line - 1, 0, std::max(0, lines() - 1));
    setCursorPosition(index, 0);
    ensureLineVisible(index);
    setFocus();
}

void KernelEdit::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
    QsciScintilla::changeEvent(event);
}

} // namespace ui
