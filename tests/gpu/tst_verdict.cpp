#include "gpu/verify/verdict.h"

#include <QTest>

/// The names are a file format: design §6 lists them.
class TestVerdict : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void namesAreDesigns();
    void namesComeBack();
    void unknownNameIsNone();
};

static const char *const Names[] = {"ok", "compile_error", "plan_error", "launch_error",
    "memory_fault", "timeout", "crash", "wrong_result", "precision", "input_modified",
    "out_of_bounds", "nondeterministic", "impossible_time", "unsupported", "environment_error"};

void TestVerdict::namesAreDesigns()
{
    QCOMPARE(gpu::name(gpu::Verdict::Ok), std::string_view("ok"));
    QCOMPARE(gpu::name(gpu::Verdict::WrongResult), std::string_view("wrong_result"));
    QCOMPARE(gpu::name(gpu::Verdict::EnvironmentError), std::string_view("environment_error"));
}

void TestVerdict::namesComeBack()
{
    for (const char *const each : Names) {
        const auto verdict = gpu::verdictFromName(each);
        QVERIFY2(verdict, each);
        QCOMPARE(gpu::name(*verdict), std::string_view(each));
    }
}

void TestVerdict::unknownNameIsNone()
{
    QVERIFY(!gpu::verdictFromName("fast"));
    QVERIFY(!gpu::verdictFromName(""));
}

QTEST_APPLESS_MAIN(TestVerdict)
#include "tst_verdict.moc"
