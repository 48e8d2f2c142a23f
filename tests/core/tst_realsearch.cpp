#include "core/provider/recording.h"
#include "core/session/storedsession.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

using nlohmann::json;

namespace {
struct Result {
    int code = -1;
    QByteArray out;
    QString errors;
};

/// A process of the system, as /proc tells it.
struct Process {
    pid_t id = 0, parent = 0;
    char state = 0;
    QByteArray command;
};

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QList<Process> processes()
{
    QList<Process> result;
    for (const QString &name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        const int id = name.toInt();
        const QByteArray stat = contents(QStringLiteral("/proc/%1/stat").arg(id));
        // "id (name) state parent …", and the name may hold anything.
        const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
        if (id > 0 && fields.size() > 1)
            result.append({id, fields.at(1).toInt(), fields.at(0).front(),
                contents(QStringLiteral("/proc/%1/cmdline").arg(id))});
    }
    return result;
}

/// The child of a process whose command line holds `word`; its id is 0 if there is none.
Process childOf(pid_t parent, const char *word)
{
    for (const Process &process : processes()) {
        if (process.parent == parent && process.command.contains(word))
            return process;
    }
    return {};
}

bool isGone(pid_t id)
{
    const QByteArray stat = contents(QStringLiteral("/proc/%1/stat").arg(id));
    return stat.isEmpty() || stat.mid(stat.lastIndexOf(')') + 2).startsWith('Z');
}

void write(const QString &path, const QByteArray &text)
{
    QFile file(path);
    QVERIFY2(file.open(QIODevice::WriteOnly), qPrintable(path));
    QCOMPARE(file.write(text), text.size());
}

/// y = x * x + x, by one block of so many threads; `body` is what a thread does with element i.
QByteArray kernel(int threads, const char *body = "y[i] = x[i] * x[i] + x[i];")
{
    return QStringLiteral("/* plan\n{ \"launches\": [ { \"kernel\": \"k\", \"grid\": [1], "
                          "\"block\": [%1], \"args\": [\"x\", \"y\"] } ] }\n*/\n"
                          "extern \"C\" __global__ void k(const float *x, float *y)\n{\n"
                          "    for (int i = threadIdx.x; i < dim::n; i += %1)\n        %2\n}\n")
        .arg(threads)
        .arg(QLatin1String(body))
        .toUtf8();
}

/// What two runs of one search must agree on, by id: everything but the times.
QStringList nodes(const QString &file)
{
    QStringList result;
    core::StoredSession session;
    if (const gpu::Status status = session.load(file); !status)
        return {QString::fromStdString(status.error().message)};
    for (const core::NodeRecord &node : session.tree.all()) {
        const core::NodeSummary &s = node.summary;
        const gpu::Result<QString> source = session.store.source(s.id);
        const std::string_view verdict = s.verdict ? gpu::name(*s.verdict) : "-";
        result.append(QStringLiteral("#%1 of #%2, %3, %4 %5 %6: %7\n%8")
                          .arg(s.id)
                          .arg(s.parent)
                          .arg(core::text(node.path), core::name(s.kind), core::name(s.state),
                              QString::fromUtf8(verdict.data(), qsizetype(verdict.size())), s.title,
                              source ? *source : QStringLiteral("unreadable")));
    }
    return result;
}

/// The requests whose replies are stored, in the order they came.
QStringList calls(const QString &file)
{
    QStringList result;
    core::StoredSession session;
    if (!session.load(file))
        return result;
    const auto stored = session.store.calls();
    if (stored) {
        for (const core::CallRecord &call : *stored)
            result.append(core::recordingKey(call.request));
    }
    return result;
}
} // namespace

/// The real program with the real worker, compiler and CPU device, on a problem small enough to be
/// searched in seconds: what is left and told when something outside fails.
class TestRealSearch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void cleanup();
    void resumesAfterEachKill();
    void survivesAKill_data();
    void survivesAKill();
    void tellsAFullDisk_data();
    void tellsAFullDisk();
    void resumesOnceADiskHasRoom();
    void namesTheMissingCompiler_data();
    void namesTheMissingCompiler();
    void tellsASecondProcess();

private:
    QProcess *start(
        const QStringList &arguments, const QString &cudaHome = {}, qint64 largestFileBytes = 0);
    Result finish(QProcess *process);
    /// Reads on until standard error holds `text`.
    bool told(QProcess *process, const QString &text);
    QStringList search(const QString &session) const;
    QString path(const char *name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    json show(const QString &session);
    void writeProblem();
    void writeRecording();

    QTemporaryDir m_dir;
    QList<QProcess *> m_started;
    QHash<QProcess *, QString> m_errors; ///< standard error so far
    QStringList m_whole; ///< nodes of an undisturbed run
    QStringList m_wholeCalls;
};

void TestRealSearch::writeProblem()
{
    QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("problem")));
    const json problem{{"id", "toy"}, {"title", "Toy"}, {"description", "y = x * x + x"},
        {"dims", {{"n", 16384}}},
        {"sizes", {{"full", json::object()}, {"small", json::object()}, {"odd", {{"n", 77}}}}},
        {"inputs", {{{"name", "x"}, {"dtype", "f32"}, {"shape", {"n"}}}}},
        {"outputs", {{{"name", "y"}, {"dtype", "f32"}, {"shape", {"n"}}}}},
        {"distributions", {"normal", "uniform"}}, {"work", {{"flops", "2*n"}, {"bytes", "8*n"}}},
        {"precision", "fp32"}};
    write(path("problem/problem.json"), QByteArray::fromStdString(problem.dump()));
    write(path("problem/oracle.cu"),
        kernel(1, "{ const double v = x[i]; y[i] = v * v + v; }").replace("float *y", "double *y"));
    write(path("problem/seed.cu"), kernel(4));
}

/// Two rounds of one idea with three branches; one is wrong and repaired. One of the first round is
/// so much faster than the rest that the second starts from it whatever else the machine does.
void TestRealSearch::writeRecording()
{
    QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("recording")));
    json replies = json::array();
    const auto add
        = [&](const char *kind, int round, int branch, int attempt, const QByteArray &text) {
              const QString file = QStringLiteral("%1.md").arg(replies.size());
              write(path("recording/") + file, text);
              json reply{{"request", kind}, {"round", round}, {"file", file.toStdString()},
                  {"model", "person"}, {"usage", {{"input", 100}, {"output", 50}}}};
              if (branch > 0)
                  reply["idea"] = 1, reply["branch"] = branch;
              if (attempt > 0)
                  reply["attempt"] = attempt;
              replies.push_back(reply);
          };
    const auto code = [](const QByteArray &source) {
        return QByteArray("Prose.\n```cuda\n").append(source).append("```\n");
    };
    add("ideas", 1, 0, 0, "## Idea 1: More threads\nCategory: parallelism and occupancy\nProse.\n");
    add("implementation", 1, 1, 0, code(kernel(256)));
    add("implementation", 1, 2, 0, code(kernel(8, "y[i] = x[i] * x[i];")));
    add("repair", 1, 2, 1, code(kernel(8)));
    add("implementation", 1, 3, 0, code(kernel(16, "y[i] = nothing;")));
    add("ideas", 2, 0, 0, "## Idea 1: Fewer threads\nCategory: fusion\nProse.\n");
    add("implementation", 2, 1, 0, code(kernel(128)));
    add("implementation", 2, 2, 0, code(kernel(512)));
    add("implementation", 2, 3, 0, code(kernel(4096)));
    const json recording{{"format", 1}, {"problem", "toy"}, {"title", "Test"}, {"rounds", 2},
        {"ideas", 1}, {"branches", 3}, {"repairs", 1}, {"replies", replies}};
    write(path("recording/recording.json"), QByteArray::fromStdString(recording.dump(1)));
}

void TestRealSearch::initTestCase()
{
    writeProblem();
    writeRecording();
    const Result whole = finish(start(search(path("whole.espalier"))));
    QVERIFY2(whole.code == 0, qPrintable(whole.errors));
    m_whole = nodes(path("whole.espalier"));
    m_wholeCalls = calls(path("whole.espalier"));
    QCOMPARE(m_whole.size(), 1 + 2 * 4 + 1);
    QCOMPARE(m_wholeCalls.size(), 9);
    const QString all = m_whole.join(QLatin1Char('\n'));
    for (const char *part : {"#3 of #2, r1.i1.b1, implementation done ok",
             "#4 of #2, r1.i1.b2, implementation done wrong_result",
             "#5 of #2, r1.i1.b3, implementation done compile_error",
             "#6 of #4, r1.i1.b2.a1, repair done ok", "#7 of #3, r2.i1, idea done",
             "#10 of #7, r2.i1.b3, implementation done"})
        QVERIFY2(all.contains(QLatin1String(part)), part);
}

void TestRealSearch::cleanup()
{
    for (QProcess *process : std::exchange(m_started, {})) {
        if (process->state() != QProcess::NotRunning) {
            ::kill(-static_cast<pid_t>(process->processId()), SIGKILL);
            process->waitForFinished(5000);
        }
        delete process;
    }
    m_errors.clear();
}

QProcess *TestRealSearch::start(
    const QStringList &arguments, const QString &cudaHome, qint64 largestFileBytes)
{
    auto *process = new QProcess(this);
    m_started.append(process);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const QString bin = QCoreApplication::applicationDirPath();
    environment.insert(QStringLiteral("ESPALIER_WORKER"), bin + QStringLiteral("/espalier-worker"));
    if (!cudaHome.isEmpty())
        environment.insert(QStringLiteral("ESPALIER_CUDA_HOME"), cudaHome);
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(m_dir.path());
    process->setChildProcessModifier([largestFileBytes] {
        ::setpgid(0, 0);
        const rlimit limit{rlim_t(largestFileBytes), rlim_t(largestFileBytes)};
        if (largestFileBytes > 0)
            ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    process->start(bin + QStringLiteral("/espalier"), arguments);
    return process;
}

Result TestRealSearch::finish(QProcess *process)
{
    const bool ended = process->state() == QProcess::NotRunning || process->waitForFinished(60000);
    return {ended && process->exitStatus() == QProcess::NormalExit ? process->exitCode() : -1,
        process->readAllStandardOutput(),
        m_errors.value(process) + QString::fromUtf8(process->readAllStandardError())};
}

bool TestRealSearch::told(QProcess *process, const QString &text)
{
    QString &errors = m_errors[process];
    const auto read = [&] {
        errors += QString::fromUtf8(process->readAllStandardError());
        return errors.contains(text);
    };
    return QTest::qWaitFor(read, 60000);
}

QStringList TestRealSearch::search(const QString &session) const
{
    return {QStringLiteral("search"), path("problem"), QStringLiteral("--provider"),
        QStringLiteral("replay:") + path("recording"), QStringLiteral("--session"), session};
}

json TestRealSearch::show(const QString &session)
{
    const QByteArray out
        = finish(start({QStringLiteral("show"), session, QStringLiteral("--json")})).out;
    return json::parse(out.begin(), out.end(), nullptr, false);
}

void TestRealSearch::resumesAfterEachKill()
{
    const QString session = path("killed.espalier");
    static const QRegularExpression line(QStringLiteral("(?:^|\n)  #(\\d+) +(\\S+)"));
    QMap<int, json> ended; // as first shown
    // The seed is measured, one branch is, the second round has begun: others are under way.
    for (const char *mark : {"\n  #1 ", "\n  #3 ", "\n  #7 "}) {
        QProcess *process = start(
            mark[4] == '1' ? search(session) : QStringList{QStringLiteral("resume"), session});
        QVERIFY2(told(process, QLatin1String(mark)), qPrintable(m_errors[process]));
        const pid_t worker = childOf(pid_t(process->processId()), "espalier-worker").id;
        QVERIFY(worker != 0);
        const pid_t runner = childOf(worker, "--runner").id;
        ::kill(-pid_t(process->processId()), SIGKILL);
        QVERIFY(process->waitForFinished(5000));
        const QString errors = finish(process).errors;
        QVERIFY2(!errors.contains(QLatin1String("rounds are done")), qPrintable(errors));
        // The worker has a group of its own: it sees that it is alone.
        QVERIFY(QTest::qWaitFor([&] { return isGone(worker) && isGone(runner); }));

        const json shown = show(session);
        QVERIFY(shown.is_object());
        auto match = line.globalMatch(errors);
        while (match.hasNext()) {
            const auto found = match.next();
            const json &node = shown["nodes"].at(found.captured(1).toUInt() - 1);
            if (found.captured(2) != QLatin1String("idea"))
                QCOMPARE(QString::fromStdString(node["verdict"].dump()),
                    QLatin1Char('"') + found.captured(2) + QLatin1Char('"'));
        }
        for (const json &node : shown["nodes"]) {
            const int id = node["id"];
            if (node["verdict"].is_null())
                continue;
            if (ended.contains(id))
                QCOMPARE(node.dump(), ended[id].dump());
            ended[id] = node;
        }
    }
    const Result last = finish(start({QStringLiteral("resume"), session}));
    QVERIFY2(last.code == 0, qPrintable(last.errors));
    QCOMPARE(nodes(session), m_whole);
    const json shown = show(session);
    for (auto node = ended.cbegin(); node != ended.cend(); ++node)
        QCOMPARE(shown["nodes"].at(std::size_t(node.key() - 1)).dump(), node->dump());
    QStringList asked = calls(session), wanted = m_wholeCalls;
    asked.sort();
    wanted.sort();
    QCOMPARE(asked, wanted); // each once
}

void TestRealSearch::survivesAKill_data()
{
    QTest::addColumn<bool>("runner");
    QTest::newRow("worker") << false;
    QTest::newRow("runner") << true;
}

void TestRealSearch::survivesAKill()
{
    QFETCH(bool, runner);
    const QString session = path(runner ? "runner.espalier" : "worker.espalier");
    QProcess *process = start(search(session));
    QVERIFY2(told(process, QStringLiteral("\n  #2 ")), qPrintable(m_errors[process]));
    const pid_t worker = childOf(pid_t(process->processId()), "espalier-worker").id;
    QVERIFY(worker != 0);
    Process victim{worker, 0, 0, {}};
    if (runner) {
        // Running means evaluating: otherwise it sleeps.
        QVERIFY(QTest::qWaitFor([&] {
            victim = childOf(worker, "--runner");
            return victim.state == 'R';
        }));
    }
    QCOMPARE(::kill(victim.id, SIGKILL), 0);
    const Result result = finish(process);
    QVERIFY2(result.code == 0, qPrintable(result.errors));
    QCOMPARE(nodes(session), m_whole);
    QCOMPARE(result.errors.contains(QLatin1String("The worker is started again")), !runner);
    QVERIFY(QTest::qWaitFor([&] { return isGone(victim.id); }));
}

void TestRealSearch::tellsAFullDisk_data()
{
    QTest::addColumn<int>("kilobytes");
    QTest::newRow("no room for a session") << 8;
    QTest::newRow("no room for a search") << 150;
}

void TestRealSearch::tellsAFullDisk()
{
    QFETCH(int, kilobytes);
    const QString session = m_dir.filePath(QStringLiteral("full%1.espalier").arg(kilobytes));
    const Result full = finish(start(search(session), {}, qint64(kilobytes) << 10));
    QVERIFY2(full.code == 3, qPrintable(QString::number(full.code) + full.errors));
    QVERIFY2(full.errors.contains(session), qPrintable(full.errors));
    QVERIFY2(full.errors.contains(QLatin1String("The disk is full or failing. Free some space")),
        qPrintable(full.errors));
    if (kilobytes < 100) {
        QCOMPARE(QDir(m_dir.path()).entryList({QStringLiteral("full8*")}), QStringList());
        return;
    }
    const QStringList before = nodes(session);
    QVERIFY2(before.size() < m_whole.size(), qPrintable(before.join(QLatin1Char('\n'))));
    QVERIFY(!before.join(QLatin1Char('\n')).contains(QLatin1String("environment_error")));
    const Result resumed = finish(start({QStringLiteral("resume"), session}));
    QVERIFY2(resumed.code == 0, qPrintable(resumed.errors));
    QCOMPARE(nodes(session), m_whole);
}

void TestRealSearch::resumesOnceADiskHasRoom()
{
    // A small file system of its own, which lives as long as the script; most of it is taken.
    const QString disk = path("disk"), bin = QCoreApplication::applicationDirPath();
    QVERIFY(QDir().mkpath(disk));
    const QString script
        = QStringLiteral("cd '%1' && head -c 3800000 /dev/zero >filler; '%2/espalier' %3; "
                         "echo \"first $?\" >&2; rm filler; '%2/espalier' resume s.espalier; "
                         "echo \"second $?\" >&2; cp s.espalier '%4'")
              .arg(disk, bin, search(QStringLiteral("s.espalier")).join(QLatin1Char(' ')),
                  path("roomy.espalier"));
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ESPALIER_WORKER"), bin + QStringLiteral("/espalier-worker"));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral("bwrap"),
        {QStringLiteral("--dev-bind"), QStringLiteral("/"), QStringLiteral("/"),
            QStringLiteral("--die-with-parent"), QStringLiteral("--size"),
            QStringLiteral("4000000"), QStringLiteral("--tmpfs"), disk, QStringLiteral("sh"),
            QStringLiteral("-c"), script});
    QVERIFY(process.waitForFinished(60000) || process.error() == QProcess::FailedToStart);
    const QString errors = QString::fromUtf8(process.readAllStandardError());
    if (!errors.contains(QLatin1String("first ")))
        QSKIP(qPrintable(QStringLiteral("no small file system can be made here: ") + errors));
    QVERIFY2(errors.contains(QLatin1String("first 3")), qPrintable(errors));
    QVERIFY2(errors.contains(QLatin1String("s.espalier: ")), qPrintable(errors));
    QVERIFY2(errors.contains(QLatin1String("The disk is full or failing. Free some space")),
        qPrintable(errors));
    QVERIFY2(errors.contains(QLatin1String("second 0")), qPrintable(errors));
    QCOMPARE(nodes(path("roomy.espalier")), m_whole);
}

void TestRealSearch::namesTheMissingCompiler_data()
{
    QTest::addColumn<bool>("evaluates");
    QTest::newRow("search") << false;
    QTest::newRow("evaluate") << true;
}

void TestRealSearch::namesTheMissingCompiler()
{
    QFETCH(bool, evaluates);
    QVERIFY(QDir(m_dir.path()).mkpath(QStringLiteral("empty")));
    const QString session = path("uncompiled.espalier");
    const Result result
        = finish(start(evaluates ? QStringList{QStringLiteral("evaluate"), path("problem"),
                           path("problem/seed.cu"), QStringLiteral("--json")}
                                 : search(session),
            path("empty")));
    QVERIFY2(result.code == 3, qPrintable(result.errors));
    QVERIFY2(result.errors.contains(QLatin1String("Install the CUDA 13 toolkit")),
        qPrintable(result.errors));
    QVERIFY2(result.errors.contains(path("empty")), qPrintable(result.errors));
    QCOMPARE(result.out, QByteArray());
    if (!evaluates)
        QVERIFY2(nodes(session).value(0).startsWith(QLatin1String("#1 of #0, root, root queued -")),
            qPrintable(nodes(session).join(QLatin1Char('\n'))));
}

void TestRealSearch::tellsASecondProcess()
{
    const QString session = path("held.espalier");
    QProcess *process = start(search(session));
    QVERIFY(told(process, QStringLiteral("\n  #1 ")));
    const Result second = finish(start({QStringLiteral("resume"), session}));
    QCOMPARE(second.code, 3);
    QVERIFY2(second.errors.contains(session + QStringLiteral(" is open in another process")),
        qPrintable(second.errors));
    QVERIFY2(
        second.errors.contains(QString::number(process->processId())), qPrintable(second.errors));
    const Result again = finish(start(search(session)));
    QCOMPARE(again.code, 2);
    QVERIFY2(again.errors.contains(QLatin1String("exists already")), qPrintable(again.errors));
    QVERIFY(show(session).is_object()); // reading is free
}

QTEST_GUILESS_MAIN(TestRealSearch)
#include "tst_realsearch.moc"
