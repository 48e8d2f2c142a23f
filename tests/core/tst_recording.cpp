#include "core/provider/providers.h"
#include "core/provider/recording.h"
#include "core/provider/reply.h"
#include "recordingwriter.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace core;

class TestRecording : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void replaysAFolder();
    void refusesFaultyOnes_data();
    void refusesFaultyOnes();
    void shippedOnesAreWhole();
};

void TestRecording::replaysAFolder()
{
    QTemporaryDir dir;
    fakes::writeRecording(dir.path(), 0);
    const QString name = QStringLiteral("replay:") + dir.path();
    gpu::Result<std::unique_ptr<Provider>> made = makeProvider(name, QStringLiteral("softmax"));
    QVERIFY2(made, made ? "" : made.error().message.c_str());
    Provider &provider = **made;
    Request request;
    request.round = 1;
    QCOMPARE(provider.refusal(request), QString());
    QSignalSpy replied(&provider, &Provider::replied);
    const quint64 ticket = provider.ask(request);
    QCOMPARE(replied.size(), 0); // never from inside `ask`
    QElapsedTimer timer;
    timer.start();
    QVERIFY(replied.wait(500));
    QVERIFY(timer.elapsed() < 500); // the recorded latency is not waited for
    QCOMPARE(replied.at(0).at(0).toULongLong(), ticket);
    const auto reply = replied.at(0).at(1).value<Reply>();
    QCOMPARE(reply.model, QStringLiteral("person"));
    QCOMPARE(reply.usage.costUsd, 0.0);
    request.round = 3;
    QVERIFY(provider.refusal(request).contains(QLatin1String("ends here")));
    provider.cancel(provider.ask(request));
    QVERIFY(!replied.wait(50));
    const SearchConfig config = defaultConfig(QStringLiteral("softmax"), name);
    QCOMPARE(config.rounds, 2);
    QCOMPARE(config.ideas, 2);
}

void TestRecording::refusesFaultyOnes_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("message");
    QTest::newRow("missing file") << "\"r1-i1-b1-a0.md\""
                                  << "\"gone.md\""
                                  << "gone.md cannot be read";
    QTest::newRow("not JSON") << "{"
                              << ""
                              << "not valid JSON";
    QTest::newRow("other format") << "\"format\": 1"
                                  << "\"format\": 2"
                                  << "has format 2";
    QTest::newRow("other problem") << "\"problem\": \"softmax\""
                                   << "\"problem\": \"matmul\""
                                   << "is of the problem `matmul`";
    QTest::newRow("unknown request") << "\"request\": \"repair\""
                                     << "\"request\": \"mend\""
                                     << "not \"mend\"";
    QTest::newRow("no numbers") << "\"idea\": 2"
                                << "\"idea\": 0"
                                << "count from 1";
    QTest::newRow("nothing in it") << "\"replies\":"
                                   << "\"answers\":"
                                   << "lists no \"replies\"";
    QTest::newRow("twice") << "\"branch\": 2"
                           << "\"branch\": 1"
                           << "same request as an earlier one";
}

void TestRecording::refusesFaultyOnes()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, message);
    QTemporaryDir dir;
    fakes::writeRecording(dir.path(), 0);
    QFile file(dir.filePath(QStringLiteral("recording.json")));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    file.close();
    QVERIFY(text.contains(from));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QString(text).replace(from, to).toUtf8());
    file.close();
    const auto made
        = makeProvider(QStringLiteral("replay:") + dir.path(), QStringLiteral("softmax"));
    QVERIFY(!made);
    const QString error = QString::fromStdString(made.error().message);
    QVERIFY2(error.contains(message), qPrintable(error));
    QCOMPARE(made.error().blame, gpu::Blame::Caller);
}

void TestRecording::shippedOnesAreWhole()
{
    const QDir dir(QStringLiteral(SOURCE_DIR "/resources/recordings"));
    for (const QString &problem : dir.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const gpu::Result<Recording> recording = loadRecording(dir.filePath(problem));
        QVERIFY2(recording, recording ? "" : recording.error().message.c_str());
        QCOMPARE(recording->problem, problem);
        for (int round = 1; round <= recording->rounds; ++round) {
            Request request;
            request.round = round;
            const Reply *reply = recording->find(request);
            QVERIFY2(reply, qPrintable(problem));
            const QList<ParsedIdea> ideas = parseIdeas(reply->text);
            QCOMPARE(ideas.size(), recording->ideas);
            for (const ParsedIdea &idea : ideas)
                QVERIFY2(!idea.category.isEmpty(), qPrintable(idea.title));
            request.kind = Request::Kind::Implementation;
            for (request.idea = 1; request.idea <= recording->ideas; ++request.idea) {
                for (request.branch = 1; request.branch <= recording->branches; ++request.branch)
                    QVERIFY2(recording->find(request), qPrintable(recordingKey(request)));
            }
        }
    }
}

QTEST_GUILESS_MAIN(TestRecording)
#include "tst_recording.moc"
