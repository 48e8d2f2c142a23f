#include "gpu/base/identifier.h"
#include "gpu/problem/expression.h"

#include <QTest>

#include <atomic>
#include <cmath>
#include <thread>

using gpu::evaluate;
using gpu::evaluateInteger;

namespace {
const gpu::Variables Names = {{"rows", 4096}, {"cols", 1000}, {"dim.rows", 4096}, {"tune.TILE", 32},
    {"big", 9007199254740992.0}};
} // namespace

class TestExpression : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void values_data();
    void values();
    void errors_data();
    void errors();
    void integers();
    void evaluatesInManyThreads();
    void judgesIdentifiers();
    void findsTheNearestName();
};

void TestExpression::values_data()
{
    QTest::addColumn<double>("value");
    const auto row = [](const char *text, double value) { QTest::newRow(text) << value; };
    row("12", 12);
    row("1.5e2", 150);
    row(".5", 0.5);
    row("rows*cols", 4096000);
    row("dim.rows / tune.TILE", 128);
    row("-rows + 1", -4095);
    row("+rows", 4096);
    row("ceil_div(cols, 256)", 4);
    row("floor_div(cols, 256)", 3);
    row("ceil_div(-1, 256)", 0);
    row("align(cols, 128)", 1024);
    row("min(3, 1, 2)", 1);
    row("max(rows, cols)", 4096);
    row("cols % 256", 232);
    row("1 + cols % 256 * 2", 465);
    row("cols*4 <= 49152 ? cols*4 : 0", 4000);
    row("rows > 1 && cols != 1000 ? 1 : 2", 2);
    row("!(rows == 4096) || cols >= 1000", 1);
    row("rows==4096?cols==1000?1:2:3", 1);
    row("cols > 0 ? 5 : 1/0", 5);
    row("cols > 0 ? 5 : ceil_div(1, 0)", 5);
    row("1.0/sqrt(64)", 0.125);
    row("pow(2, 10) + log2(8) + abs(-1) + floor(1.5) + ceil(1.5)", 1031);
    row(" ( 1 + 2 ) * 3 ", 9);
    row("9007199254740991 + 1", 9007199254740992.0);
}

void TestExpression::values()
{
    QFETCH(double, value);
    const auto result = evaluate(QTest::currentDataTag(), Names);
    QVERIFY2(result.ok(), result.ok() ? "" : result.error().message.c_str());
    QCOMPARE(*result, value);
}

void TestExpression::errors_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("part");
    const auto row = [](const char *tag, const QString &text, const char *part) {
        QTest::newRow(tag) << text << QString::fromUtf8(part);
    };
    const auto quoted = [](const char *text) { return QString::fromUtf8(text); };
    row("empty", quoted(""), "is empty");
    row("blank", quoted("  "), "is empty");
    row("unknown", quoted("rwos*2"), "'rwos'. Did you mean 'rows'");
    row("unknown far", quoted("1 + zebra"), "'zebra'. Known are");
    row("unknown function", quoted("round(3)"), "'round'");
    row("no constants", quoted("_pi"), "'_pi'");
    row("assignment", quoted("rows = 2"), "assignment");
    row("assignment 2", quoted("rows += 2"), "assignment");
    row("several", quoted("1, 2"), "comma");
    row("string", quoted("\"a\""), "character");
    row("power", quoted("2^3"), "pow");
    row("shift", quoted("1 << 3"), "'");
    row("bits", quoted("6 & 3"), "bit operator");
    row("division by zero", quoted("1/0"), "divides by zero");
    row("zero by zero", quoted("ceil_div(0, 0)"), "divides by zero");
    row("open", quoted("(1 + 2"), "parenthesis");
    row("closed", quoted("1 + 2)"), "'");
    row("too early", quoted("1 +"), "'1 +'");
    row("no operator", quoted("2 rows"), "'");
    row("no else", quoted("1 ? 2"), "'1 ? 2'");
    row("too few", quoted("ceil_div(1)"), "wrong number");
    row("too many", quoted("ceil_div(1, 2, 3)"), "wrong number");
    row("no values", quoted("min()"), "'min()'");
    row("statement", quoted("1; 2"), "character");
    row("unicode", quoted("röws"), "character");
    row("long", QString(3000, QLatin1Char('1')), "longer than");
    row("deep", QString(100, QLatin1Char('(')) + QLatin1Char('1'), "nests deeper");
    row("overflow", quoted("1e308*10"), "too large");
}

void TestExpression::errors()
{
    QFETCH(QString, text);
    QFETCH(QString, part);
    const auto result = evaluate(text.toStdString(), Names);
    QVERIFY2(!result.ok(), "it has a value");
    const QString message = QString::fromStdString(result.error().message);
    QVERIFY2(message.contains(part), qPrintable(message));
    QVERIFY(message.endsWith(QLatin1Char('.')));
}

void TestExpression::integers()
{
    QCOMPARE(*evaluateInteger("rows*cols", Names), std::int64_t(4096000));
    QCOMPARE(*evaluateInteger("big", Names), std::int64_t(9007199254740992));
    QCOMPARE(*evaluateInteger("0 - 7", Names), std::int64_t(-7));
    const auto fraction = evaluateInteger("cols / 256", Names);
    QVERIFY(!fraction.ok());
    QVERIFY(fraction.error().message.find("3.90625, not a whole number") != std::string::npos);
    QVERIFY(!evaluateInteger("big * 2", Names).ok());
    QVERIFY(!evaluateInteger("1e300", Names).ok());
}

void TestExpression::evaluatesInManyThreads()
{
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([t, &wrong] {
            for (int i = 0; i < 200; ++i) {
                const auto value = evaluate("a * 10 + min(a, 3)", {{"a", double(t * 1000 + i)}});
                if (!value.ok() || *value != (t * 1000 + i) * 10 + std::min(t * 1000 + i, 3))
                    ++wrong;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(wrong.load(), 0);
}

void TestExpression::judgesIdentifiers()
{
    for (const char *good : {"rows", "_x", "N", "TILE_2", "maxval"})
        QVERIFY2(gpu::isCppIdentifier(good), good);
    for (const char *bad :
        {"", "2x", "a-b", "a b", "int", "register", "a__b", "_X", "blockIdx", "é"})
        QVERIFY2(!gpu::isCppIdentifier(bad), bad);
    QVERIFY(gpu::isReservedInExpressions("min"));
    QVERIFY(gpu::isReservedInExpressions("sm_count"));
    QVERIFY(!gpu::isReservedInExpressions("rows"));
}

void TestExpression::findsTheNearestName()
{
    const std::vector<std::string> known = {"launches", "scratch", "tunables", "options"};
    QCOMPARE(gpu::nearestName("launch", known), std::string("launches"));
    QCOMPARE(gpu::nearestName("Tunables", known), std::string("tunables"));
    QCOMPARE(gpu::nearestName("zebra", known), std::string());
    QCOMPARE(gpu::listed({"a", "b", "c"}), std::string("a, b and c"));
}

QTEST_APPLESS_MAIN(TestExpression)
#include "tst_expression.moc"
