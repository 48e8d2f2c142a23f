#include "gpu/candidate/plan.h"

#include <QTest>

#include <cstring>

using gpu::Plan;
using gpu::PlanError;

namespace {
const std::string Good = R"cu(// A title first.
/* plan
{ "let": { "tiles": "ceil_div(cols, TILE)" },
  "launches": [
    { "memset": "partial", "value": 255 },
    { "kernel": "softmax_row<256>",
      "grid": ["rows", "tiles"],
      "block": [256],
      "shared": "cols*4 <= 49152 ? cols*4 : 0",
      "args": ["x", "y", "partial", "rows", {"f32": "1.0/cols"}, {"i64": "rows*cols"}, 7] } ],
  "scratch": { "partial": { "dtype": "f32",
                            "count": "rows*8", "init": 0.5 } },
  "tunables": { "TILE": [64, 32, 128] },
  "where": ["TILE <= 64"],
  "options": ["--use_fast_math"]
}
*/
#include <cuda_fp16.h>
__global__ void k() { }
)cu";

std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    const std::size_t at = text.find(from);
    return at == std::string::npos ? std::string() : text.replace(at, from.size(), to);
}

gpu::Problem problem()
{
    gpu::Problem p;
    p.id = "softmax";
    p.inputs = {{"x", gpu::DType::F32, {"rows", "cols"}, false},
        {"h", gpu::DType::F16, {"rows", "cols"}, false}};
    p.outputs = {{"y", gpu::DType::F32, {"rows", "cols"}, false}};
    return p;
}

const gpu::Dims Dims = {{"rows", 100}, {"cols", 1000}};

gpu::DeviceLimits limits()
{
    gpu::DeviceLimits result;
    result.maxSharedBytes = 65536;
    return result;
}

/// Parse, take the default point, resolve: the first error of the three, or the plan.
std::variant<gpu::ResolvedPlan, PlanError> resolved(const std::string &source)
{
    const auto plan = gpu::parsePlan(source);
    if (const auto *error = std::get_if<PlanError>(&plan))
        return *error;
    const auto point = gpu::defaultPoint(std::get<Plan>(plan), Dims, limits());
    if (const auto *error = std::get_if<PlanError>(&point))
        return *error;
    return gpu::resolve(
        std::get<Plan>(plan), problem(), Dims, std::get<gpu::TunablePoint>(point), limits());
}

template <class T> T valueOf(const gpu::ResolvedKernel::Argument &argument)
{
    T value{};
    if (argument.bytes.size() == sizeof value)
        std::memcpy(&value, argument.bytes.data(), sizeof value);
    return value;
}
} // namespace

class TestPlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parses();
    void resolves();
    void findsThePlan_data();
    void findsThePlan();
    void refuses_data();
    void refuses();
    void encodesScalars_data();
    void encodesScalars();
    void checksTensorMaps_data();
    void checksTensorMaps();
    void choosesPoints();
    void comparesArguments();
};

void TestPlan::parses()
{
    const auto parsed = gpu::parsePlan(Good);
    QVERIFY2(parsed.index() == 0, parsed.index() ? std::get<1>(parsed).message.c_str() : "");
    const Plan &plan = std::get<Plan>(parsed);
    QCOMPARE(plan.steps.size(), std::size_t(2));
    QCOMPARE(std::get<gpu::MemsetStep>(plan.steps[0]).target, std::string("partial"));
    const auto &kernel = std::get<gpu::KernelStep>(plan.steps[1]);
    QCOMPARE(kernel.kernel, std::string("softmax_row<256>"));
    QCOMPARE(kernel.line, 6);
    QCOMPARE(kernel.grid[1].line, 7);
    QCOMPARE(kernel.block[0].line, 8);
    QCOMPARE(kernel.args[4].type, std::string("f32"));
    QCOMPARE(plan.scratch[0].count.line, 12);
    QCOMPARE(plan.tunables.at("TILE"), (std::vector<double>{64, 32, 128}));
    QCOMPARE(plan.where[0].line, 14);
    QCOMPARE(plan.options, std::vector<std::string>{"--use_fast_math"});
    QVERIFY(!plan.hasTensorMaps);
}

void TestPlan::resolves()
{
    const auto result = resolved(Good);
    QVERIFY2(result.index() == 0, result.index() ? std::get<1>(result).message.c_str() : "");
    const auto &plan = std::get<gpu::ResolvedPlan>(result);
    QCOMPARE(int(std::get<gpu::ResolvedMemset>(plan.steps[0]).byteValue), 255);
    const auto &kernel = std::get<gpu::ResolvedKernel>(plan.steps[1]);
    QCOMPARE(kernel.grid, (gpu::Dim3{100, 16, 1}));
    QCOMPARE(kernel.block, (gpu::Dim3{256, 1, 1}));
    QCOMPARE(kernel.dynamicSharedBytes, 4000u);
    QCOMPARE(kernel.args[0].buffer, std::string("x"));
    QCOMPARE(valueOf<std::int32_t>(kernel.args[3]), 100);
    QCOMPARE(valueOf<float>(kernel.args[4]), 0.001f);
    QCOMPARE(valueOf<std::int64_t>(kernel.args[5]), std::int64_t(100000));
    QCOMPARE(valueOf<std::int32_t>(kernel.args[6]), 7);
    QCOMPARE(plan.scratch[0].count, std::int64_t(800));
    QCOMPARE(*plan.scratch[0].init, 0.5);
}

void TestPlan::findsThePlan_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("line"); // 0: it is found
    const QString json = QStringLiteral("{\"launches\": [{\"kernel\": \"k\", \"grid\": [1], "
                                        "\"block\": [1], \"args\": []}]}");
    const QString plan = QStringLiteral("/* plan ") + json + QStringLiteral(" */\n");
    QTest::newRow("plain") << plan << 0;
    QTest::newRow("byte order mark") << QString(QChar(0xFEFF)) + plan << 0;
    QTest::newRow("doc comment") << QStringLiteral("/**\n * plan:\n") + json + QStringLiteral("*/")
                                 << 0;
    QTest::newRow("after an include") << QStringLiteral("#include <cuda_fp16.h>\n") + plan << 0;
    QTest::newRow("crlf") << QStringLiteral("/* plan\r\n") + json + QStringLiteral("\r\n*/\r\n")
                          << 0;
    QTest::newRow("missing") << QStringLiteral("__global__ void k() {}\n") << 1;
    QTest::newRow("empty") << QString() << 1;
    QTest::newRow("in a string") << QStringLiteral("const char *s = \"/* plan {} */\";") << 1;
    QTest::newRow("in a raw string") << QStringLiteral("auto s = R\"x(\n/* plan {} */)x\";") << 1;
    QTest::newRow("in a line comment") << QStringLiteral("// /* plan {} */\n") << 1;
    QTest::newRow("two") << plan + QStringLiteral("\n\n") + plan << 4;
    QTest::newRow("prose about a plan") << QStringLiteral("/* plan of work: none */\n") << 1;
}

void TestPlan::findsThePlan()
{
    QFETCH(QString, source);
    QFETCH(int, line);
    const auto plan = gpu::parsePlan(source.toStdString());
    const auto *error = std::get_if<PlanError>(&plan);
    QVERIFY2((error == nullptr) == (line == 0), error ? error->message.c_str() : "it was taken");
    if (error)
        QCOMPARE(error->line, line);
}

void TestPlan::refuses_data()
{
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("part");
    const auto row
        = [](const char *tag, const char *from, const char *to, int line, const char *part) {
              QTest::newRow(tag) << QString::fromUtf8(from) << QString::fromUtf8(to) << line
                                 << QString::fromUtf8(part);
          };
    row("syntax", "\"grid\": [", "\"grid\" [", 7, "column 14");
    row("trailing comma", "[256]", "[256,]", 8, "no JSON");
    row("comment in JSON", "[256],", "[256], // threads", 8, "no JSON");
    row("text after it", "\n}\n*/", "\n} }\n*/", 16, "no JSON");
    row("unfinished", "\n}\n*/", "\n*/", 15, "no JSON");
    row("twice", "\"block\": [256]", "\"grid\": [256]", 8, "stands twice");
    row("unknown key", "\"options\"", "\"option\"", 15, "Did you mean \"options\"");
    row("unknown key far", "\"options\"", "\"zebra\"", 15, "Known are launches");
    row("unknown step key", "\"block\"", "\"blocks\"", 8, "Did you mean \"block\"");
    row("unknown scratch key", "\"init\"", "\"initial\"", 12, "scratch.partial.initial");
    row("kernel missing", "\"kernel\": \"softmax_row<256>\",", "", 6, "launches[1].kernel");
    row("kernel empty", "softmax_row<256>", "", 6, "is empty");
    row("kernel a statement", "softmax_row<256>", "k; int x", 6, "template instantiation");
    row("grid missing", "\"grid\": [\"rows\", \"tiles\"],", "", 6, "launches[1].grid");
    row("grid no list", "[\"rows\", \"tiles\"]", "\"rows\"", 7, "is a text and must be a list");
    row("grid empty", "[\"rows\", \"tiles\"]", "[]", 7, "0 entries");
    row("grid of four", "[\"rows\", \"tiles\"]", "[1, 1, 1, 1]", 7, "4 entries");
    row("grid zero", "[\"rows\", \"tiles\"]", "[\"rows - 100\"]", 7, "'rows - 100' is 0");
    row("grid fraction", "[\"rows\", \"tiles\"]", "[\"rows / 3\"]", 7, "not a whole number");
    row("grid unknown", "[\"rows\", \"tiles\"]", "[\"rowz\"]", 7, "Did you mean 'rows'");
    row("grid x too large", "[\"rows\", \"tiles\"]", "[\"pow(2, 31)\"]", 7, "from 1 to 2147483647");
    row("grid y too large", "[\"rows\", \"tiles\"]", "[1, 65536]", 7, "launches[1].grid[1]");
    row("block missing", "\"block\": [256],", "", 6, "launches[1].block");
    row("block too large", "[256]", "[2048]", 8, "from 1 to 1024");
    row("block product", "[256]", "[32, 64]", 8, "2048 threads");
    row("block z", "[256]", "[1, 1, 128]", 8, "from 1 to 64");
    row("shared too large", "\"cols*4 <= 49152 ? cols*4 : 0\"", "70000", 9, "from 0 to 65536");
    row("shared negative", "\"cols*4 <= 49152 ? cols*4 : 0\"", "-4", 9, "is -4");
    row("shared a list", "\"cols*4 <= 49152 ? cols*4 : 0\"", "[4]", 9, "is a list");
    row("args missing", "softmax_row<256>\",", "k\", \"grid\": [1], \"block\": [1] }, {", 6,
        "[1].args");
    row("arg unknown", "\"x\",", "\"z\",", 10, "Tensors are x h y partial");
    row("arg fraction", ", 7]", ", 7.5]", 10, "not a whole number");
    row("arg too wide", ", 7]", ", 3000000000]", 10, "{\"i64\": \"3000000000\"}");
    row("arg of two types", "{\"f32\": \"1.0/cols\"}", "{\"f32\": 1, \"f64\": 2}", 10,
        "exactly one");
    row("arg of no type", "{\"f32\": \"1.0/cols\"}", "{\"float\": 1}", 10, "no argument type");
    row("arg of a list", "{\"f32\": \"1.0/cols\"}", "[1]", 10, "is a list");
    row("arg of a typed tensor", "{\"f32\": \"1.0/cols\"}", "{\"f32\": \"x\"}", 10,
        "without a type");
    row("arg division by zero", "1.0/cols", "1.0/(cols-1000)", 10, "divides by zero");
    row("arg tensor map", "{\"f32\": \"1.0/cols\"}", "{\"tensor_map\": \"m\"}", 10,
        "no tensor map");
    row("cooperative", "\"block\": [256]", "\"block\": [256], \"cooperative\": 1", 8,
        "must be true or false");
    row("carveout", "\"block\": [256]", "\"block\": [256], \"carveout\": 101", 8, "percent");
    row("cluster", "\"block\": [256]", "\"block\": [256], \"cluster\": [3]", 8, "divide the grid");
    row("cluster too large", "\"block\": [256]", "\"block\": [256], \"cluster\": [10, 4]", 8,
        "40 blocks");
    row("memset unknown", "\"memset\": \"partial\"", "\"memset\": \"part\"", 5,
        "no tensor or scratch");
    row("memset of an input", "\"memset\": \"partial\"", "\"memset\": \"x\"", 5, "is an input");
    row("memset value", "255", "256", 5, "from 0 to 255");
    row("memset key", "\"value\": 255", "\"grid\": [1]", 5, "Known are memset and value");
    row("no kernel", "\"kernel\": \"softmax_row<256>\",",
        "\"memset\": \"y\" }, {\"memset\": \"y\"} ], \"x\": [{", 6, "");
    row("scratch dtype", "\"dtype\": \"f32\"", "\"dtype\": \"float\"", 11, "no element type");
    row("scratch count zero", "\"rows*8\"", "\"rows*0\"", 12, "is 0");
    row("scratch count missing", "\"count\": \"rows*8\",", "", 11, "scratch.partial.count");
    row("scratch init", "\"init\": 0.5", "\"init\": 1e39", 12, "too large for f32");
    row("scratch named as a tensor", "\"partial\": {", "\"x\": {", 12, "same name");
    row("scratch keyword", "\"partial\": {", "\"float\": {", 11, "C++ identifier");
    row("tunable empty", "[64, 32, 128]", "[]", 13, "1 to 64 numbers");
    row("tunable text", "[64, 32, 128]", "[\"64\"]", 13, "list of numbers");
    row("tunable twice", "[64, 32, 128]", "[64, 64]", 13, "stands there twice");
    row("where unknown", "TILE <= 64", "TYLE <= 64", 14, "Did you mean 'TILE'");
    row("where never", "TILE <= 64", "TILE > 500", 14, "no choice");
    row("let unknown", "ceil_div(cols, TILE)", "ceil_div(cols, TYLE)", 3, "let.tiles");
    row("let named as a dim", "\"let\": {", "\"let\": { \"rows\": 1,", 3, "same name");
    row("let named as a tunable", "\"let\": {", "\"let\": { \"TILE\": 1,", 3, "used twice");
    row("option", "--use_fast_math", "-I/etc", 15, "include folders are fixed");
    row("option arch", "--use_fast_math", "-arch=sm_70", 15, "device that is measured");
    row("options no list", "[\"--use_fast_math\"]", "\"-fmad=true\"", 15, "is a text");
    row("plan a list", "{ \"let\": { \"tiles\": \"ceil_div(cols, TILE)\" },", "{ \"let\": [],", 3,
        "let");
}

void TestPlan::refuses()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(int, line);
    QFETCH(QString, part);
    const std::string source = replaced(Good, from.toStdString(), to.toStdString());
    QVERIFY(!source.empty());
    const auto result = resolved(source);
    QVERIFY2(result.index() == 1, "it was taken");
    const PlanError &error = std::get<PlanError>(result);
    QVERIFY2(error.line == line, error.message.c_str());
    QVERIFY2(QString::fromStdString(error.message).contains(part), error.message.c_str());
    QVERIFY(error.message.find("line " + std::to_string(line)) != std::string::npos);
    QVERIFY(!error.key.empty() && error.message.find(error.key) != std::string::npos);
}

void TestPlan::encodesScalars_data()
{
    QTest::addColumn<QString>("argument");
    QTest::addColumn<QByteArray>("hex"); // empty: refused
    const auto row = [](const char *argument, const char *hex) {
        QTest::newRow(argument) << QString::fromUtf8(argument) << QByteArray(hex);
    };
    row("{\"i32\": -2}", "feffffff");
    row("{\"u32\": 4294967295}", "ffffffff");
    row("{\"u32\": -1}", "");
    row("{\"i64\": -1}", "ffffffffffffffff");
    row("{\"u64\": \"pow(2, 40)\"}", "0000000000010000");
    row("{\"u64\": -1}", "");
    row("{\"i16\": 32768}", "");
    row("{\"u8\": 200}", "c8");
    row("{\"i8\": 200}", "");
    row("{\"bool\": \"rows > 1\"}", "01");
    row("{\"bool\": 2}", "");
    row("{\"f64\": 0.1}", "9a9999999999b93f");
    row("{\"f32\": 1}", "0000803f");
    row("{\"f32\": 1e39}", "");
    row("{\"f16\": 1.0009765625}", "013c");
    row("{\"f16\": 70000}", "");
    row("{\"bf16\": -2}", "00c0");
    row("\"sm_count + warp\"", "21000000");
    row("\"tune.TILE * dim.rows\"", "00190000");
}

void TestPlan::encodesScalars()
{
    QFETCH(QString, argument);
    QFETCH(QByteArray, hex);
    const auto result = resolved(replaced(Good, ", 7]", ", " + argument.toStdString() + "]"));
    QCOMPARE(result.index() == 1, hex.isEmpty());
    if (result.index() == 1)
        return;
    const auto &plan = std::get<gpu::ResolvedPlan>(result);
    const auto &bytes = std::get<gpu::ResolvedKernel>(plan.steps[1]).args[6].bytes;
    QCOMPARE(
        QByteArray(reinterpret_cast<const char *>(bytes.data()), int(bytes.size())).toHex(), hex);
}

void TestPlan::checksTensorMaps_data()
{
    QTest::addColumn<QString>("map");
    QTest::addColumn<QString>("part"); // empty: taken
    const auto row = [](const char *tag, const char *map, const char *part) {
        QTest::newRow(tag) << QString::fromUtf8(map) << QString::fromUtf8(part);
    };
    row("good",
        R"({"tensor": "h", "dims": ["cols", "rows"], "box": [64, "TILE"], "swizzle": "128B"})", "");
    row("strides",
        R"({"tensor": "h", "dims": ["cols", "rows"], "box": [64, 8], "strides": ["cols*2"]})", "");
    row("no tensor", R"({"tensor": "q", "dims": ["cols"], "box": [64]})", "no tensor or scratch");
    row("six dims", R"({"tensor": "h", "dims": [1,1,1,1,1,1], "box": [1,1,1,1,1,1]})", "1 to 5");
    row("box rank", R"({"tensor": "h", "dims": ["cols", "rows"], "box": [64]})", "as many entries");
    row("box too large", R"({"tensor": "h", "dims": ["cols"], "box": [512]})", "from 1 to 256");
    row("box narrow", R"({"tensor": "h", "dims": ["cols"], "box": [4]})", "multiple of 16 bytes");
    row("box and swizzle", R"({"tensor": "h", "dims": ["cols"], "box": [64], "swizzle": "64B"})",
        "allows at most 64");
    row("swizzle", R"({"tensor": "h", "dims": ["cols"], "box": [64], "swizzle": "256B"})",
        "must be one of");
    row("stride", R"({"tensor": "h", "dims": ["cols", "rows"], "box": [64, 8], "strides": [2004]})",
        "multiple of 16");
    row("dense stride", R"({"tensor": "h", "dims": [1001, "rows"], "box": [64, 8]})",
        "multiple of 16");
    row("stride count", R"({"tensor": "h", "dims": ["cols"], "box": [64], "strides": [16]})",
        "one entry fewer");
    row("element strides",
        R"({"tensor": "h", "dims": ["cols"], "box": [64], "element_strides": [9]})", "from 1 to 8");
    row("interleave", R"({"tensor": "h", "dims": ["cols"], "box": [64], "interleave": "16B"})",
        "at least 3 dims");
    row("key", R"({"tensor": "h", "dims": ["cols"], "box": [64], "boxes": 1})",
        "Did you mean \"box\"");
}

void TestPlan::checksTensorMaps()
{
    QFETCH(QString, map);
    QFETCH(QString, part);
    std::string source = replaced(Good, "\"tunables\"",
        "\"tensor_maps\": { \"mapH\": " + map.toStdString() + " }, \"tunables\"");
    source = replaced(source, ", 7]", ", \"mapH\"]");
    const auto result = resolved(source);
    const auto *error = std::get_if<PlanError>(&result);
    QVERIFY2((error == nullptr) == part.isEmpty(), error ? error->message.c_str() : "it was taken");
    if (error) {
        QVERIFY2(QString::fromStdString(error->message).contains(part), error->message.c_str());
        QCOMPARE(error->line, 13);
        return;
    }
    const auto &plan = std::get<gpu::ResolvedPlan>(result);
    QCOMPARE(plan.tensorMaps[0].stridesBytes, std::vector<std::uint64_t>{2000});
    QVERIFY(std::get<gpu::ResolvedKernel>(plan.steps[1]).args[6].tensorMap);
}

void TestPlan::choosesPoints()
{
    const auto plan
        = std::get<Plan>(gpu::parsePlan(replaced(Good, "[64, 32, 128]", "[128, 64, 32]")));
    const auto point = gpu::defaultPoint(plan, Dims, limits());
    QCOMPARE(std::get<gpu::TunablePoint>(point), (gpu::TunablePoint{{"TILE", 64}}));
    const auto all = gpu::allowedPoints(plan, Dims, limits());
    QCOMPARE(std::get<0>(all).size(), std::size_t(2));
    const auto outside = gpu::resolve(plan, problem(), Dims, {{"TILE", 128}}, limits());
    QVERIFY(std::get<PlanError>(outside).message.find("does not hold") != std::string::npos);
    const auto unknown = gpu::resolve(plan, problem(), Dims, {{"TILE", 16}}, limits());
    QVERIFY(std::get<PlanError>(unknown).message.find("none of those") != std::string::npos);
    QCOMPARE(gpu::resolve(plan, problem(), Dims, {}, limits()).index(), std::size_t(1));
    QCOMPARE(gpu::resolve(plan, problem(), Dims, {{"TILE", 64}, {"A", 1}}, limits()).index(),
        std::size_t(1));
}

void TestPlan::comparesArguments()
{
    const auto result = resolved(Good);
    const auto &step = std::get<gpu::ResolvedKernel>(std::get<gpu::ResolvedPlan>(result).steps[1]);
    QVERIFY(!gpu::checkArguments(step, {8, 8, 8, 4, 4, 8, 4}));
    const auto count = gpu::checkArguments(step, {8, 8});
    QVERIFY(
        count && count->message.find("takes 2 parameters, the plan passes 7") != std::string::npos);
    const auto size = gpu::checkArguments(step, {8, 8, 8, 8, 4, 8, 4});
    QVERIFY(size && size->message.find("parameter 3") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestPlan)
#include "tst_plan.moc"
