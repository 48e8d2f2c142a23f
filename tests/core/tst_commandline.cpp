#include "recordingwriter.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <csignal>

using nlohmann::json;

namespace {
struct Result {
    int code = -1;
    QByteArray out;
    QString errors;
};

QString binary(const char *name)
{
    return QCoreApplication::applicationDirPath() + QLatin1Char('/') + QString::fromLatin1(name);
}
} // namespace

/// Runs the real program with the fake worker, as a person would.
class TestCommandLine : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void answersBadCalls_data();
    void answersBadCalls();
    void searchesShowsAndExports();
    void resumesAfterEachKill();
    void stopsOnInterrupt();
    void tellsASecondProcess();
    void evaluates_data();
    void evaluates();
    void endsWhenNothingIsFound();

private:
    QProcess *start(const QStringList &arguments, const QString &worker = {});
    Result run(const QStringList &arguments, const QString &worker = {});
    Result finish(QProcess *process);
    QStringList search(const QString &session) const;
    QString path(const char *name) const { return m_dir.filePath(QString::fromLatin1(name)); }
    QStringList nodes(const QString &session);

    QTemporaryDir m_dir;
};

void TestCommandLine::initTestCase()
{
    fakes::writeRecording(path("quick"), 0);
    fakes::writeRecording(path("slow"), 60);
}

QProcess *TestCommandLine::start(const QStringList &arguments, const QString &worker)
{
    auto *process = new QProcess(this);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(
        QStringLiteral("ESPALIER_WORKER"), worker.isEmpty() ? binary("fakeworker") : worker);
    environment.insert(
        QStringLiteral("ESPALIER_RESOURCES"), QStringLiteral(SOURCE_DIR "/resources"));
    // No display: command-line modes must not need one (KDAB/hotspot #613).
    environment.remove(QStringLiteral("QT_QPA_PLATFORM"));
    environment.remove(QStringLiteral("DISPLAY"));
    environment.remove(QStringLiteral("WAYLAND_DISPLAY"));
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(m_dir.path());
    process->start(binary("espalier"), arguments);
    return process;
}

Result TestCommandLine::finish(QProcess *process)
{
    const bool ended = process->state() == QProcess::NotRunning || process->waitForFinished(30000);
    if (!ended)
        process->kill();
    Result result{ended && process->exitStatus() == QProcess::NormalExit ? process->exitCode() : -1,
        process->readAllStandardOutput(), QString::fromUtf8(process->readAllStandardError())};
    process->deleteLater();
    return result;
}

Result TestCommandLine::run(const QStringList &arguments, const QString &worker)
{
    return finish(start(arguments, worker));
}

QStringList TestCommandLine::search(const QString &session) const
{
    return {QStringLiteral("search"), QStringLiteral("softmax"), QStringLiteral("--provider"),
        QStringLiteral("replay:") + path("slow"), QStringLiteral("--session"), session};
}

QStringList TestCommandLine::nodes(const QString &session)
{
    QStringList result;
    const Result shown = run({QStringLiteral("show"), session, QStringLiteral("--json")});
    const json document = json::parse(shown.out.begin(), shown.out.end(), nullptr, false);
    if (document.is_discarded())
        return result;
    for (const json &node : document["nodes"])
        result.append(QString::fromStdString(node["path"].get<std::string>() + " "
            + node["kind"].get<std::string>() + " " + node["state"].get<std::string>() + " "
            + node["verdict"].dump()));
    result.sort();
    return result;
}

void TestCommandLine::answersBadCalls_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown command") << "paint" << 2 << "";
    QTest::newRow("unknown option") << "search softmax --frobnicate" << 2 << "frobnicate";
    QTest::newRow("no problem named") << "search" << 2 << "problem is required";
    QTest::newRow("not a number") << "search softmax --rounds many" << 2 << "--rounds";
    QTest::newRow("negative budget") << "search softmax --budget-minutes -1" << 2 << "";
    QTest::newRow("no such problem") << "search nix" << 2 << "Known problems: conv2d";
    QTest::newRow("no such policy")
        << "search softmax --provider replay:quick --policy x" << 2 << "Known ones: best";
    QTest::newRow("no such provider")
        << "search softmax --provider oracle" << 2 << "Known ones: replay";
    QTest::newRow("no such recording")
        << "search softmax --provider replay:nowhere" << 2 << "recording.json does not exist";
    QTest::newRow("other problem's") << "search matmul --provider replay:quick" << 2
                                     << "is of the problem `softmax`, not of `matmul`";
    QTest::newRow("no such size") << "search softmax --provider replay:quick --size huge" << 2
                                  << "huge";
    QTest::newRow("a GPU") << "search softmax --device cuda:0" << 3 << "CPU device only";
    QTest::newRow("no device") << "search softmax --device tpu" << 2 << "Known ones: cpu";
    QTest::newRow("no worker") << "search softmax --provider replay:quick --worker /no/worker" << 3
                               << "could not be started";
    QTest::newRow("show nothing") << "show nowhere.espalier" << 2 << "does not exist";
    QTest::newRow("show a text") << "show quick/recording.json" << 2 << "not an Espalier session";
    QTest::newRow("resume nothing") << "resume nowhere.espalier" << 2 << "does not exist";
    QTest::newRow("export a format")
        << "export x --format csv --out y" << 2 << "not supported yet: use cu or html";
    QTest::newRow("no candidate") << "evaluate softmax nowhere.cu" << 2
                                  << "nowhere.cu cannot be read";
    QTest::newRow("session in no folder")
        << "search softmax --provider replay:quick --session no/where/s.espalier" << 2 << "folder";
}

void TestCommandLine::answersBadCalls()
{
    QFETCH(QString, arguments);
    QFETCH(int, code);
    QFETCH(QString, message);
    const Result result = run(arguments.split(QLatin1Char(' ')));
    QCOMPARE(result.code, code);
    QVERIFY2(result.errors.contains(message), qPrintable(result.errors));
    QCOMPARE(result.out, QByteArray());
}

void TestCommandLine::searchesShowsAndExports()
{
    const Result found = run({QStringLiteral("search"), QStringLiteral("softmax"),
        QStringLiteral("--provider"), QStringLiteral("replay:quick"), QStringLiteral("--session"),
        QStringLiteral("s.espalier"), QStringLiteral("--json")});
    QVERIFY2(found.code == 0, qPrintable(found.errors));
    const json document = json::parse(found.out.begin(), found.out.end(), nullptr, false);
    QVERIFY(document.is_object());
    QCOMPARE(document["nodes"].size(), std::size_t(1 + 2 * 6 + 1));
    QCOMPARE(document["problem"].get<std::string>(), std::string("softmax"));
    for (const char *key : {"id", "parent", "kind", "round", "author", "title", "category",
             "verdict", "time_us", "speedup", "precision", "tokens"})
        QVERIFY2(document["nodes"][1].contains(key), key);
    QVERIFY(found.errors.contains(QLatin1String("best 2.27x")));
    QVERIFY(found.errors.contains(QLatin1String("compile_error")));

    QCOMPARE(
        run({QStringLiteral("export"), QStringLiteral("s.espalier"), QStringLiteral("--format"),
                QStringLiteral("html"), QStringLiteral("--out"), QStringLiteral("r.html")})
            .code,
        0);
    QFile html(path("r.html"));
    QVERIFY(html.open(QIODevice::ReadOnly));
    const QByteArray page = html.readAll();
    QXmlStreamReader reader(page);
    while (!reader.atEnd())
        reader.readNext();
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    QVERIFY(!page.contains("<script"));
    QVERIFY(page.contains("&lt;b&gt;Tile&lt;/b&gt; &amp; &quot;go&quot;"));
    QVERIFY(page.contains("CPU times"));
    QVERIFY(page.contains("prefers-color-scheme: dark"));
    QVERIFY(!page.contains("http://") || page.count("http://") == page.count("http://www.w3.org/"));

    QCOMPARE(
        run({QStringLiteral("export"), QStringLiteral("s.espalier"), QStringLiteral("--format"),
                QStringLiteral("cu"), QStringLiteral("--out"), QStringLiteral("b.cu")})
            .code,
        0);
    QFile cu(path("b.cu"));
    QVERIFY(cu.open(QIODevice::ReadOnly));
    const QByteArray kernel = cu.readAll();
    QVERIFY(kernel.startsWith("/* plan {} */\n/* Exported by Espalier"));
    QVERIFY(kernel.contains("(CPU time)"));
    const Result idea = run({QStringLiteral("export"), QStringLiteral("s.espalier"),
        QStringLiteral("--format"), QStringLiteral("cu"), QStringLiteral("--node"),
        QStringLiteral("2"), QStringLiteral("--out"), QStringLiteral("i.cu")});
    QCOMPARE(idea.code, 2);
    QVERIFY(idea.errors.contains(QLatin1String("no source")));
    QVERIFY(!QFile::exists(path("i.cu")));
    QCOMPARE(
        run({QStringLiteral("export"), QStringLiteral("s.espalier"), QStringLiteral("--format"),
                QStringLiteral("html"), QStringLiteral("--out"), QStringLiteral("no/r.html")})
            .code,
        3);
    // A stored session's replies are a recording too.
    const Result again = run({QStringLiteral("search"), QStringLiteral("softmax"),
        QStringLiteral("--provider"), QStringLiteral("replay:s.espalier"),
        QStringLiteral("--session"), QStringLiteral("again.espalier")});
    QCOMPARE(again.code, 0);
    QCOMPARE(nodes(path("again.espalier")), nodes(path("s.espalier")));
}

void TestCommandLine::resumesAfterEachKill()
{
    QCOMPARE(run(search(path("whole.espalier"))).code, 0);
    const QStringList whole = nodes(path("whole.espalier"));
    QCOMPARE(whole.size(), 14);
    static const QRegularExpression told(QStringLiteral("^  #(\\d+) +(\\S+)"));
    const QString session = path("killed.espalier");
    QProcess *process = start(search(session));
    int kills = 0;
    for (;; ++kills) {
        QVERIFY(kills < 40);
        if (process->waitForFinished(130 + 17 * (kills % 5)))
            break;
        ::kill(static_cast<pid_t>(process->processId()), SIGKILL);
        QVERIFY(process->waitForFinished(5000));
        const QString errors = QString::fromUtf8(process->readAllStandardError());
        process->deleteLater();
        if (QFile::exists(session)) {
            // What it had told as done is stored.
            const QString stored = QString::fromUtf8(
                run({QStringLiteral("show"), session, QStringLiteral("--json")}).out);
            const json document = json::parse(stored.toStdString(), nullptr, false);
            QVERIFY2(document.is_object(), qPrintable(stored));
            for (const QString &line : errors.split(QLatin1Char('\n'))) {
                const auto match = told.match(line);
                if (!match.hasMatch() || match.captured(2) == QLatin1String("idea"))
                    continue;
                const json &node = document["nodes"].at(match.captured(1).toUInt() - 1);
                QCOMPARE(
                    QString::fromStdString(node["verdict"].get<std::string>()), match.captured(2));
            }
        }
        process = start(QFile::exists(session) ? QStringList{QStringLiteral("resume"), session}
                                               : search(session));
    }
    const Result last = finish(process);
    QVERIFY2(last.code == 0, qPrintable(QString::number(last.code) + last.errors));
    QVERIFY2(kills >= 3, qPrintable(QString::number(kills)));
    QCOMPARE(nodes(session), whole);
}

void TestCommandLine::stopsOnInterrupt()
{
    const QString session = path("stopped.espalier");
    QProcess *process = start(search(session));
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(session); }));
    QTest::qWait(250);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    QElapsedTimer timer;
    timer.start();
    const Result result = finish(process);
    QVERIFY(timer.elapsed() < 3000);
    QVERIFY2(result.code == 0 || result.code == 1, qPrintable(result.errors));
    QVERIFY2(result.errors.contains(QLatin1String("espalier resume")), qPrintable(result.errors));
    QCOMPARE(run({QStringLiteral("resume"), session}).code, 0);
    QCOMPARE(nodes(session).size(), 14);
}

void TestCommandLine::tellsASecondProcess()
{
    const QString session = path("held.espalier");
    QProcess *process = start(search(session));
    QVERIFY(QTest::qWaitFor([&] { return !nodes(session).isEmpty(); }));
    const Result second = run({QStringLiteral("resume"), session});
    QCOMPARE(second.code, 3);
    QVERIFY2(second.errors.contains(QLatin1String("is open in another process")),
        qPrintable(second.errors));
    QCOMPARE(finish(process).code, 0);
}

void TestCommandLine::evaluates_data()
{
    QTest::addColumn<QByteArray>("source");
    QTest::addColumn<QString>("mode");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("verdict");
    QTest::newRow("ok") << QByteArray("// ok 5") << "" << 0 << "ok";
    QTest::newRow("no") << QByteArray("// fail wrong_result") << "" << 1 << "wrong_result";
    QTest::newRow("environment") << QByteArray("// fail environment_error") << "" << 3
                                 << "environment_error";
    QTest::newRow("killer") << QByteArray("// die") << "" << 3 << "environment_error";
    QTest::newRow("no compiler") << QByteArray("// ok 5") << " --no-compiler" << 3 << "";
    QTest::newRow("refused problem") << QByteArray("// ok 5") << " --refuse" << 2 << "";
}

void TestCommandLine::evaluates()
{
    QFETCH(QByteArray, source);
    QFETCH(QString, mode);
    QFETCH(int, code);
    QFETCH(QString, verdict);
    QFile file(path("c.cu"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(source);
    file.close();
    const Result result = run({QStringLiteral("evaluate"), QStringLiteral("softmax"),
                                  QStringLiteral("c.cu"), QStringLiteral("--json")},
        binary("fakeworker") + mode);
    QVERIFY2(result.code == code, qPrintable(result.errors));
    const json document = json::parse(result.out.begin(), result.out.end(), nullptr, false);
    QCOMPARE(document.is_object(), !verdict.isEmpty());
    if (document.is_object())
        QCOMPARE(QString::fromStdString(document["verdict"].get<std::string>()), verdict);
}

void TestCommandLine::endsWhenNothingIsFound()
{
    // The seed takes 50 us on the fake worker, and no rounds are asked for.
    const Result result
        = run({QStringLiteral("search"), QStringLiteral("softmax"), QStringLiteral("--provider"),
            QStringLiteral("replay:quick"), QStringLiteral("--rounds"), QStringLiteral("0")});
    QCOMPARE(result.code, 1);
    QVERIFY(QString::fromUtf8(result.out).contains(QLatin1String("session softmax-")));
}

QTEST_GUILESS_MAIN(TestCommandLine)
#include "tst_commandline.moc"
