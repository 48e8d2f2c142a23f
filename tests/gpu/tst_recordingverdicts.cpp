#include "gpu/base/process.h"
#include "gpu/problem/problem.h"
#include "gpu/protocol/message.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using nlohmann::json;

namespace {
const QDir Resources(QStringLiteral(SOURCE_DIR "/resources"));

QByteArray readAll(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}
} // namespace

/// Each candidate of the softmax recording gets from the real worker, compiler and CPU device the
/// verdict that its expect.json names. At a small size, and without timing, to be quick.
class TestRecordingVerdicts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void asExpected_data();
    void asExpected();

private:
    json ask(json request);

    std::unique_ptr<gpu::ChildProcess> m_worker;
    std::string m_key;
    int m_id = 0;
};

json TestRecordingVerdicts::ask(json request)
{
    request["id"] = ++m_id;
    m_worker->writeLine(request.dump(), 10);
    std::string line;
    while (m_worker->readLine(line, 60) == gpu::ChildProcess::Outcome::Done) {
        const json message = json::parse(line);
        if (message.value("id", 0) == m_id && message.at("event") != "stage")
            return message;
    }
    return json::object();
}

void TestRecordingVerdicts::initTestCase()
{
    auto worker = gpu::ChildProcess::start({qgetenv("ESPALIER_WORKER").toStdString()});
    QVERIFY2(worker.ok(), "ESPALIER_WORKER must be the path of espalier-worker");
    m_worker = std::move(*worker);
    auto problem
        = gpu::loadProblem(Resources.filePath(QStringLiteral("problems/softmax")).toStdString());
    QVERIFY(problem);
    problem->sizes["small"] = {{"rows", 8}, {"cols", 1024}};
    problem->sizes["odd"] = {{"rows", 5}, {"cols", 333}};
    const json loaded = ask({{"op", "load"}, {"problem", gpu::toJson(*problem)}});
    m_key = loaded.value("key", "");
    QVERIFY2(!m_key.empty(), loaded.dump().c_str());
}

void TestRecordingVerdicts::asExpected_data()
{
    QTest::addColumn<QString>("reply");
    QTest::addColumn<QStringList>("verdicts");
    const QDir folder(Resources.filePath(QStringLiteral("recordings/softmax")));
    const json expect
        = json::parse(readAll(folder.filePath(QStringLiteral("expect.json"))).toStdString());
    for (const auto &[name, verdicts] : expect.items()) {
        QStringList wanted;
        for (const json &verdict : verdicts)
            wanted.append(QString::fromStdString(verdict.get<std::string>()));
        QTest::newRow(name.c_str())
            << folder.filePath(QString::fromStdString(name + ".md")) << wanted;
    }
}

void TestRecordingVerdicts::asExpected()
{
    QFETCH(QString, reply);
    QFETCH(QStringList, verdicts);
    static const QRegularExpression fence(QStringLiteral("^```cuda\\n(.*?)^```$"),
        QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    const QString source = fence.match(QString::fromUtf8(readAll(reply))).captured(1);
    QVERIFY2(!source.isEmpty(), qPrintable(reply));
    const json answer = ask({{"op", "evaluate"}, {"problem", m_key}, {"size", "small"},
        {"source", source.toStdString()}, {"time", false}});
    QCOMPARE(answer.value("event", ""), std::string("result"));
    const json &evaluation = answer["evaluation"];
    const std::string verdict = evaluation["verdict"];
    QVERIFY2(verdicts.contains(QString::fromStdString(verdict)),
        (verdict + ": " + evaluation["message"].get<std::string>()).c_str());
}

QTEST_APPLESS_MAIN(TestRecordingVerdicts)
#include "tst_recordingverdicts.moc"
