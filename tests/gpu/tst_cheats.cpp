#include "gpu/base/process.h"
#include "gpu/problem/problem.h"
#include "gpu/protocol/message.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

using nlohmann::json;

/// Every cheat that a candidate without host code can try, and beside each an honest kernel of the
/// same look, through the real worker, compiler and CPU device. Each file of cheats/ says its
/// problem, the verdict it must get and, if it cheats, its honest twin. The problems are those of
/// resources/, at sizes that make this quick.
class TestCheats : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void verdicts_data();
    void verdicts();
    void runOffs_data();
    void runOffs();
    void everyCheatHasAnHonestTwin();

private:
    static QString read(const QString &name);
    json receive();
    std::string load(const QString &problem);

    std::unique_ptr<gpu::ChildProcess> m_worker;
    std::map<QString, std::string> m_keys;
    int m_id = 0;
};

static const std::map<QString, std::map<std::string, std::map<std::string, std::int64_t>>> &sizes()
{
    static const std::map<QString, std::map<std::string, std::map<std::string, std::int64_t>>> all{
        {QStringLiteral("softmax"),
            {{"small", {{"rows", 6}, {"cols", 128}}}, {"odd", {{"rows", 3}, {"cols", 67}}}}},
        {QStringLiteral("layernorm"),
            {{"small", {{"batch", 3}, {"channels", 4}, {"height", 8}, {"width", 32}}},
                {"odd", {{"batch", 2}, {"channels", 3}, {"height", 13}, {"width", 11}}}}},
        {QStringLiteral("matmul"),
            {{"small", {{"m", 24}, {"n", 24}, {"k", 64}}},
                {"odd", {{"m", 17}, {"n", 11}, {"k", 29}}}}}};
    return all;
}

void TestCheats::initTestCase()
{
    auto worker = gpu::ChildProcess::start({qgetenv("ESPALIER_WORKER").toStdString()});
    QVERIFY2(worker.ok(), "ESPALIER_WORKER must be the path of espalier-worker");
    m_worker = std::move(*worker);
    const json hello = receive();
    QVERIFY2(hello["missing"].empty(), hello["missing"].dump().c_str());
}

json TestCheats::receive()
{
    std::string line;
    while (m_worker->readLine(line, 60) == gpu::ChildProcess::Outcome::Done) {
        const json message = json::parse(line);
        if (message.at("event") != "stage")
            return message;
    }
    return json::object();
}

std::string TestCheats::load(const QString &name)
{
    auto found = m_keys.find(name);
    if (found != m_keys.end())
        return found->second;
    auto problem = gpu::loadProblem(
        qgetenv("ESPALIER_RESOURCES").toStdString() + "/problems/" + name.toStdString());
    if (!problem)
        return problem.error().message;
    for (const auto &[size, dims] : sizes().at(name))
        problem->sizes[size] = dims;
    m_worker->writeLine(
        json({{"id", ++m_id}, {"op", "load"}, {"problem", gpu::toJson(*problem)}}).dump(), 10);
    const json loaded = receive();
    return m_keys[name] = loaded.value("key", loaded.value("message", "no answer"));
}

void TestCheats::verdicts_data()
{
    QTest::addColumn<QString>("path");
    const QDir folder(QStringLiteral(SOURCE_DIR "/tests/gpu/cheats"));
    for (const QString &file : folder.entryList({QStringLiteral("*.cu")}))
        QTest::newRow(qPrintable(file)) << folder.filePath(file);
}

void TestCheats::verdicts()
{
    QFETCH(QString, path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString source = QString::fromUtf8(file.readAll());
    static const QRegularExpression header(
        QStringLiteral("// problem: (\\w+)\\n// expect: ([\\w|]+)"));
    const QRegularExpressionMatch match = header.match(source);
    QVERIFY(match.hasMatch());
    const std::string key = load(match.captured(1));
    QVERIFY2(key.size() == 16, key.c_str());

    m_worker->writeLine(json({{"id", ++m_id}, {"op", "evaluate"}, {"problem", key},
                                 {"source", source.toStdString()}, {"size", "small"}})
                            .dump(),
        10);
    const json answer = receive();
    QCOMPARE(answer.value("event", ""), std::string("result"));
    const json &evaluation = answer["evaluation"];
    const QString verdict = QString::fromStdString(evaluation["verdict"].get<std::string>());
    const std::string told = evaluation["verdict"].get<std::string>() + ": "
        + evaluation["message"].get<std::string>();
    QVERIFY2(match.captured(2).split(QLatin1Char('|')).contains(verdict), told.c_str());
    QCOMPARE(evaluation["time_us"].is_object(), verdict == QStringLiteral("ok"));
}

QString TestCheats::read(const QString &name)
{
    QFile file(QStringLiteral(SOURCE_DIR "/tests/gpu/cheats/") + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void TestCheats::runOffs_data()
{
    QTest::addColumn<QString>("a");
    QTest::addColumn<QString>("b");
    QTest::addColumn<QString>("wanted"); // the comparison, or who falls out
    QTest::newRow("fast against slow") << "softmax_honest.cu"
                                       << "softmax_exp2_honest.cu"
                                       << "faster";
    QTest::newRow("slow against fast") << "softmax_exp2_honest.cu"
                                       << "softmax_honest.cu"
                                       << "slower";
    QTest::newRow("zeros") << "softmax_honest.cu"
                           << "softmax_zeros.cu"
                           << "b";
    QTest::newRow("leads with zeros") << "softmax_zeros.cu"
                                      << "softmax_honest.cu"
                                      << "a";
    QTest::newRow("answers in scratch") << "softmax_honest.cu"
                                        << "softmax_cached_scratch.cu"
                                        << "b";
    QTest::newRow("answers in a global") << "softmax_honest.cu"
                                         << "softmax_cached_global.cu"
                                         << "b";
    QTest::newRow("half precision") << "softmax_honest.cu"
                                    << "softmax_fp16.cu"
                                    << "b";
    QTest::newRow("writes past the end") << "softmax_honest.cu"
                                         << "softmax_write_past.cu"
                                         << "b";
}

void TestCheats::runOffs()
{
    QFETCH(QString, a);
    QFETCH(QString, b);
    QFETCH(QString, wanted);
    const std::string key = load(QStringLiteral("softmax"));
    m_worker->writeLine(json({{"id", ++m_id}, {"op", "compare"}, {"problem", key},
                                 {"size", "small"}, {"a", {{"source", read(a).toStdString()}}},
                                 {"b", {{"source", read(b).toStdString()}}}})
                            .dump(),
        10);
    const json answer = receive();
    QCOMPARE(answer.value("event", ""), std::string("compared"));
    const std::string got = answer.value("failed", answer.value("comparison", ""));
    QVERIFY2(got == wanted.toStdString(), answer.dump().c_str());
    if (wanted.size() == 1)
        QVERIFY(!answer["evaluation"]["message"].get<std::string>().empty());
}

void TestCheats::everyCheatHasAnHonestTwin()
{
    const QDir folder(QStringLiteral(SOURCE_DIR "/tests/gpu/cheats"));
    static const QRegularExpression twin(QStringLiteral("// twin: (\\S+)\\n"));
    int cheats = 0;
    for (const QString &name : folder.entryList({QStringLiteral("*.cu")})) {
        const QString source = read(name);
        if (source.contains(QStringLiteral("// expect: ok\n")))
            continue;
        ++cheats;
        const QString honest = read(twin.match(source).captured(1));
        QVERIFY2(honest.contains(QStringLiteral("// expect: ok\n")), qPrintable(name));
        QCOMPARE(name.section(QLatin1Char('_'), 0, 0),
            twin.match(source).captured(1).section(QLatin1Char('_'), 0, 0));
    }
    QVERIFY(cheats >= 29);
}

QTEST_APPLESS_MAIN(TestCheats)
#include "tst_cheats.moc"
