#include "tests/gpu/conformance/case.h"
#include "tests/gpu/conformance/casecompiler.h"
#include "tests/gpu/conformance/record.h"
#include "tests/gpu/conformance/runners.h"

#include <QtTest>

#include <fstream>
#include <optional>

using namespace gpu::conformance;

namespace {

const std::string Folder = SOURCE_DIR "/tests/gpu/conformance";

} // namespace

/// The interpreter gives what a real GPU gave: conformance/h200.json, made by
/// `conformance tests/gpu/conformance/kernels --record tests/gpu/conformance/h200.json` there.
class TestConformance : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        std::ifstream file(Folder + "/h200.json");
        m_record = nlohmann::json::parse(file, nullptr, false);
        QVERIFY2(!m_record.is_discarded(), "There is no recording h200.json.");
        auto compiler = CaseCompiler::open();
        QVERIFY2(compiler.ok(), compiler ? "" : compiler.error().message.c_str());
        m_compiler = std::move(*compiler);
    }

    void agreesWithTheGpu_data()
    {
        QTest::addColumn<int>("index");
        auto cases = readCases(Folder + "/kernels");
        QVERIFY2(cases.ok(), cases ? "" : cases.error().message.c_str());
        m_cases = std::move(*cases);
        for (std::size_t i = 0; i < m_cases.size(); ++i)
            QTest::newRow(m_cases[i].name.c_str()) << int(i);
    }

    void agreesWithTheGpu()
    {
        QFETCH(int, index);
        const Case &test = m_cases[std::size_t(index)];
        const auto ptx = m_compiler->ptx(test.source, test.options);
        QVERIFY2(ptx.ok(), ptx ? "" : ptx.error().message.c_str());
        // None of them has a race or reads memory that was never written.
        for (const bool checked : {false, true}) {
            const auto outputs = runInterpreted(test, *ptx, checked);
            QVERIFY2(outputs.ok(), outputs ? "" : outputs.error().message.c_str());
            const auto difference = differenceFromRecord(m_record, test, *outputs);
            QVERIFY2(!difference, difference ? difference->c_str() : "");
        }
    }

    void everyRecordedCaseStillExists() { QCOMPARE(m_record.at("cases").size(), m_cases.size()); }

private:
    nlohmann::json m_record;
    std::optional<CaseCompiler> m_compiler;
    std::vector<Case> m_cases;
};

QTEST_APPLESS_MAIN(TestConformance)
#include "tst_conformance.moc"
