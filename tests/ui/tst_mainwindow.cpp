#include "fakeservice.h"
#include "sampletree.h"

#include "ui/charts/speedupchart.h"
#include "ui/editor/editorpane.h"
#include "ui/editor/kerneledit.h"
#include "ui/inspector/inspector.h"
#include "ui/theme.h"
#include "ui/tree/nodemodel.h"
#include "ui/tree/treeview.h"
#include "ui/window/actions.h"
#include "ui/window/mainwindow.h"
#include "ui/window/messagebar.h"
#include "ui/window/newsearchdialog.h"
#include "ui/window/nodelist.h"
#include "ui/window/noticelist.h"
#include "ui/window/selection.h"
#include "ui/window/statuspanel.h"
#include "ui/window/welcome.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;
using State = core::SearchState;

/// The window against a fake service.
class TestMainWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QStandardPaths::setTestModeEnabled(true);
        QCoreApplication::setOrganizationName(QStringLiteral("EspalierTest"));
    }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_service = std::make_unique<FakeService>();
        m_window = std::make_unique<MainWindow>(m_service.get());
        m_window->setRemembersLayout(false);
        m_window->show();
        for (const core::NodeSummary &node : sample::finishedSearch()) {
            core::NodeDetails details;
            details.summary = node;
            if (node.kind != core::NodeKind::Idea)
                details.source = QStringLiteral("// kernel %1\n").arg(node.id);
            m_service->stored[node.id] = details;
        }
    }

    void cleanup()
    {
        say(State::Idle); // so that nothing asks when it closes
        m_window.reset();
    }

    void startsWithWelcome()
    {
        QVERIFY(child<Welcome>()->isVisible());
        for (Command command : {Command::Start, Command::Pause, Command::Stop, Command::Evaluate,
                 Command::SeedFrom, Command::ExportReport})
            QVERIFY(!action(command)->isEnabled());
        QVERIFY(action(Command::NewSearch)->isEnabled());
    }

    void actionsFollowTheState_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<bool>("start");
        QTest::addColumn<bool>("pause");
        QTest::addColumn<bool>("stop");
        const auto row = [](State state, bool start, bool pause, bool stop) {
            QTest::newRow(qPrintable(core::name(state))) << int(state) << start << pause << stop;
        };
        row(State::Idle, true, false, false);
        row(State::Starting, false, true, true);
        row(State::Running, false, true, true);
        row(State::Pausing, false, false, true);
        row(State::Paused, true, false, true);
        row(State::Stopping, false, false, false);
        row(State::Finished, true, false, false);
        row(State::Failed, true, false, false);
    }

    void actionsFollowTheState()
    {
        QFETCH(int, state);
        openSession();
        say(State(state));
        QTEST(action(Command::Start)->isEnabled(), "start");
        QTEST(action(Command::Pause)->isEnabled(), "pause");
        QTEST(action(Command::Stop)->isEnabled(), "stop");
        QVERIFY(child<StatusPanel>()->text().contains(searchStateText(State(state))));
    }

    void buttonsTellTheService()
    {
        openSession();
        say(State::Running);
        action(Command::Pause)->trigger();
        action(Command::Stop)->trigger();
        say(State::Paused);
        action(Command::Start)->trigger();
        QCOMPARE(m_service->calls,
            (QStringList{QStringLiteral("open"), QStringLiteral("pause"), QStringLiteral("stop"),
                QStringLiteral("resume")}));
    }

    void showsTheBestNodeFirst()
    {
        QSignalSpy settled(m_window.get(), &MainWindow::settled);
        openSession();
        const core::NodeId best = m_window->model()->best();
        QVERIFY(best > 1);
        QTRY_COMPARE(settled.size(), 1);
        QCOMPARE(m_window->selection()->node(), best);
        QCOMPARE(m_window->tree()->selected(), best);
        QCOMPARE(child<NodeList>()->selected(), best);
        QCOMPARE(m_window->editor()->currentNode(), best);
        QVERIFY(m_window->editor()->currentSource().contains(QStringLiteral("kernel")));
    }

    void everyPaneSelects()
    {
        openSession();
        m_window->tree()->select(3);
        QTRY_COMPARE(m_window->editor()->currentNode(), core::NodeId(3));
        QCOMPARE(child<NodeList>()->selected(), core::NodeId(3));
        child<NodeList>()->select(1); // as from outside: nothing follows
        QCOMPARE(m_window->selection()->node(), core::NodeId(3));
        Q_EMIT child<SpeedupChart>()->nodeRequested(1);
        QTRY_COMPARE(m_window->editor()->currentNode(), core::NodeId(1));
        QCOMPARE(m_window->tree()->selected(), core::NodeId(1));
        Q_EMIT child<Inspector>()->nodeRequested(2); // an idea has no source
        QTRY_VERIFY(child<Inspector>()->text().contains(QStringLiteral("idea")));
        QCOMPARE(m_window->editor()->currentNode(), core::NodeId(1));
        QVERIFY(!action(Command::SeedFrom)->isEnabled());
    }

    void lateAnswersAreDropped()
    {
        openSession();
        QTRY_VERIFY(m_window->selection()->hasDetails());
        m_service->holdDetails = true;
        m_window->tree()->select(1);
        m_window->tree()->select(3);
        QCOMPARE(m_service->held.size(), 2);
        m_service->answer(3, *m_service->held[1].second);
        m_service->answer(1, *m_service->held[0].second);
        QTRY_COMPARE(m_window->editor()->currentNode(), core::NodeId(3));
        QTest::qWait(50);
        QCOMPARE(m_window->editor()->currentNode(), core::NodeId(3));
    }

    void anEditIsSentAndItsChildSelected()
    {
        openSession();
        m_window->tree()->select(3);
        QTRY_COMPARE(m_window->editor()->currentNode(), core::NodeId(3));
        KernelEdit *edit = m_window->editor()->currentEdit();
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        edit->setFocus();
        QTest::keyClicks(edit, QStringLiteral("x"));
        QTest::keyClick(edit, Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(m_service->calls.last(), QStringLiteral("edit 3"));
        QVERIFY(m_service->editSource.startsWith(QLatin1Char('x')));
        const auto id = core::NodeId(m_window->model()->size() + 1);
        core::NodeSummary child = sample::node(id, 3, core::NodeKind::Edit);
        child.state = core::NodeState::Queued;
        m_service->stored[id].summary = child;
        m_service->stored[id].source = QStringLiteral("edited\n");
        Q_EMIT m_service->nodesChanged({child});
        QTRY_COMPARE(m_window->editor()->currentNode(), id);
        QCOMPARE(m_window->tree()->selected(), id);
    }

    void anEditThatIsJudgedAtOnceIsSelectedToo()
    {
        openSession();
        const auto edit = [](core::NodeId id) {
            core::NodeSummary child = sample::node(id, 3, core::NodeKind::Edit);
            child.state = core::NodeState::Done;
            child.verdict = gpu::Verdict::PlanError;
            return child;
        };
        const auto earlier = core::NodeId(m_window->model()->size() + 1);
        Q_EMIT m_service->nodesChanged({edit(earlier)}); // not asked for here
        QVERIFY(m_window->selection()->node() != earlier);
        Q_EMIT m_window->editor()->evaluateRequested(3, QStringLiteral("no plan"));
        // An older edit that changes is not the one that was sent.
        Q_EMIT m_service->nodesChanged({edit(earlier)});
        QVERIFY(m_window->selection()->node() != earlier);
        Q_EMIT m_service->nodesChanged({edit(earlier + 1)});
        QCOMPARE(m_window->selection()->node(), earlier + 1);
    }

    void nodesCanBeSteered()
    {
        openSession();
        m_window->tree()->select(3);
        QTRY_VERIFY(action(Command::SeedFrom)->isEnabled());
        action(Command::SeedFrom)->trigger();
        action(Command::Pin)->trigger();
        action(Command::Exclude)->trigger();
        action(Command::ShowPtx)->trigger();
        QCOMPARE(m_service->calls.mid(1),
            (QStringList{QStringLiteral("seed 3"), QStringLiteral("pin 3 1"),
                QStringLiteral("exclude 3 1"), QStringLiteral("ptx 3")}));
    }

    void failuresAreSaidInTheWindow()
    {
        m_window->openSession(QStringLiteral("/nowhere/x.espalier"));
        Q_EMIT m_service->failed(QStringLiteral("There is no such file."), false);
        QVERIFY(m_window->message()->isVisible());
        QCOMPARE(m_window->message()->text(), QStringLiteral("There is no such file."));
        QVERIFY(child<Welcome>()->isVisible());
        QCOMPARE(child<NoticeList>()->topLevelItemCount(), 1);
        Q_EMIT m_service->noticed({core::Notice::Level::Info, QStringLiteral("small talk"), 0});
        QCOMPARE(m_window->message()->text(), QStringLiteral("There is no such file."));
    }

    void aCorruptLayoutGivesTheDefault()
    {
        const QList<bool> before = docksShown();
        m_window->restoreLayout("garbage", QByteArray(300, 'x'));
        QCOMPARE(docksShown(), before);
        QVERIFY(m_window->width() >= 640);
    }

    void theColourSchemeIsStoredWhenChosen()
    {
        const auto dark = [] { return Theme::fromPalette(qApp->palette()).isDark(); };
        storeColorScheme(ColorScheme::Light);
        m_window->setColorScheme(ColorScheme::Dark); // as --scheme does
        QVERIFY(dark() && action(Command::SchemeDark)->isChecked());
        QCOMPARE(storedColorScheme(), ColorScheme::Light);
        action(Command::SchemeLight)->trigger();
        QVERIFY(!dark());
        action(Command::SchemeDark)->trigger();
        QVERIFY(dark() && !action(Command::SchemeLight)->isChecked());
        QCOMPARE(storedColorScheme(), ColorScheme::Dark);
        // The desktop's own palette counts, not the one that was chosen before.
        action(Command::SchemeSystem)->trigger();
        QVERIFY(!dark() && action(Command::SchemeSystem)->isChecked());
        QCOMPARE(storedColorScheme(), ColorScheme::System);
    }

    void closingASessionEmptiesTheWindow()
    {
        openSession();
        QTRY_VERIFY(m_window->selection()->hasDetails());
        action(Command::CloseSession)->trigger();
        QCOMPARE(m_window->model()->size(), 0);
        QCOMPARE(m_window->selection()->node(), core::NodeId(0));
        QCOMPARE(m_window->editor()->currentNode(), core::NodeId(0));
        QVERIFY(child<Welcome>()->isVisible());
    }

    void theDialogAsksForWhatCanBeAnswered()
    {
        NewSearchDialog dialog(m_folder->path());
        auto *box = dialog.findChild<QDialogButtonBox *>();
        QPushButton *start = nullptr;
        for (QAbstractButton *button : box->buttons())
            if (box->buttonRole(button) == QDialogButtonBox::AcceptRole)
                start = qobject_cast<QPushButton *>(button);
        QVERIFY(start && !start->isEnabled()); // the problems are not there yet
        core::CatalogueEntry broken, silent, good;
        broken.id = QStringLiteral("broken");
        broken.error = QStringLiteral("problem.json has no sizes");
        silent.id = QStringLiteral("silent");
        good.id = QStringLiteral("softmax");
        good.hasRecording = true;
        for (auto *entry : {&silent, &good})
            entry->sizes = {QStringLiteral("full"), QStringLiteral("small")};
        dialog.setProblems({broken, silent, good});
        auto *problem = dialog.findChildren<QComboBox *>().first();
        for (int index : {0, 1}) {
            problem->setCurrentIndex(index);
            QVERIFY(!start->isEnabled());
        }
        problem->setCurrentIndex(2);
        QVERIFY(start->isEnabled());
        const core::SearchConfig config = dialog.config();
        QCOMPARE(config.problem, good.id);
        QCOMPARE(config.provider, QStringLiteral("replay"));
        QCOMPARE(config.size, QStringLiteral("small"));
        QVERIFY(dialog.sessionFile().startsWith(m_folder->path()));
    }

    void neverBlocksWhileNodesRainAndTheUserTypes()
    {
        openSession();
        QTRY_VERIFY(m_window->selection()->hasDetails());
        // The chart's first drawing loads fonts: 85 ms, once.
        QTest::qWait(500);
        KernelEdit *edit = m_window->editor()->currentEdit();
        qint64 longest = 0;
        QElapsedTimer since;
        since.start();
        QTimer beat;
        connect(
            &beat, &QTimer::timeout, this, [&] { longest = std::max(longest, since.restart()); });
        beat.start(0);
        auto next = core::NodeId(m_window->model()->size() + 1);
        for (int batch = 0; batch < 50; ++batch) {
            QList<core::NodeSummary> nodes;
            for (int i = 0; i < 20; ++i, ++next)
                nodes << sample::kernel(next, 1 + next % 5, gpu::Verdict::Ok, 1 + next % 7);
            Q_EMIT m_service->nodesChanged(nodes);
            QTest::keyClick(edit, Qt::Key_A);
            QTest::qWait(10);
        }
        QVERIFY(m_window->editor()->currentSource().contains(QString(50, QLatin1Char('a'))));
        // The promise is 50 ms; a machine that also runs other tests takes the thread away for
        // longer.
        QVERIFY2(longest <= 250, qPrintable(QString::number(longest)));
        qInfo("longest gap %lld ms", static_cast<long long>(longest));
    }

private:
    template <class T> T *child() const { return m_window->findChild<T *>(); }
    QAction *action(Command command) const { return m_window->actions()->at(command); }
    void say(State state)
    {
        core::SearchProgress progress;
        progress.state = state;
        Q_EMIT m_service->progressChanged(progress);
    }
    void openSession()
    {
        m_window->openSession(m_folder->filePath(QStringLiteral("s.espalier")));
        Q_EMIT m_service->opened({});
        Q_EMIT m_service->nodesChanged(sample::finishedSearch());
    }
    QList<bool> docksShown() const
    {
        QList<bool> shown;
        for (const QDockWidget *dock : m_window->findChildren<QDockWidget *>())
            shown << !dock->isHidden();
        return shown;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<FakeService> m_service;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
