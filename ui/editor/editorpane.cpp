#include "ui/editor/editorpane.h"

#include "core/session/draftstore.h"
#include "ui/editor/findbar.h"
#include "ui/editor/kerneledit.h"
#include "ui/verdictstyle.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QTabBar>
#include <QTabWidget>

namespace ui {

namespace {
constexpr int StoreDelayMs = 2000;

QString headline(const core::NodeSummary &node)
{
    QString line = QStringLiteral("#%1 %2").arg(node.id).arg(kindText(node.kind));
    if (node.parent)
        line += QObject::tr(" of #%1").arg(node.parent);
    line += QStringLiteral(" · %1").arg(statusText(node));
    if (node.speedup)
        line += QLatin1Char(' ') + speedupText(node.speedup);
    return line;
}
} // namespace

EditorPane::EditorPane(core::DraftStore *drafts, QWidget *parent)
    : QWidget(parent)
    , m_drafts(drafts)
    , m_tabs(new QTabWidget(this))
    , m_findBar(new FindBar(this))
    , m_header(new QLabel(this))
    , m_evaluate(new QPushButton(tr("&Compile, check and time"), this))
    , m_seed(new QPushButton(tr("&Seed the next round from here"), this))
    , m_revert(new QPushButton(tr("Re&vert"), this))
{
    m_header->setTextFormat(Qt::PlainText);
    m_evaluate->setToolTip(tr("Evaluates this text as a new child of its node (Ctrl+Enter)"));
    m_seed->setToolTip(tr("The next round starts from this kernel (Ctrl+Shift+Enter)"));
    m_revert->setToolTip(tr("Puts the node's own source back; can be undone"));
    m_tabs->setDocumentMode(true);
    m_tabs->setTabsClosable(true);
    m_tabs->setMovable(false);
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->setAccessibleName(tr("Open kernels"));

    auto *top = new QHBoxLayout;
    top->setContentsMargins(8, 4, 8, 0);
    top->addWidget(m_header, 1);
    top->addWidget(m_revert);
    top->addWidget(m_seed);
    top->addWidget(m_evaluate);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(top);
    layout->addWidget(m_tabs, 1);
    layout->addWidget(m_findBar);
    layout->addStretch(); // while nothing is open

    m_storeTimer.setSingleShot(true);
    m_storeTimer.setInterval(StoreDelayMs);
    connect(&m_storeTimer, &QTimer::timeout, this, &EditorPane::storeDrafts);
    connect(m_evaluate, &QPushButton::clicked, this, &EditorPane::evaluate);
    connect(m_revert, &QPushButton::clicked, this, &EditorPane::revert);
    connect(m_seed, &QPushButton::clicked, this, [this] { Q_EMIT seedRequested(currentNode()); });
    connect(m_tabs, &QTabWidget::tabCloseRequested, this, &EditorPane::closeTab);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        m_findBar->setEdit(currentEdit());
        refreshHeader();
        if (!m_filling && currentNode())
            Q_EMIT nodeRequested(currentNode());
    });
    refreshHeader();
}

void EditorPane::setDrafts(core::DraftStore *drafts)
{
    storeDrafts();
    m_filling = true;
    while (m_tabs->count() > 0)
        delete m_tabs->widget(0);
    m_open.clear();
    m_filling = false;
    m_drafts = drafts;
    m_findBar->setEdit(nullptr);
    refreshHeader();
}

EditorPane::Tab *EditorPane::tabOf(core::NodeId node)
{
    for (Tab &tab : m_open)
        if (tab.summary.id == node)
            return &tab;
    return nullptr;
}

KernelEdit *EditorPane::currentEdit() const
{
    return qobject_cast<KernelEdit *>(m_tabs->currentWidget());
}

const EditorPane::Tab *EditorPane::currentTab() const
{
    for (const Tab &tab : m_open)
        if (tab.edit == m_tabs->currentWidget())
            return &tab;
    return nullptr;
}

EditorPane::Tab *EditorPane::currentTab()
{
    return const_cast<Tab *>(std::as_const(*this).currentTab());
}

core::NodeId EditorPane::currentNode() const
{
    const Tab *tab = currentTab();
    return tab ? tab->summary.id : 0;
}

QString EditorPane::currentSource() const
{
    const KernelEdit *edit = currentEdit();
    return edit ? edit->text() : QString();
}

bool EditorPane::hasUnsavedDrafts() const
{
    return std::any_of(m_open.begin(), m_open.end(), [](const Tab &tab) { return !tab.stored; });
}

EditorPane::Tab &EditorPane::newTab()
{
    Tab tab;
    tab.edit = new KernelEdit(m_tabs);
    connect(tab.edit, &QsciScintilla::textChanged, this,
        [this, edit = tab.edit] { textChanged(edit); });
    m_tabs->addTab(tab.edit, {});
    m_open.append(tab);
    return m_open.last();
}

void EditorPane::openNode(const core::NodeDetails &details)
{
    m_filling = true;
    Tab *tab = tabOf(details.summary.id);
    if (tab) {
        tab->summary = details.summary;
    } else {
        // The tab of a kernel that was only looked at is used again.
        for (Tab &open : m_open)
            if (!open.draft)
                tab = &open;
        if (!tab)
            tab = &newTab();
        fill(*tab, details);
    }
    if (details.evaluation && !tab->draft)
        tab->edit->showFindings(*details.evaluation);
    m_tabs->setCurrentWidget(tab->edit);
    m_findBar->setEdit(tab->edit);
    refreshTitle(*tab);
    m_filling = false;
    refreshHeader();
}

void EditorPane::fill(Tab &tab, const core::NodeDetails &details)
{
    tab.summary = details.summary;
    tab.base = details.source;
    tab.draft = false;
    tab.stored = true;
    tab.baseChanged = false;
    tab.edit->clearFindings();
    tab.edit->setFreshText(details.source);
    if (!m_drafts)
        return;
    if (const auto draft = m_drafts->load(details.summary.id, details.source)) {
        tab.edit->replaceAllText(draft->text);
        tab.draft = draft->text != details.source;
        tab.baseChanged = draft->baseChanged;
    }
}

void EditorPane::updateNode(const core::NodeSummary &summary)
{
    if (Tab *tab = tabOf(summary.id)) {
        tab->summary = summary;
        refreshTitle(*tab);
        if (tab->edit == currentEdit())
            refreshHeader();
    }
}

void EditorPane::textChanged(KernelEdit *edit)
{
    if (m_filling)
        return;
    for (Tab &tab : m_open) {
        if (tab.edit != edit)
            continue;
        tab.draft = edit->text() != tab.base;
        tab.stored = false;
        m_storeTimer.start();
        refreshTitle(tab);
        refreshHeader();
    }
}

void EditorPane::storeDrafts()
{
    m_storeTimer.stop();
    QString error;
    for (Tab &tab : m_open) {
        if (tab.stored || !m_drafts)
            continue;
        if (!tab.draft) {
            m_drafts->remove(tab.summary.id);
            tab.stored = true;
            continue;
        }
        const gpu::Status status = m_drafts->save(tab.summary.id, tab.base, tab.edit->text());
        tab.stored = status.ok();
        if (!status)
            error = QString::fromStdString(status.error().message);
    }
    if (m_storeError != error) {
        m_storeError = error;
        refreshHeader();
    }
}

void EditorPane::closeTab(int index)
{
    storeDrafts();
    QWidget *widget = m_tabs->widget(index);
    m_open.removeIf([widget](const Tab &tab) { return tab.edit == widget; });
    delete widget;
    refreshHeader();
}

void EditorPane::evaluate()
{
    const Tab *tab = currentTab();
    if (!tab)
        return;
    storeDrafts();
    Q_EMIT evaluateRequested(tab->summary.id, tab->edit->text());
}

void EditorPane::revert()
{
    if (Tab *tab = currentTab())
        tab->edit->replaceAllText(tab->base);
}

void EditorPane::find()
{
    m_findBar->openFind();
}

void EditorPane::findNext()
{
    m_findBar->findNext();
}

void EditorPane::findPrevious()
{
    m_findBar->findPrevious();
}

void EditorPane::replace()
{
    m_findBar->openReplace();
}

void EditorPane::showLine(int line)
{
    if (KernelEdit *edit = currentEdit())
        edit->goToLine(line);
}

void EditorPane::refreshTitle(const Tab &tab)
{
    const int index = m_tabs->indexOf(tab.edit);
    m_tabs->setTabText(index,
        QStringLiteral("#%1%2")
            .arg(tab.summary.id)
            .arg(tab.draft ? QStringLiteral(" *") : QString()));
    m_tabs->setTabToolTip(index, tab.summary.title);
}

void EditorPane::refreshHeader()
{
    const Tab *tab = currentTab();
    m_tabs->setVisible(tab != nullptr);
    m_evaluate->setEnabled(tab != nullptr);
    m_seed->setEnabled(tab != nullptr);
    m_revert->setEnabled(tab && tab->draft);
    if (!m_storeError.isEmpty())
        m_header->setText(m_storeError);
    else if (!tab)
        m_header->setText(tr("Select a kernel in the tree to read and edit it here."));
    else if (tab->baseChanged)
        m_header->setText(
            tr("%1 — a draft begun on another version of this source").arg(headline(tab->summary)));
    else if (tab->draft)
        m_header->setText(tr("%1 — your draft").arg(headline(tab->summary)));
    else
        m_header->setText(headline(tab->summary));
    m_header->setToolTip(m_header->text());
}

} // namespace ui
