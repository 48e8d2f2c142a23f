#include "ui/inspector/inspector.h"

#include "ui/inspector/nodehtml.h"
#include "ui/inspector/verdictheader.h"

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTextBrowser>
#include <QUrl>

namespace ui {

namespace {

QPlainTextEdit *plainPage(QWidget *parent, const QString &name)
{
    auto *page = new QPlainTextEdit(parent);
    page->setReadOnly(true);
    page->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    page->setFrameShape(QFrame::NoFrame);
    page->setAccessibleName(name);
    return page;
}

/// A page keeps its place when the same text comes again.
void setIfChanged(QPlainTextEdit *page, const QString &text)
{
    if (page->toPlainText() != text)
        page->setPlainText(text);
}

} // namespace

Inspector::Inspector(QWidget *parent)
    : QWidget(parent)
    , m_header(new VerdictHeader(this))
    , m_tabs(new QTabWidget(this))
    , m_page(new QTextBrowser(this))
    , m_prompt(plainPage(this, tr("Prompt")))
    , m_reply(plainPage(this, tr("Reply")))
    , m_assembly(plainPage(this, tr("Assembly")))
    , m_assemblyTitle(new QLabel(this))
    , m_assemblyPage(new QWidget(this))
{
    m_page->setOpenLinks(false);
    m_page->setFrameShape(QFrame::NoFrame);
    m_page->document()->setDocumentMargin(10);
    m_page->setAccessibleName(tr("Details of the node"));
    m_assembly->setLineWrapMode(QPlainTextEdit::NoWrap);

    auto *ptx = new QPushButton(tr("Show &PTX"), this);
    auto *sass = new QPushButton(tr("Show &SASS"), this);
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(m_assemblyTitle, 1);
    buttons->addWidget(ptx);
    buttons->addWidget(sass);
    auto *assemblyLayout = new QVBoxLayout(m_assemblyPage);
    assemblyLayout->setContentsMargins(6, 6, 6, 0);
    assemblyLayout->addLayout(buttons);
    assemblyLayout->addWidget(m_assembly, 1);

    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_page, tr("Result"));
    m_tabs->addTab(m_prompt, tr("Prompt"));
    m_tabs->addTab(m_reply, tr("Reply"));
    m_tabs->addTab(m_assemblyPage, tr("Assembly"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    layout->addWidget(m_tabs, 1);
    setMinimumWidth(300);

    connect(ptx, &QPushButton::clicked, this,
        [this] { Q_EMIT assemblyRequested(m_details.summary.id, QStringLiteral("ptx")); });
    connect(sass, &QPushButton::clicked, this,
        [this] { Q_EMIT assemblyRequested(m_details.summary.id, QStringLiteral("sass")); });
    connect(m_page, &QTextBrowser::anchorClicked, this, [this](const QUrl &url) {
        const QStringList parts = url.toString().split(QLatin1Char(':'));
        if (parts.value(0) == QLatin1String("line"))
            Q_EMIT lineRequested(parts.value(1).toInt());
        else if (parts.value(0) == QLatin1String("node"))
            Q_EMIT nodeRequested(parts.value(1).toUInt());
    });
    clear();
}

void Inspector::showSummary(const core::NodeSummary &summary)
{
    const bool other = m_empty || summary.id != m_details.summary.id;
    if (other) {
        m_details = {};
        m_assembly->clear();
        m_assemblyTitle->clear();
    }
    m_empty = false;
    m_details.summary = summary;
    render();
    if (other)
        m_page->verticalScrollBar()->setValue(0);
}

void Inspector::showDetails(const core::NodeDetails &details)
{
    m_empty = false;
    m_details = details;
    render();
}

void Inspector::showAssembly(const QString &form, const QString &text)
{
    m_assemblyTitle->setText(tr("%1 of #%2").arg(form.toUpper()).arg(m_details.summary.id));
    m_assembly->setPlainText(text);
    m_tabs->setCurrentWidget(m_assemblyPage);
}

void Inspector::clear()
{
    m_empty = true;
    m_details = {};
    render();
}

QString Inspector::text() const
{
    return m_page->toPlainText();
}

void Inspector::render()
{
    if (m_empty) {
        m_header->clear();
        m_shownHtml.clear();
        m_page->clear();
        m_prompt->clear();
        m_reply->clear();
        m_assembly->clear();
        m_assemblyTitle->clear();
        m_tabs->setEnabled(false);
        return;
    }
    m_tabs->setEnabled(true);
    m_header->show(m_details.summary);
    const QString html = nodeHtml(m_details, Theme::fromPalette(palette()));
    if (html != m_shownHtml) {
        const int place = m_page->verticalScrollBar()->value();
        m_shownHtml = html;
        m_page->setHtml(html);
        m_page->verticalScrollBar()->setValue(place);
    }
    setIfChanged(m_prompt,
        m_details.prompt.isEmpty() ? tr("No model was asked for this node.") : m_details.prompt);
    setIfChanged(m_reply,
        m_details.reply.isEmpty() ? tr("There is no reply for this node.") : m_details.reply);
}

void Inspector::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange && !m_empty)
        render();
    QWidget::changeEvent(event);
}

} // namespace ui
