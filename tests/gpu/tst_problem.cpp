#include "gpu/base/files.h"
#include "gpu/problem/problem.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

namespace {
const std::string Good = R"json({
  "id": "softmax",
  "title": "Row softmax",
  "description": "Softmax along each row.",
  "dims": { "rows": 4096, "cols": "rows / 2", "blocks": "ceil_div(cols, 256)"
}
,
  "sizes": { "full": {}, "small": { "rows": 64 }, "odd": { "rows": 30, "cols": 77 } },
  "inputs": [ { "name": "x", "dtype": "f32", "shape": ["rows", "cols"] },
              { "name": "w", "dtype": "bf16", "shape": [4, "cols"], "role": "parameter" } ],
  "outputs": [ { "name": "y", "dtype": "f32", "shape": ["rows", "cols"] } ],
  "distributions": ["normal", "uniform"],
  "work": { "flops": "5*rows*cols", "bytes": "8*rows*cols" },
  "precision": "fp32"
}
)json";

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}
} // namespace

class TestProblem : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void loads();
    void toleratesOtherEditors();
    void travels();
    void refuses_data();
    void refuses();
    void namesWhatIsMissingInTheFolder();

private:
    gpu::Result<gpu::Problem> load(const std::string &json)
    {
        const std::filesystem::path folder = m_folder.path().toStdString();
        (void)gpu::writeFile(folder / "problem.json", json);
        (void)gpu::writeFile(folder / "oracle.cu", "// oracle\r\n");
        (void)gpu::writeFile(folder / "seed.cu", "// seed\n");
        return gpu::loadProblem(folder);
    }
    QTemporaryDir m_folder;
};

void TestProblem::loads()
{
    const auto problem = load(Good);
    QVERIFY2(problem.ok(), problem.ok() ? "" : problem.error().message.c_str());
    QCOMPARE(problem->id, std::string("softmax"));
    QCOMPARE(problem->inputs.size(), std::size_t(2));
    QVERIFY(problem->inputs[1].parameter && !problem->inputs[0].parameter);
    QCOMPARE(problem->inputs[1].dtype, gpu::DType::BF16);
    QCOMPARE(problem->inputs[1].shape, (std::vector<std::string>{"4", "cols"}));
    QCOMPARE(problem->oracleSource, std::string("// oracle\n"));
    QCOMPARE(*problem->dimsAt("full"), (gpu::Dims{{"rows", 4096}, {"cols", 2048}, {"blocks", 8}}));
    QCOMPARE(*problem->dimsAt("small"), (gpu::Dims{{"rows", 64}, {"cols", 32}, {"blocks", 1}}));
    QCOMPARE(*problem->dimsAt("odd"), (gpu::Dims{{"rows", 30}, {"cols", 77}, {"blocks", 1}}));
    const auto unknown = problem->dimsAt("huge");
    QVERIFY(!unknown.ok());
    QVERIFY(unknown.error().message.find("full, odd and small") != std::string::npos);
}

void TestProblem::toleratesOtherEditors()
{
    std::string text = "\xEF\xBB\xBF" + Good;
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
        text.insert(at, "\r");
    QVERIFY(load(text).ok());
}

void TestProblem::travels()
{
    const auto problem = load(Good);
    QVERIFY(problem.ok());
    const auto json = nlohmann::json::parse(gpu::toJson(*problem).dump());
    const auto back = gpu::problemFromJson(json);
    QVERIFY2(back.ok(), back.ok() ? "" : back.error().message.c_str());
    QCOMPARE(gpu::toJson(*back).dump(), gpu::toJson(*problem).dump());
    QCOMPARE(back->dims, problem->dims);
    QCOMPARE(back->oracleSource, problem->oracleSource);

    auto broken = json;
    broken.erase("seed");
    QVERIFY(!gpu::problemFromJson(broken).ok());
    broken = json;
    broken["extra"] = 1;
    QVERIFY(!gpu::problemFromJson(broken).ok());
    QVERIFY(!gpu::problemFromJson(nlohmann::json::array()).ok());
}

void TestProblem::refuses_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("part");
    const auto row = [](const char *tag, const char *from, const char *to, const char *part) {
        QTest::newRow(tag) << QString::fromUtf8(from) << QString::fromUtf8(to)
                           << QString::fromUtf8(part);
    };
    row("syntax", "\"id\"", "id", "line 2, column 3");
    row("twice", "\"title\"", "\"id\"", "stands twice");
    row("unknown key", "\"title\"", "\"titel\": \"\", \"title\"", "Did you mean \"title\"");
    row("no id", "\"id\": \"softmax\",", "", "key \"id\": missing");
    row("empty id", "\"softmax\"", "\" \"", "is empty");
    row("id is a path", "\"softmax\"", "\"../x\"", "file names");
    row("id is a number", "\"softmax\"", "7", "is a number and must be a text");
    row("keyword", "\"rows\": 4096", "\"int\": 4096", "line 5, key \"dims.int\"");
    row("function", "\"rows\": 4096", "\"min\": 4096", "is a function");
    row("later dim", "\"rows / 2\"", "\"blocks * 2\"", "'blocks'");
    row("fraction", "\"rows / 2\"", "\"rows / 3\"", "not a whole number");
    row("zero dim", "\"rows / 2\"", "\"0\"", "dims are positive");
    row("dim of a wrong kind", "\"rows / 2\"", "[]",
        "is a list and must be a number or an expression");
    row("size missing", "\"small\": { \"rows\": 64 },", "", "sizes.small");
    row("size with an unknown dim", "{ \"rows\": 64 }", "{ \"row\": 64 }", "no such dim");
    row("size with a fraction", "{ \"rows\": 64 }", "{ \"rows\": 6.5 }", "whole number");
    row("size as a list", "\"full\": {}", "\"full\": []", "must be an object");
    row("name twice", "\"name\": \"w\"", "\"name\": \"x\"", "used twice");
    row("tensor named as a dim", "\"name\": \"w\"", "\"name\": \"rows\"", "used twice");
    row("dtype", "\"bf16\"", "\"float\"", "no element type");
    row("shape of an unknown", "[4, \"cols\"]", "[4, \"colz\"]", "Did you mean 'cols'");
    row("shape zero", "[4, \"cols\"]", "[0, \"cols\"]", "must be positive");
    row("role", "\"parameter\"", "\"weights\"", "role");
    row("unknown tensor key", "\"role\"", "\"roles\"", "Did you mean \"role\"");
    row("no outputs",
        "\"outputs\": [ { \"name\": \"y\", \"dtype\": \"f32\", \"shape\": [\"rows\", \"cols\"] } ]",
        "\"outputs\": []", "at least one tensor");
    row("distribution twice", "\"uniform\"", "\"normal\"", "stands there twice");
    row("work missing", "\"flops\": \"5*rows*cols\", ", "", "work.flops");
    row("work unknown", "5*rows*cols", "5*rows*colz", "Did you mean 'cols'");
    row("work negative", "5*rows*cols", "0-rows", "negative");
    row("precision", "\"fp32\"", "\"f32\"", "fp32, tf32, bf16 and fp16");
    row("huge", "\"rows\": 4096", "\"rows\": 40960000000", "above 10 TB");
}

void TestProblem::refuses()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, part);
    const std::string text = replaced(Good, from.toStdString(), to.toStdString());
    QVERIFY(!text.empty());
    const auto problem = load(text);
    QVERIFY2(!problem.ok(), "it was taken");
    QCOMPARE(problem.error().blame, gpu::Blame::Caller);
    const QString message = QString::fromStdString(problem.error().message);
    QVERIFY2(message.contains(part), qPrintable(message));
    QVERIFY2(message.contains(QStringLiteral("problem.json")), qPrintable(message));
}

void TestProblem::namesWhatIsMissingInTheFolder()
{
    QVERIFY(load(Good).ok());
    const std::filesystem::path folder = m_folder.path().toStdString();
    std::filesystem::remove(folder / "seed.cu");
    const auto noSeed = gpu::loadProblem(folder);
    QVERIFY(!noSeed.ok() && noSeed.error().message.find("seed.cu") != std::string::npos);
    const auto noFolder = gpu::loadProblem(folder / "nothing");
    QVERIFY(!noFolder.ok() && noFolder.error().message.find("problem.json") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestProblem)
#include "tst_problem.moc"
