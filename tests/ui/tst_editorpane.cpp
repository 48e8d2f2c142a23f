#include "sampletree.h"

#include "core/session/draftstore.h"
#include "ui/editor/editorpane.h"
#include "ui/editor/findbar.h"
#include "ui/editor/kerneledit.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

core::NodeDetails details(core::NodeId id, const QString &source)
{
    core::NodeDetails d;
    d.summary = sample::kernel(id, 1, gpu::Verdict::Ok, 2);
    d.source = source;
    return d;
}

const QString Source = QStringLiteral("int a;\nint b;\nfloat ab;\n");

} // namespace

/// Real widgets and key events; drafts on the real disk.
class TestEditorPane : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = std::make_unique<core::DraftStore>(session());
        m_pane = std::make_unique<EditorPane>(m_store.get());
        m_pane->resize(900, 500);
        m_pane->show();
    }

    void typingMakesADraft()
    {
        m_pane->openNode(details(2, Source));
        QCOMPARE(m_pane->currentSource(), Source);
        QVERIFY(!tabText().contains(QLatin1Char('*')));
        QTest::keyClicks(edit(), QStringLiteral("// mine "));
        QVERIFY(tabText().contains(QLatin1Char('*')));
        QVERIFY(m_pane->hasUnsavedDrafts());
        m_pane->storeDrafts();
        QVERIFY(!m_pane->hasUnsavedDrafts());
        QCOMPARE(m_store->load(2, Source)->text, QString(QStringLiteral("// mine ") + Source));
    }

    void aDraftIsStoredByItself()
    {
        m_pane->openNode(details(2, Source));
        QTest::keyClicks(edit(), QStringLiteral("x"));
        QTRY_VERIFY_WITH_TIMEOUT(m_store->load(2, Source).has_value(), 5000);
    }

    void aDraftOutlivesThePane()
    {
        m_pane->openNode(details(2, Source));
        QTest::keyClicks(edit(), QStringLiteral("x"));
        m_pane->storeDrafts();
        EditorPane other(m_store.get());
        other.openNode(details(2, Source));
        QCOMPARE(other.currentSource(), QString(QLatin1Char('x') + Source));
        other.revert();
        QCOMPARE(other.currentSource(), Source);
        other.currentEdit()->undo();
        QCOMPARE(other.currentSource(), QString(QLatin1Char('x') + Source));
    }

    void anUndoneDraftIsRemoved()
    {
        m_pane->openNode(details(2, Source));
        QTest::keyClicks(edit(), QStringLiteral("x"));
        m_pane->storeDrafts();
        m_pane->revert();
        m_pane->storeDrafts();
        QVERIFY(!m_store->load(2, Source));
        QVERIFY(!tabText().contains(QLatin1Char('*')));
    }

    void otherNodesNeverTakeADraft()
    {
        m_pane->openNode(details(2, Source));
        QTest::keyClicks(edit(), QStringLiteral("x"));
        const QString draft = m_pane->currentSource();
        m_pane->openNode(details(3, QStringLiteral("another\n")));
        QCOMPARE(tabs()->count(), 2);
        m_pane->openNode(details(4, QStringLiteral("third\n")));
        QCOMPARE(tabs()->count(), 2); // 3 was only looked at
        m_pane->openNode(details(2, Source)); // as the engine sends it again
        QCOMPARE(m_pane->currentSource(), draft);
    }

    void evaluatesTheText()
    {
        QSignalSpy spy(m_pane.get(), &EditorPane::evaluateRequested);
        m_pane->evaluate();
        QCOMPARE(spy.size(), 0); // nothing is open
        m_pane->openNode(details(2, Source));
        QTest::keyClicks(edit(), QStringLiteral("x"));
        m_pane->evaluate();
        QCOMPARE(spy.size(), 1);
        QCOMPARE(spy[0][0].value<core::NodeId>(), core::NodeId(2));
        QCOMPARE(spy[0][1].toString(), QString(QLatin1Char('x') + Source));
        QVERIFY(m_store->load(2, Source)); // stored before it is sent
    }

    void aVerdictChangesTheHeader()
    {
        m_pane->openNode(details(2, Source));
        auto *header = m_pane->findChild<QLabel *>();
        QVERIFY2(header->text().contains(QStringLiteral("2.00×")), qPrintable(header->text()));
        m_pane->updateNode(sample::kernel(2, 1, gpu::Verdict::WrongResult));
        QVERIFY2(
            header->text().contains(QStringLiteral("wrong result")), qPrintable(header->text()));
    }

    void afaultyDiskIsSaidAndLosesNothing()
    {
        QFile file(m_folder->filePath(QStringLiteral("file")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        core::DraftStore broken(file.fileName() + QStringLiteral("/s.espalier"));
        m_pane->setDrafts(&broken);
        m_pane->openNode(details(2, Source));
        QTest::keyClicks(edit(), QStringLiteral("x"));
        m_pane->storeDrafts();
        QVERIFY(!m_pane->storeError().isEmpty());
        QCOMPARE(m_pane->findChild<QLabel *>()->text(), m_pane->storeError());
        QCOMPARE(m_pane->currentSource(), QString(QLatin1Char('x') + Source));
        QVERIFY(m_pane->hasUnsavedDrafts());
        m_pane->setDrafts(m_store.get());
    }

    void marksFindings()
    {
        core::NodeDetails d = details(2, Source);
        gpu::Evaluation evaluation;
        evaluation.diagnostics = {{"error", 2, 5, "first"}, {"warning", 2, 1, "second"},
            {"note", 1, 1, "not shown"}, {"error", 99, 1, "beyond the end"}, {"error", 0, 0, "x"}};
        evaluation.fault = gpu::FaultLocation{"k", {0, 0, 0}, {0, 0, 0}, 3, 0};
        evaluation.message = "the fault";
        d.evaluation = evaluation;
        m_pane->openNode(d);
        QCOMPARE(edit()->annotation(1), QStringLiteral("first\nsecond"));
        QCOMPARE(edit()->annotation(2), QStringLiteral("the fault"));
        QCOMPARE(edit()->annotation(0), QString());
        m_pane->openNode(details(3, Source));
        QCOMPARE(edit()->annotation(1), QString());
    }

    void showsALine()
    {
        m_pane->openNode(details(2, Source));
        int line = -1, column = -1;
        m_pane->showLine(3);
        edit()->getCursorPosition(&line, &column);
        QCOMPARE(line, 2);
        m_pane->showLine(500);
        edit()->getCursorPosition(&line, &column);
        QCOMPARE(line, edit()->lines() - 1);
    }

    void findsAndReplaces()
    {
        m_pane->openNode(details(2, Source));
        m_pane->replace();
        auto *bar = m_pane->findChild<FindBar *>();
        QVERIFY(bar->isVisible());
        const auto fields = bar->findChildren<QLineEdit *>();
        QCOMPARE(fields.size(), 2);
        QTest::keyClicks(fields[0], QStringLiteral("b"));
        QCOMPARE(edit()->selectedText(), QStringLiteral("b"));
        fields[1]->setText(QStringLiteral("bb")); // holds the pattern: must not go on for ever
        QCOMPARE(bar->replaceAll(), 2);
        QCOMPARE(m_pane->currentSource(), QStringLiteral("int a;\nint bb;\nfloat abb;\n"));
        edit()->undo();
        QCOMPARE(m_pane->currentSource(), Source);
        QTest::keyClick(bar, Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
    }

    void findsForwardsAndBackwards()
    {
        m_pane->openNode(details(2, Source));
        m_pane->find();
        auto *bar = m_pane->findChild<FindBar *>();
        QTest::keyClicks(bar->findChild<QLineEdit *>(), QStringLiteral("int"));
        const auto line = [this] {
            int row = -1, column = -1;
            edit()->getCursorPosition(&row, &column);
            return row;
        };
        QCOMPARE(line(), 0);
        m_pane->findNext();
        QCOMPARE(line(), 1);
        m_pane->findPrevious();
        QCOMPARE(line(), 0);
        m_pane->findPrevious(); // wraps
        QCOMPARE(line(), 1);
    }

private:
    QString session() const { return m_folder->filePath(QStringLiteral("s.espalier")); }
    KernelEdit *edit() const { return m_pane->currentEdit(); }
    QTabWidget *tabs() const { return m_pane->findChild<QTabWidget *>(); }
    QString tabText() const { return tabs()->tabText(tabs()->currentIndex()); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<core::DraftStore> m_store;
    std::unique_ptr<EditorPane> m_pane;
};

QTEST_MAIN(TestEditorPane)
#include "tst_editorpane.moc"
