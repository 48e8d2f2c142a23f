#include "gpu/verify/evaluation.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

using gpu::Evaluation;
using nlohmann::json;

class TestEvaluation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void roundTripKeepsEverything();
    void hasDesignsKeys();
    void nonFiniteTravelsAsNull();
    void toleratesForeignInput_data();
    void toleratesForeignInput();
};

static Evaluation sample()
{
    Evaluation e;
    e.verdict = gpu::Verdict::Precision;
    e.message = "looser than fp32 — “naïve”";
    e.problem = "softmax";
    e.deviceKind = "cpu";
    e.deviceName = "a processor";
    e.size = "small";
    e.seed = 0xfedcba9876543210;
    e.time = gpu::TimeStatistics{10.5, 10, 11, 9.5, {10, 11, 10.5}, true};
    e.floorUs = 1.25;
    e.precision = {"tf32", 1e-4, {{"fp32", 1e-7}, {"tf32", 2e-4}}, true, true};
    e.checks = {{"small", "normal", true, 1e-4, "tf32", ""},
        {"odd", "stripes_1", false, 0.5, "", "far off"}};
    e.wrong = gpu::WrongElement{"y", {3, 4}, 1.5, 2.5};
    e.fault = gpu::FaultLocation{"k<256>", {1, 2, 3}, {4, 5, 6}, 77, 0xffffffff00000001};
    e.compileMs = 55;
    e.resources = {{"k<256>", 40, 1024, 16, 4, 8}, {"j", 50, 0, 0, 0, 0}};
    e.diagnostics = {{"warning", 7, 3, "unused"}};
    e.compileLog = "log\n";
    e.tunables = {{"ROWS", 4}};
    return e;
}

void TestEvaluation::roundTripKeepsEverything()
{
    const json once = toJson(sample());
    const json twice = toJson(gpu::evaluationFromJson(json::parse(once.dump())));
    QCOMPARE(twice.dump(2), once.dump(2));
    const Evaluation back = gpu::evaluationFromJson(once);
    QCOMPARE(back.seed, sample().seed);
    QCOMPARE(back.fault->address, sample().fault->address);
    QCOMPARE(back.wrong->index, (std::vector<std::int64_t>{3, 4}));
    QCOMPARE(back.resources.size(), 2u);
    QCOMPARE(back.time->samplesUs.size(), 3u);
}

void TestEvaluation::hasDesignsKeys()
{
    const json e = toJson(sample());
    for (const char *const key : {"verdict", "message", "problem", "device", "size", "time_us",
             "floor_us", "precision", "checks", "compile_ms", "resources"})
        QVERIFY2(e.contains(key), key);
    QCOMPARE(e["device"]["kind"].get<std::string>(), std::string("cpu"));
    QCOMPARE(e["time_us"]["median"].get<double>(), 10.5);
    QCOMPARE(e["precision"]["class"].get<std::string>(), std::string("tf32"));
    QCOMPARE(e["resources"]["registers"].get<int>(), 50);
    QCOMPARE(e["resources"]["spill_bytes"].get<int>(), 12);
    QVERIFY(toJson(Evaluation()).at("time_us").is_null());
}

void TestEvaluation::nonFiniteTravelsAsNull()
{
    Evaluation e = sample();
    e.checks[0].error = std::numeric_limits<double>::infinity();
    e.wrong->got = std::numeric_limits<double>::quiet_NaN();
    const json form = toJson(e);
    QVERIFY(form["checks"][0]["error"].is_null());
    QVERIFY(form["wrong"]["got"].is_null());
    QVERIFY(std::isnan(gpu::evaluationFromJson(form).wrong->got));
}

void TestEvaluation::toleratesForeignInput_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray("{}");
    QTest::newRow("array") << QByteArray("[1,2]");
    QTest::newRow("wrong types") << QByteArray(
        R"({"verdict":3,"checks":7,"precision":[],"time_us":"fast","resources":null,"seed":"x"})");
    QTest::newRow("unknown verdict") << QByteArray(R"({"verdict":"brilliant"})");
    QTest::newRow("odd parts") << QByteArray(
        R"({"checks":[1,null,{}],"wrong":{"index":["a"]},"fault":{"block":[1,"b"]}})");
}

void TestEvaluation::toleratesForeignInput()
{
    QFETCH(QByteArray, text);
    const Evaluation e = gpu::evaluationFromJson(json::parse(text.toStdString()));
    QVERIFY(e.verdict == gpu::Verdict::EnvironmentError);
    QVERIFY(!e.time);
}

QTEST_APPLESS_MAIN(TestEvaluation)
#include "tst_evaluation.moc"
