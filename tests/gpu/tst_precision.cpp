#include "gpu/verify/distribution.h"
#include "gpu/verify/generator.h"
#include "gpu/verify/precision.h"

#include <QTest>

#include <cmath>

using gpu::Format;
using gpu::Yardstick;

/// A softmax written on the host stands in for oracle, seed and candidates, so that the norm is
/// tested without a device.
class TestPrecision : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void classes_data();
    void classes();
    void oneWrongElementInAMillion();
    void zerosForSmallOutputs();
    void cancellationIsForgiven();
    void specialsMustMatch();
    void fp16ThatOverflowsIsSkipped();
    void capRefusesZerosWhereAFormatHasNoBits();
    void yardsticksAreTold();
    void rows();
    void allCloseIsNumpys();
};

namespace {
constexpr std::size_t Columns = 1024, Rows = 16;
using Values = std::vector<double>;

template <class T> Values softmax(const Values &x, T (*exponential)(T), bool reversed)
{
    Values y(x.size());
    for (std::size_t row = 0; row < Rows; ++row) {
        const double *in = x.data() + row * Columns;
        const T top = static_cast<T>(*std::max_element(in, in + Columns));
        T sum = 0;
        for (std::size_t i = 0; i < Columns; ++i)
            sum += exponential(static_cast<T>(in[reversed ? Columns - 1 - i : i]) - top);
        for (std::size_t i = 0; i < Columns; ++i)
            y[row * Columns + i]
                = static_cast<double>(exponential(static_cast<T>(in[i]) - top) / sum);
    }
    return y;
}

/// As `__expf`: 2^(x log2 e) with the product rounded to fp32.
float fastExponential(float x)
{
    return static_cast<float>(std::exp2(static_cast<double>(x * 1.442695041f)));
}

Values cut(Values values, Format format)
{
    for (double &value : values)
        value = gpu::truncateTo(format, value);
    return values;
}

Values truthOf(const Values &x)
{
    return softmax<double>(x, std::exp, false);
}

gpu::OutputErrors errorsOf(const Values &truth, const Values &got)
{
    return gpu::measure(truth, got, Columns, gpu::DType::F32);
}

gpu::YardstickSource sourceFor(const Values &x)
{
    return [x](Yardstick step) -> std::optional<std::vector<gpu::OutputErrors>> {
        const Values truth = truthOf(x);
        switch (step) {
        case Yardstick::Rounded:
            return std::vector{errorsOf(truth, cut(truth, Format::Fp32))};
        case Yardstick::Seed:
            return std::vector{errorsOf(truth, softmax<float>(x, std::exp, false))};
        case Yardstick::Perturbed: {
            Values moved = x;
            for (std::size_t i = 0; i < moved.size(); ++i)
                moved[i] *= 1 + 0x1p-23 * (gpu::Generator(1, 9).uniform(i) - 0.5);
            return std::vector{errorsOf(truth, truthOf(moved))};
        }
        case Yardstick::Tf32:
            return std::vector{errorsOf(truth, cut(truthOf(cut(x, Format::Tf32)), Format::Tf32))};
        case Yardstick::Fp16:
            return std::vector{errorsOf(truth, cut(truthOf(cut(x, Format::Fp16)), Format::Fp16))};
        case Yardstick::Bf16:
            return std::vector{errorsOf(truth, cut(truthOf(cut(x, Format::Bf16)), Format::Bf16))};
        }
        return std::nullopt;
    };
}

Values inputs(const char *distribution)
{
    return gpu::decodeElements(gpu::DType::F32,
        gpu::encodeElements(gpu::DType::F32,
            gpu::generate(distribution, {gpu::DType::F32, {Rows, Columns}, false, 0}, 42)));
}

QByteArray classOf(const Values &x, const Values &got)
{
    const auto result = gpu::classify({errorsOf(truthOf(x), got)}, sourceFor(x));
    return result.format ? QByteArray(gpu::name(*result.format).data()) : QByteArray("none");
}
} // namespace

void TestPrecision::classes_data()
{
    QTest::addColumn<QByteArray>("distribution");
    QTest::addColumn<QByteArray>("candidate");
    QTest::addColumn<QByteArray>("wanted");
    for (const char *const distribution :
        {"normal", "uniform", "large_offset", "large_scale", "tiny_scale", "stripes_1", "ramp",
            "constant_rows", "heavy_tails", "one_hot", "sparse"})
        for (const char *const honest : {"reversed", "fast exponential"})
            QTest::addRow("%s, %s", distribution, honest)
                << QByteArray(distribution) << QByteArray(honest) << QByteArray("fp32");
    QTest::newRow("tf32 inputs") << QByteArray("normal") << QByteArray("tf32")
                                 << QByteArray("tf32");
    QTest::newRow("bf16 inputs") << QByteArray("normal") << QByteArray("bf16")
                                 << QByteArray("bf16");
    // The same ten bits: only range tells fp16 from tf32.
    QTest::newRow("fp16 outputs") << QByteArray("normal") << QByteArray("fp16 out")
                                  << QByteArray("tf32");
    QTest::newRow("tf32, stripes")
        << QByteArray("stripes_1") << QByteArray("tf32") << QByteArray("tf32");
    QTest::newRow("zeros") << QByteArray("normal") << QByteArray("zeros") << QByteArray("none");
    QTest::newRow("mean") << QByteArray("normal") << QByteArray("mean") << QByteArray("none");
    QTest::newRow("input") << QByteArray("normal") << QByteArray("input") << QByteArray("none");
}

void TestPrecision::classes()
{
    QFETCH(QByteArray, distribution);
    QFETCH(QByteArray, candidate);
    QFETCH(QByteArray, wanted);
    const Values x = inputs(distribution.constData());
    Values y;
    if (candidate == "reversed")
        y = softmax<float>(x, std::exp, true);
    else if (candidate == "fast exponential")
        y = softmax<float>(x, fastExponential, false);
    else if (candidate == "tf32")
        y = softmax<float>(cut(x, Format::Tf32), std::exp, false);
    else if (candidate == "bf16")
        y = softmax<float>(cut(x, Format::Bf16), std::exp, false);
    else if (candidate == "fp16 out")
        y = cut(softmax<float>(x, std::exp, false), Format::Fp16);
    else if (candidate == "zeros")
        y = Values(x.size(), 0);
    else if (candidate == "mean")
        y = Values(x.size(), 1.0 / Columns);
    else
        y = x;
    QCOMPARE(classOf(x, y), wanted);
}

void TestPrecision::oneWrongElementInAMillion()
{
    Values truth(1 << 20);
    for (std::size_t i = 0; i < truth.size(); ++i)
        truth[i] = gpu::Generator(5, 0).normal(i);
    Values got = truth;
    got[777777] += 0.01;
    const gpu::OutputErrors errors = gpu::measure(truth, got, 1024, gpu::DType::F32);
    QVERIFY(errors.rms < 1e-4);
    QVERIFY(errors.worst > 1e-3);
    QCOMPARE(errors.worstIndex, std::int64_t{777777});
    QCOMPARE(gpu::firstBeyond(truth, got, 1024, 1e-6).value(), std::int64_t{777777});
    QVERIFY(!gpu::firstBeyond(truth, truth, 1024, 0));
}

void TestPrecision::zerosForSmallOutputs()
{
    const Values x = inputs("heavy_tails");
    Values y = softmax<float>(x, std::exp, false);
    int zeroed = 0;
    for (double &value : y) {
        if (value < 1e-4) {
            value = 0;
            ++zeroed;
        }
    }
    QVERIFY(zeroed > static_cast<int>(Rows * Columns / 2));
    const gpu::OutputErrors errors = errorsOf(truthOf(x), y);
    QVERIFY(errors.rms < 1e-2); // blind here
    QCOMPARE(errors.typical, 1.0);
    QCOMPARE(classOf(x, y), QByteArray("none"));
}

void TestPrecision::cancellationIsForgiven()
{
    Values truth(1024, 1.0), got(1024, 1.0 + 1e-7);
    truth[5] = 1e-12;
    got[5] = 1e-7;
    const gpu::OutputErrors errors = gpu::measure(truth, got, 1024, gpu::DType::F32);
    QVERIFY(errors.worst < 2e-7);
    QVERIFY(errors.typical < 2e-7);
}

void TestPrecision::specialsMustMatch()
{
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    const Values truth{1, inf, nan, -inf};
    QVERIFY(!gpu::measure(truth, truth, 4, gpu::DType::F32).specialsDiffer);
    for (const Values &got : {Values{nan, inf, nan, -inf}, Values{1, -inf, nan, -inf},
             Values{1, inf, 0, -inf}, Values{1, inf, nan, 3e38}}) {
        const gpu::OutputErrors errors = gpu::measure(truth, got, 4, gpu::DType::F32);
        QVERIFY(errors.specialsDiffer);
        const auto result = gpu::classify({errors}, [&](Yardstick) {
            return std::vector<gpu::OutputErrors>{{1, 1, 1, false, 0}};
        });
        QVERIFY(!result.format);
    }
}

void TestPrecision::fp16ThatOverflowsIsSkipped()
{
    const auto source = [](Yardstick step) -> std::optional<std::vector<gpu::OutputErrors>> {
        if (step == Yardstick::Fp16)
            return std::vector<gpu::OutputErrors>{{INFINITY, INFINITY, INFINITY, true, 0}};
        const double size = step < Yardstick::Tf32 ? 1e-7 : step == Yardstick::Tf32 ? 1e-4 : 1e-3;
        return std::vector<gpu::OutputErrors>{{size, size, size, false, 0}};
    };
    const auto result = gpu::classify({{5e-4, 5e-4, 5e-4, false, 0}}, source);
    QVERIFY(result.format == Format::Bf16);
}

void TestPrecision::capRefusesZerosWhereAFormatHasNoBits()
{
    const auto source = [](Yardstick step) {
        const double size = step < Yardstick::Tf32 ? 1e-7 : 5.0;
        return std::optional(std::vector<gpu::OutputErrors>{{size, size, size, false, 0}});
    };
    QVERIFY(!gpu::classify({{1, 1, 1, false, 0}}, source).format);
}

void TestPrecision::yardsticksAreTold()
{
    const Values x = inputs("normal");
    const auto source = sourceFor(x);
    const auto result
        = gpu::classify({errorsOf(truthOf(x), softmax<float>(x, std::exp, true))}, source);
    const auto values = gpu::yardstickValues(result, source);
    QCOMPARE(values.size(), 4u);
    QVERIFY(values.at("fp32") < values.at("tf32"));
    QVERIFY(values.at("tf32") < values.at("bf16"));
    QVERIFY(result.ratio <= 1);
    QVERIFY(result.error <= gpu::Fp32Factor * values.at("fp32"));
}

void TestPrecision::rows()
{
    QCOMPARE(gpu::rowLength({16, 1024}), std::int64_t{1024});
    QCOMPARE(gpu::rowLength({4, 8, 5, 3}), std::int64_t{120});
    QCOMPARE(gpu::rowLength({4, 3}), std::int64_t{12});
    QCOMPARE(gpu::rowLength({}), std::int64_t{1});
}

void TestPrecision::allCloseIsNumpys()
{
    QVERIFY(gpu::allClose(Values{1, 0}, Values{1.00019, 0.00009}, 1e-4));
    QVERIFY(!gpu::allClose(Values{1, 0}, Values{1.00021, 0}, 1e-4));
    QVERIFY(!gpu::allClose(Values{1}, Values{std::nan("")}, 1e-2));
}

QTEST_APPLESS_MAIN(TestPrecision)
#include "tst_precision.moc"
