#include "gpu/compile/options.h"

#include <QTest>

class TestOptions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void judges_data();
    void judges();
    void knowsFastMath();
};

void TestOptions::judges_data()
{
    QTest::addColumn<bool>("allowed");
    for (const char *option :
        {"--use_fast_math", "-use_fast_math", "-maxrregcount=32", "--maxrregcount=255",
            "--fmad=false", "-ftz=true", "--prec-div=false", "--prec-sqrt=true", "--restrict",
            "--std=c++20", "-std=c++17", "-extra-device-vectorization", "-Xptxas=-O3",
            "--ptxas-options=-dlcm=ca", "-Xptxas=--allow-expensive-optimizations=true"})
        QTest::newRow(option) << true;
    for (const char *option :
        {"", "-I/etc", "-I", "--include-path=/", "-include=/etc/passwd", "--pre-include=x",
            "-arch=sm_90", "--gpu-architecture=sm_90", "-DX=1", "--define-macro=X", "-UX",
            "-maxrregcount=8", "-maxrregcount=1000", "--time=/tmp/x", "-fdevice-time-trace=x",
            "--create-pch=x", "--pch-dir=/tmp", "-G", "-lineinfo", "--std=c++03", "--fmad=maybe",
            "-Xptxas=-v -o /tmp/x", "-Xptxas=-o", "-Xptxas", "--use_fast_math -I/etc",
            " --use_fast_math", "--use_fast_math\n-I/etc", "-rdc=true", "-dlto", "--device-debug",
            "--no-source-include", "-default-device", "use_fast_math", "---use_fast_math"})
        QTest::newRow(option) << false;
}

void TestOptions::judges()
{
    QFETCH(bool, allowed);
    const std::string option = QTest::currentDataTag();
    const std::string problem = gpu::optionProblem(option);
    QCOMPARE(problem.empty(), allowed);
    if (!allowed) {
        QVERIFY(problem.find("\"" + option + "\"") != std::string::npos);
        QVERIFY(problem.find("Allowed are --use_fast_math") != std::string::npos);
    }
}

void TestOptions::knowsFastMath()
{
    QVERIFY(gpu::usesFastMath({"--fmad=true", "-use_fast_math"}));
    QVERIFY(gpu::usesFastMath({"--use_fast_math"}));
    QVERIFY(!gpu::usesFastMath({"--fmad=true"}));
    QVERIFY(!gpu::optionProblem(std::string(100000, '-')).empty());
}

QTEST_APPLESS_MAIN(TestOptions)
#include "tst_options.moc"
