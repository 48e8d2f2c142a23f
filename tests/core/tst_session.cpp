#include "core/session/nodetree.h"
#include "core/session/sessionstore.h"
#include "fakes.h"

#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

using namespace core;

class TestSession : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keepsWhatItIsTold();
    void undoesATransactionThatFails();
    void admitsOneWriterAndAnyReader();
    void refusesOtherFiles_data();
    void refusesOtherFiles();
    void opensAndUpgradesTheFirstFormat();
    void passesOverForeignRunOffs();
    void refusesToCreate();
    void tellsAFullDisk();
    void takesOverTheLockOfADeadProcess();

private:
    QString path(const char *name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    static void sql(const QString &file, const QString &statement);
    static NodeRecord root();

    QTemporaryDir m_dir;
};

void TestSession::sql(const QString &file, const QString &statement)
{
    {
        QSqlDatabase database
            = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("test"));
        database.setDatabaseName(file);
        QVERIFY(database.open());
        QSqlQuery query(database);
        QVERIFY(query.exec(statement));
    }
    QSqlDatabase::removeDatabase(QStringLiteral("test"));
}

NodeRecord TestSession::root()
{
    NodeRecord node;
    node.summary.id = 1;
    node.summary.title = QStringLiteral("Größe & <b>");
    return node;
}

void TestSession::keepsWhatItIsTold()
{
    SearchConfig config;
    config.problem = QStringLiteral("toy");
    config.models = {QStringLiteral("a"), QStringLiteral("b")};
    config.rounds = 7;
    config.budgetUsd = 1.5;
    const QString file = path("kept.espalier");
    {
        SessionStore store;
        QVERIFY(store.create(file, config, fakes::problem()));
        QVERIFY(store.addNode(root(), {}, QStringLiteral("source")));
        NodeRecord node = root();
        node.summary.state = NodeState::Done;
        node.summary.verdict = gpu::Verdict::Ok;
        node.summary.medianUs = 12.25;
        node.deviceKind = QStringLiteral("cpu");
        QVERIFY(store.updateNode(node));
        gpu::Evaluation evaluation = fakes::FakeEvaluator::judge(QStringLiteral("// ok 12.25"));
        evaluation.message = "broken \xff byte";
        evaluation.floorUs = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(store.addEvaluation(1, evaluation));
        CallRecord call{{Request::Kind::Implementation, 1, 2, 3, 0, {}, QStringLiteral("ask")},
            QStringLiteral("replay"), {}, {}};
        call.reply.text = QStringLiteral("answer");
        call.reply.usage = {10, 1, 2, 5, 0.25};
        QVERIFY(store.addCall(1, call));
    }
    QCOMPARE(QDir(m_dir.path()).entryList({QStringLiteral("kept*")}, QDir::Files).size(), 1);
    SessionStore store;
    QVERIFY(store.openForReading(file));
    const gpu::Result<SessionHead> head = store.head();
    QVERIFY(head);
    QCOMPARE(head->config.rounds, 7);
    QCOMPARE(head->config.models.size(), 2);
    QCOMPARE(head->config.budgetUsd.value(), 1.5);
    QVERIFY(!head->config.budgetTokens);
    QCOMPARE(head->problem.seedSource, fakes::problem().seedSource);
    const gpu::Result<NodeDetails> details = store.details(1);
    QVERIFY(details);
    QCOMPARE(details->summary.title, QStringLiteral("Größe & <b>"));
    QCOMPARE(details->summary.medianUs.value(), 12.25);
    QCOMPARE(details->source, QStringLiteral("source"));
    QCOMPARE(details->prompt, QStringLiteral("ask"));
    QCOMPARE(details->reply, QStringLiteral("answer"));
    QCOMPARE(details->usage.costUsd, 0.25);
    QCOMPARE(details->evaluation->time->samplesUs.size(), std::size_t(2));
    QCOMPARE(store.usage()->output, 5);
    QVERIFY(!store.details(2));
}

void TestSession::undoesATransactionThatFails()
{
    SessionStore store;
    QVERIFY(store.create(path("undo.espalier"), {}, fakes::problem()));
    const gpu::Status status = store.together([&]() -> gpu::Status {
        if (gpu::Status added = store.addNode(root(), {}, {}); !added)
            return added;
        return store.addNode(root(), {}, {}); // the same id
    });
    QVERIFY(!status);
    QVERIFY(store.nodes()->isEmpty());
    QVERIFY(store.addNode(root(), {}, {}));
}

void TestSession::admitsOneWriterAndAnyReader()
{
    const QString file = path("shared.espalier");
    SessionStore writer;
    QVERIFY(writer.create(file, {}, fakes::problem()));
    SessionStore second;
    const gpu::Status refused = second.openForWriting(file);
    QVERIFY(!refused);
    QCOMPARE(refused.error().blame, gpu::Blame::Environment);
    const QString message = QString::fromStdString(refused.error().message);
    QVERIFY2(message.contains(QLatin1String("is open in another process")), qPrintable(message));
    QVERIFY(message.contains(QString::number(QCoreApplication::applicationPid())));
    QVERIFY(writer.addNode(root(), {}, {}));
    SessionStore reader;
    QVERIFY(reader.openForReading(file));
    QCOMPARE(reader.nodes()->size(), 1);
    writer.close();
    QVERIFY(second.openForWriting(file));
}

void TestSession::refusesOtherFiles_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("message");
    QTest::newRow("missing") << "missing"
                             << "does not exist";
    QTest::newRow("folder") << "folder"
                            << "is a folder";
    QTest::newRow("text") << "text"
                          << "not an Espalier session";
    QTest::newRow("empty") << "empty"
                           << "not an Espalier session";
    QTest::newRow("other database") << "sqlite"
                                    << "not an Espalier session";
    QTest::newRow("newer") << "newer"
                           << "written by a newer Espalier";
    QTest::newRow("damaged") << "damaged"
                             << "damaged";
    QTest::newRow("cut off") << "cut"
                             << "damaged";
}

void TestSession::refusesOtherFiles()
{
    QFETCH(QString, kind);
    QFETCH(QString, message);
    const QString file = m_dir.filePath(kind);
    const auto write = [&](const QByteArray &bytes) {
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(bytes);
    };
    if (kind == QLatin1String("folder")) {
        QDir().mkdir(file);
    } else if (kind == QLatin1String("text")) {
        write(QByteArray("this is not a session\n").repeated(100));
    } else if (kind == QLatin1String("empty")) {
        write({});
    } else if (kind == QLatin1String("sqlite")) {
        sql(file, QStringLiteral("CREATE TABLE t (x)"));
    } else if (kind != QLatin1String("missing")) {
        SessionStore store;
        QVERIFY(store.create(file, {}, fakes::problem()));
        QVERIFY(store.addNode(root(), {}, QString(200000, QLatin1Char('x'))));
        store.close();
        QFile stored(file);
        if (kind == QLatin1String("newer")) {
            sql(file, QStringLiteral("PRAGMA user_version=99"));
        } else if (kind == QLatin1String("cut")) {
            QVERIFY(stored.resize(stored.size() / 2));
        } else {
            QVERIFY(stored.open(QIODevice::ReadWrite));
            stored.seek(4096); // the second page: the schema's first tree
            stored.write(QByteArray(4096 * 4, '\x5a'));
        }
    }
    SessionStore store;
    for (const gpu::Status &status : {store.openForReading(file), store.openForWriting(file)}) {
        QVERIFY(!status);
        const QString text = QString::fromStdString(status.error().message);
        QVERIFY2(text.contains(message), qPrintable(text));
        QVERIFY2(text.contains(file), qPrintable(text));
        QCOMPARE(status.error().blame, gpu::Blame::Caller);
    }
    QVERIFY(!QFile::exists(file + QStringLiteral(".lock")));
}

void TestSession::opensAndUpgradesTheFirstFormat()
{
    const QString file = path("first.espalier");
    SessionStore store;
    QVERIFY(store.create(file, {}, fakes::problem()));
    QVERIFY(store.addNode(root(), {}, {}));
    store.close();
    sql(file, QStringLiteral("DROP TABLE run_off"));
    sql(file, QStringLiteral("PRAGMA user_version=1"));

    QVERIFY(store.openForReading(file));
    QVERIFY(store.runOffs()->isEmpty());
    QVERIFY(store.details(1));
    store.close();
    QVERIFY(store.openForWriting(file));
    QVERIFY(store.addRunOff({1, 2, {{0.9, 0.8, 1.0}, gpu::Comparison::Faster}, 31, {}}));
    store.close();
    QVERIFY(store.openForReading(file));
    const RunOff runOff = store.runOffs()->constFirst();
    QCOMPARE(runOff.b, 2U);
    QCOMPARE(runOff.pairs, 31);
    QCOMPARE(runOff.times.ratio.low, 0.8);
    QCOMPARE(runOff.times.comparison, gpu::Comparison::Faster);
}

void TestSession::passesOverForeignRunOffs()
{
    NodeTree tree;
    tree.add(root());
    QVERIFY(tree.addRunOff({1, 7, {{0.9, 0.8, 1.0}, gpu::Comparison::Faster}, 31, {}}).isEmpty());
    QVERIFY(tree.addRunOff({0, 1, {{0.9, 0.8, 1.0}, gpu::Comparison::Faster}, 31, {}}).isEmpty());
}

void TestSession::refusesToCreate()
{
    SessionStore store;
    const gpu::Status nowhere
        = store.create(path("no/such/folder/s.espalier"), {}, fakes::problem());
    QVERIFY(!nowhere);
    QVERIFY(nowhere.error().message.find("folder") != std::string::npos);
    const QString file = path("twice.espalier");
    QVERIFY(store.create(file, {}, fakes::problem()));
    store.close();
    const gpu::Status twice = store.create(file, {}, fakes::problem());
    QVERIFY(!twice);
    QVERIFY(twice.error().message.find("exists already") != std::string::npos);
    QVERIFY(QFile::exists(file));
}

void TestSession::tellsAFullDisk()
{
    // SQLite's page limit fails as a full disk does, with SQLITE_FULL.
    Database database;
    QVERIFY(database.open(path("full.espalier"), Database::Mode::Create));
    QVERIFY(database.run(QStringLiteral("PRAGMA max_page_count=30"), {}, [](const auto &) {}));
    const gpu::Status status = database.transaction([&] {
        return database.run(QStringLiteral("INSERT INTO meta VALUES ('a', ?)"),
            {QString(400000, QLatin1Char('x'))});
    });
    QVERIFY(!status);
    QCOMPARE(status.error().blame, gpu::Blame::Environment);
    QVERIFY2(status.error().message.find("Free some space") != std::string::npos,
        status.error().message.c_str());
    QVERIFY(database.run(QStringLiteral("INSERT INTO meta VALUES ('a', 'small')")));
}

void TestSession::takesOverTheLockOfADeadProcess()
{
    const QString file = path("dead.espalier");
    SessionStore store;
    QVERIFY(store.create(file, {}, fakes::problem()));
    // As a killed process leaves it: QLockFile's own format with an id that no process has.
    QFile lock(file + QStringLiteral(".lock"));
    QVERIFY(lock.open(QIODevice::ReadOnly));
    QList<QByteArray> lines = lock.readAll().split('\n');
    lock.close();
    store.close();
    lines[0] = "999999999";
    QVERIFY(lock.open(QIODevice::WriteOnly));
    lock.write(lines.join('\n'));
    lock.close();
    QVERIFY(store.openForWriting(file));
}

QTEST_GUILESS_MAIN(TestSession)
#include "tst_session.moc"
