#include "gpu/candidate/lexer.h"
#include "gpu/candidate/source.h"

#include <QTest>

using Kind = gpu::SourceChunk::Kind;

class TestSource : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void splits_data();
    void splits();
    void chunksCoverTheText();
    void readsDirectives_data();
    void readsDirectives();
    void insertsConstants_data();
    void insertsConstants();
    void writesConstants();
    void findsIncludeProblems_data();
    void findsIncludeProblems();
    void knowsCccl();
};

void TestSource::splits_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("kinds"); // s space, c comment, d directive, x code
    const auto row = [](const char *source, const char *kinds) {
        QTest::newRow(source) << QString::fromUtf8(source) << QString::fromUtf8(kinds);
    };
    row("", "");
    row("int a;", "x");
    row("// c\n#if 1\nint a;", "csdx");
    row("/* # */ #define A", "csd");
    row("int a; #b", "x");
    row("a /* c */ b", "xcsx");
    row("s = \"/* no */ // no\";", "x");
    row("c = '\"'; // c", "xc");
    row("n = 1'000'000; // c", "xc");
    row("R\"(\n// no\n#no\n)\" + 1;", "x");
    row("u8R\"x()\")x\"; // c", "xc");
    row("\"unfinished\n// c", "xsc");
    row("/* unfinished", "c");
    row("// c \\\n still\nx", "csx");
    row("#define A \\\n 1\nx", "dx");
    row("#define A /* \n */ 1\nx", "dx");
    row("#include \"a//b\"\nx", "dx");
    row("%:include <a>\nx", "dx");
    row("  # define A\n", "sd");
    row("a\n  /* c */ #b\n", "xscsd");
}

void TestSource::splits()
{
    QFETCH(QString, source);
    QFETCH(QString, kinds);
    QString got;
    for (const gpu::SourceChunk &chunk : gpu::splitSource(source.toStdString()))
        got += QLatin1Char("scdx"[int(chunk.kind)]);
    QCOMPARE(got, kinds);
}

void TestSource::chunksCoverTheText()
{
    // Any bytes: the chunks follow each other without a gap and lines count up.
    const std::string pieces[]
        = {"\"", "'", "/*", "*/", "//", "\n", "\\", "#", "R\"(", ")\"", "a", " ", "\r\n"};
    unsigned state = 1;
    for (int round = 0; round < 2000; ++round) {
        std::string text;
        for (int i = 0; i < 12; ++i) {
            state = state * 1103515245u + 12345u;
            text += pieces[(state >> 16) % std::size(pieces)];
        }
        std::size_t at = 0;
        int line = 1;
        for (const gpu::SourceChunk &chunk : gpu::splitSource(text)) {
            QCOMPARE(chunk.begin, at);
            QVERIFY(chunk.end > chunk.begin);
            QCOMPARE(chunk.line, line);
            line += int(std::count(text.begin() + at, text.begin() + chunk.end, '\n'));
            at = chunk.end;
        }
        QCOMPARE(at, text.size());
    }
}

void TestSource::readsDirectives_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("rest");
    const auto row = [](const char *text, const char *name, const char *rest) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(name)
                            << QString::fromUtf8(rest);
    };
    row("#include <a.h>\n", "include", "<a.h>");
    row("# /* c */ include /* d */ \"a\" // e\n", "include", "\"a\" // e");
    row("#inc\\\nlude <a>\n", "include", "<a>");
    row("%: define A 1\n", "define", "A 1");
    row("#pragma once", "pragma", "once");
    row("#\n", "", "");
    row("#define A // c\n", "define", "A");
}

void TestSource::readsDirectives()
{
    QFETCH(QString, text);
    const gpu::Directive directive = gpu::parseDirective(text.toStdString());
    QTEST(QString::fromStdString(directive.name), "name");
    QTEST(QString::fromStdString(directive.rest), "rest");
}

void TestSource::insertsConstants_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("before"); // what stands before the constants
    QTest::addColumn<QString>("line"); // the #line after them
    const auto row = [](const char *tag, const char *source, const char *before, const char *line) {
        QTest::newRow(tag) << QString::fromUtf8(source) << QString::fromUtf8(before)
                           << QString::fromUtf8(line);
    };
    row("no include", "int a;\n", "", "#line 1 ");
    row("one include", "// c\n#include <a>\nint a;\n", "// c\n#include <a>\n", "#line 3 ");
    row("no newline", "#include <a>", "#include <a>\n", "#line 2 ");
    row("later include", "#include <a>\nint a;\n#include <b>\n", "#include <a>\n", "#line 2 ");
    row("conditional", "#ifdef X\n#include <a>\n#endif\nint a;\n",
        "#ifdef X\n#include <a>\n#endif\n", "#line 4 ");
    row("conditional without an include", "#include <a>\n#ifdef X\n#endif\n", "#include <a>\n",
        "#line 2 ");
    row("header guard", "#ifndef G\n#define G\n#include <a>\nint a;\n#endif\n",
        "#ifndef G\n#define G\n#include <a>\n", "#line 4 ");
    row("define between", "#include <a>\n#define B 1\n#include <c>\nx",
        "#include <a>\n#define B 1\n#include <c>\n", "#line 4 ");
    row("macro of the same name", "#define rows 1\n#include <a>\nx", "", "#line 1 ");
    row("include in a comment", "/* \n#include <a>\n*/\nx", "", "#line 1 ");
}

void TestSource::insertsConstants()
{
    QFETCH(QString, source);
    QFETCH(QString, before);
    QFETCH(QString, line);
    const QString unit
        = QString::fromStdString(gpu::translationUnit(source.toStdString(), {{"rows", 5}}, {}));
    const qsizetype at = unit.indexOf(QLatin1String("#line 1 \"constants\""));
    QCOMPARE(unit.left(at), before);
    const qsizetype end = unit.indexOf(QLatin1String("#line "), at + 1);
    QVERIFY2(
        unit.mid(end).startsWith(line + QLatin1String("\"candidate.cu\"\n")), qPrintable(unit));
}

void TestSource::writesConstants()
{
    const std::string unit
        = gpu::translationUnit("", {{"rows", 5}, {"big", 5000000000}, {"low", -7}},
            {{"TILE", 64}, {"F", 0.1}, {"WIDE", -3e9}});
    for (const char *part :
        {"namespace dim { constexpr int rows = 5; constexpr long long big = 5000000000LL;"
         " constexpr int low = -7; }",
            "constexpr int TILE = 64;", "constexpr double F = 0.1",
            "constexpr long long WIDE = -3000000000LL;"})
        QVERIFY2(unit.find(part) != std::string::npos, unit.c_str());
}

void TestSource::findsIncludeProblems_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("line"); // 0: none
    const auto row = [](const char *source, int line) {
        QTest::newRow(source) << QString::fromUtf8(source) << line;
    };
    row("#include <cuda_fp16.h>\n#include \"cuda/barrier\"\n", 0);
    row("// #include \"/etc/passwd\"\n", 0);
    row("s = \"\\n#include </etc/passwd>\";", 0);
    row("#include \"/etc/passwd\"", 1);
    row("\n#include </etc/passwd>", 2);
    row("\n\n#include \"a/../../b\"", 3);
    row("#include \"..\\\\b\"", 1);
    row("#define A <b>\n#include A", 2);
    row("#include_next <a>", 1);
    row("#import <a>", 1);
    row("#inc\\\nlude \"/etc/passwd\"", 1);
    row("?\?=include \"/etc/passwd\"", 1);
    row("#include <torch/extension.h>", 1);
    row("#include <vector>", 1);
    row("#include <thrust/sort.h>", 1);
    row("#include <cub/cub.cuh>", 1);
    row("#include <cub/block/block_reduce.cuh>", 0);
    row("#include <vector_types.h>", 0);
    row("#include", 1);
}

void TestSource::findsIncludeProblems()
{
    QFETCH(QString, source);
    QFETCH(int, line);
    const auto problem = gpu::findIncludeProblem(source.toStdString());
    QCOMPARE(problem ? problem->line : 0, line);
}

void TestSource::knowsCccl()
{
    QVERIFY(gpu::includesCccl("#include <cuda/std/array>\n"));
    QVERIFY(gpu::includesCccl("int a;\n#include \"cub/warp/warp_reduce.cuh\"\n"));
    QVERIFY(!gpu::includesCccl("// #include <cuda/std/array>\n#include <cuda_fp16.h>\n"));
}

QTEST_APPLESS_MAIN(TestSource)
#include "tst_source.moc"
