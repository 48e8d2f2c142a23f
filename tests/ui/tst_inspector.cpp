#include "sampletree.h"

#include "ui/inspector/inspector.h"
#include "ui/inspector/nodehtml.h"

#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>

using namespace ui;

/// What the inspector says of each kind of end.
class TestInspector : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyVerdictIsExplained_data()
    {
        QTest::addColumn<int>("verdict");
        for (int v = int(gpu::Verdict::Ok); v <= int(gpu::Verdict::EnvironmentError); ++v)
            QTest::newRow(std::string(gpu::name(gpu::Verdict(v))).c_str()) << v;
    }

    void everyVerdictIsExplained()
    {
        QFETCH(int, verdict);
        Inspector inspector;
        core::NodeDetails d;
        d.summary = sample::kernel(3, 2, gpu::Verdict(verdict), 2);
        inspector.showDetails(d);
        const QString meaning = verdictMeaning(gpu::Verdict(verdict));
        QVERIFY(!meaning.isEmpty());
        QVERIFY2(inspector.text().contains(meaning), qPrintable(inspector.text()));
        if (gpu::Verdict(verdict) != gpu::Verdict::Ok)
            QVERIFY(inspector.text().contains(d.summary.message));
    }

    void showsAMeasuredKernel()
    {
        core::NodeDetails d;
        d.summary = sample::kernel(3, 2, gpu::Verdict::Ok, 2);
        d.ideaText = QStringLiteral("Keep the row\non the chip.\n\nSecond paragraph.");
        gpu::Evaluation e;
        e.verdict = gpu::Verdict::Ok;
        e.deviceKind = "cpu";
        e.time = gpu::TimeStatistics{2100, 2090, 2120, 2050, {2100, 2101}, false};
        e.floorUs = 20.5;
        e.precision.precisionClass = "fp32";
        e.precision.error = 3e-7;
        e.precision.yardsticks = {{"fp32", 4e-7}, {"tf32", 3e-3}, {"bf16", 2e-2}};
        e.precision.allclose1e4 = true;
        e.checks = {{"small", "large_offset", true, 1e-7, "fp32", ""},
            {"odd", "one_hot", false, 0.5, "", "wrong"}};
        e.resources = {{"softmax<256>", 40, 1024, 16, 8, 4}};
        d.evaluation = e;
        d.runOffs = {{9, 3, {{0.97, 0.96, 0.98}, gpu::Comparison::Faster}, 41, {}}};
        Inspector inspector;
        inspector.showDetails(d);
        const QString text = inspector.text();
        for (const char *wanted :
            {"2.10 ms", "2.00×", "against #9: 0.970 (0.960 to 0.980) of its time: faster",
                "2 samples", "20.5 µs", "interpreter", "fp32", "3.00e-07", "tf32", "large offset",
                "1 of 2 passed", "softmax<256>", "40", "1024 B", "12 B",
                "Keep the row on the chip.", "Second paragraph.", "at 1e-2: no"})
            QVERIFY2(text.contains(QString::fromUtf8(wanted)),
                qPrintable(QString::fromUtf8(wanted) + QStringLiteral("\n") + text));
    }

    void namesTheFirstWrongElementAndTheFault()
    {
        core::NodeDetails d;
        d.summary = sample::kernel(3, 2, gpu::Verdict::OutOfBounds);
        gpu::Evaluation e;
        e.wrong = gpu::WrongElement{"y", {4, 17}, 0.25, 0.5};
        e.fault = gpu::FaultLocation{"softmax", {1, 2, 0}, {31, 0, 0}, 12, 0x1000};
        e.diagnostics = {{"error", 7, 1, "expected a \";\""}};
        d.evaluation = e;
        Inspector inspector;
        inspector.showDetails(d);
        for (const char *wanted : {"y[4, 17]", "0.25", "0.5", "block (1, 2, 0)",
                 "thread (31, 0, 0)", "line 12", "line 7: expected a \";\""})
            QVERIFY2(
                inspector.text().contains(QString::fromUtf8(wanted)), qPrintable(inspector.text()));
        QSignalSpy lines(&inspector, &Inspector::lineRequested);
        auto *page = inspector.findChild<QTextBrowser *>();
        Q_EMIT page->anchorClicked(QUrl(QStringLiteral("line:12")));
        QCOMPARE(lines.value(0).value(0).toInt(), 12);
        QSignalSpy nodes(&inspector, &Inspector::nodeRequested);
        QVERIFY(page->toHtml().contains(QStringLiteral("node:2")));
        Q_EMIT page->anchorClicked(QUrl(QStringLiteral("node:2")));
        QCOMPARE(nodes.value(0).value(0).toUInt(), 2u);
    }

    void textOfModelsIsNotMarkup()
    {
        core::NodeDetails d;
        d.summary = sample::kernel(3, 2, gpu::Verdict::CompileError);
        d.summary.message = QStringLiteral("<b>a</b> & <img src='file:///x'>");
        d.summary.author = QStringLiteral("<i>model</i>");
        d.ideaText = QStringLiteral("if (a < b && c > d)");
        Inspector inspector;
        inspector.showDetails(d);
        for (const QString &wanted : {d.summary.message, d.summary.author, d.ideaText})
            QVERIFY2(inspector.text().contains(wanted), qPrintable(inspector.text()));
    }

    void infiniteErrorsAreSaid()
    {
        core::NodeDetails d;
        d.summary = sample::kernel(3, 2, gpu::Verdict::WrongResult);
        gpu::Evaluation e;
        e.precision.error = std::numeric_limits<double>::infinity();
        e.precision.yardsticks = {{"fp32", std::numeric_limits<double>::quiet_NaN()}};
        e.checks = {{"small", "normal", false, std::numeric_limits<double>::quiet_NaN(), "", "x"}};
        d.evaluation = e;
        Inspector inspector;
        inspector.showDetails(d);
        QVERIFY(inspector.text().contains(QStringLiteral("not finite")));
    }

    void anotherNodeStartsEmpty()
    {
        Inspector inspector;
        core::NodeDetails d;
        d.summary = sample::kernel(3, 2, gpu::Verdict::Ok, 2);
        d.ideaText = QStringLiteral("the idea of three");
        inspector.showDetails(d);
        inspector.showAssembly(QStringLiteral("ptx"), QStringLiteral("ret;"));
        inspector.showSummary(sample::kernel(4, 2, gpu::Verdict::Ok, 3));
        QVERIFY(!inspector.text().contains(d.ideaText));
        inspector.clear();
        QVERIFY(inspector.text().isEmpty());
    }
};

QTEST_MAIN(TestInspector)
#include "tst_inspector.moc"
