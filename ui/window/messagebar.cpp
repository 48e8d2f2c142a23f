#include "ui/window/messagebar.h"

#include "ui/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QStyle>
#include <QToolButton>

namespace ui {

MessageBar::MessageBar(QWidget *parent)
    : QFrame(parent)
{
    setAutoFillBackground(true);
    setFrameShape(QFrame::StyledPanel);
    m_text = new QLabel(this);
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto *close = new QToolButton(this);
    close->setIcon(style()->standardIcon(QStyle::SP_TitleBarCloseButton));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close this message"));
    close->setAccessibleName(close->toolTip());
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 6, 6, 6);
    layout->addWidget(m_text, 1);
    layout->addWidget(close, 0, Qt::AlignTop);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void MessageBar::show(Kind kind, const QString &text)
{
    m_kind = kind;
    m_text->setText(text);
    setAccessibleName(text);
    refresh();
    QFrame::show();
}

QString MessageBar::text() const
{
    return m_text->text();
}

void MessageBar::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Escape)
        hide();
    else
        QFrame::keyPressEvent(event);
}

void MessageBar::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && isVisible())
        refresh();
    QFrame::changeEvent(event);
}

void MessageBar::refresh()
{
    // From the application's palette: this widget's own is what is set here.
    const Theme theme = Theme::fromPalette(parentWidget() ? parentWidget()->palette() : palette());
    const Role mark = m_kind == Kind::Error ? Role::VerdictWrong
        : m_kind == Kind::Warning           ? Role::VerdictBuild
                                            : Role::Accent;
    const QColor over = theme.color(mark), under = theme.color(Role::Surface);
    const auto mix = [&](int a, int b) { return (a * 18 + b * 82) / 100; };
    const QColor background(mix(over.red(), under.red()), mix(over.green(), under.green()),
        mix(over.blue(), under.blue()));
    QPalette own = palette();
    if (own.color(QPalette::Window) == background)
        return;
    own.setColor(QPalette::Window, background);
    own.setColor(QPalette::WindowText, theme.color(Role::Text));
    setPalette(own);
}

} // namespace ui
