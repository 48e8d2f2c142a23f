#include "core/provider/reply.h"
#include "core/search/prompt.h"

#include <QTest>

using namespace core;

class TestReply : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsIdeas_data();
    void readsIdeas();
    void readsCandidates_data();
    void readsCandidates();
    void rendersTemplatesOnce();
    void fencesCodeItCannotClose();
};

void TestReply::readsIdeas_data()
{
    QTest::addColumn<QString>("reply");
    QTest::addColumn<QString>("ideas"); // title:category, joined by |
    QTest::newRow("as asked") << "## Idea 1: Tile it\nCategory: memory access\nText.\n\n"
                                 "## Idea 2: Fuse\nCategory: fusion\nText."
                              << "Tile it:memory access|Fuse:fusion";
    QTest::newRow("other levels and marks")
        << "# 1. Tile\n**Category**: Memory Access.\nx\n### **Idea 2** - Fuse it\n"
           "- Category: Fusion & more\nx\n#### 3) Unroll\nx"
        << "Tile:memory access|Fuse it:fusion|Unroll:";
    QTest::newRow("bold title") << "## Idea 1: **Tile**\nx"
                                << "Tile:";
    QTest::newRow("no title") << "## Idea 1\nFirst line.\nmore"
                              << "First line.:";
    QTest::newRow("prose before") << "Sure!\n\n## Idea 1: A\nx\n"
                                  << "A:";
    QTest::newRow("other headings stay text") << "## Idea 1: A\n## Why\nbecause\n## Idea 2: B\nx"
                                              << "A:|B:";
    QTest::newRow("headings in code") << "## Idea 1: A\n```\n## Idea 2: no\n```\nx"
                                      << "A:";
    QTest::newRow("unknown category") << "## Idea 1: A\nCategory: magic\nx"
                                      << "A:";
    QTest::newRow("carriage returns") << "## Idea 1: A\r\nCategory: algorithm\r\nx\r\n"
                                      << "A:algorithm";
    QTest::newRow("none") << "I have no ideas."
                          << "";
    QTest::newRow("empty") << ""
                           << "";
}

void TestReply::readsIdeas()
{
    QFETCH(QString, reply);
    QFETCH(QString, ideas);
    QStringList found;
    for (const ParsedIdea &idea : parseIdeas(reply))
        found.append(idea.title + QLatin1Char(':') + idea.category);
    QCOMPARE(found.join(QLatin1Char('|')), ideas);
}

void TestReply::readsCandidates_data()
{
    QTest::addColumn<QString>("reply");
    QTest::addColumn<QString>("source"); // or the error, from a !
    const char *const kernel = "/* plan {} */\nint x;\n";
    QTest::newRow("plain") << "Text\n```cuda\n/* plan {} */\nint x;\n```\nmore" << kernel;
    QTest::newRow("no info") << "```\n/* plan {} */\nint x;\n```" << kernel;
    QTest::newRow("tildes") << "~~~cpp\n/* plan {} */\nint x;\n~~~" << kernel;
    QTest::newRow("longer fence holds shorter") << "````cuda\n/* plan {} */\n// ```\nint x;\n````"
                                                << "/* plan {} */\n// ```\nint x;\n";
    QTest::newRow("other character inside") << "```cuda\n/* plan {} */\n~~~\nint x;\n```"
                                            << "/* plan {} */\n~~~\nint x;\n";
    QTest::newRow("fence with info does not close") << "```cuda\n/* plan {} */\n```cpp\nint x;\n```"
                                                    << "/* plan {} */\n```cpp\nint x;\n";
    QTest::newRow("indented") << "  ```cuda\n  /* plan {} */\n  int x;\n  ```" << kernel;
    QTest::newRow("four blanks are no fence")
        << "    ```cuda\n```cuda\n/* plan {} */\nint x;\n```" << kernel;
    QTest::newRow("inline backticks are no fence")
        << "```x``` is code\n```cuda\n/* plan {} */\nint x;\n```" << kernel;
    QTest::newRow("carriage returns") << "```cuda\r\n/* plan {} */\r\nint x;\r\n```\r\n" << kernel;
    QTest::newRow("largest with a plan")
        << "```cuda\n/* plan {} */\n```\n```cuda\n/* plan {} */\nint x;\n```\n"
           "```text\nlong long long long long long text\n```"
        << kernel;
    QTest::newRow("tagged without a plan")
        << "```text\nlong long long long long\n```\n```cpp\nint x;\n```"
        << "int x;\n";
    QTest::newRow("only the file") << "/* plan {} */\nint x;" << kernel;
    QTest::newRow("truncated") << "```cuda\n/* plan {} */\nint x;"
                               << "!truncated";
    QTest::newRow("truncated after a sketch")
        << "```cpp\nsketch();\n```\n```cuda\n/* plan {} */\nint"
        << "!truncated";
    QTest::newRow("no code") << "I cannot."
                             << "!no fenced code block";
    QTest::newRow("empty") << ""
                           << "!no fenced code block";
}

void TestReply::readsCandidates()
{
    QFETCH(QString, reply);
    QFETCH(QString, source);
    const gpu::Result<QString> result = parseCandidate(reply);
    if (source.startsWith(QLatin1Char('!'))) {
        QVERIFY(!result);
        QCOMPARE(result.error().blame, gpu::Blame::Candidate);
        const QString message = QString::fromStdString(result.error().message);
        QVERIFY2(message.contains(source.mid(1)), qPrintable(message));
        return;
    }
    QVERIFY2(result, result ? "" : result.error().message.c_str());
    QCOMPARE(*result, source);
}

void TestReply::rendersTemplatesOnce()
{
    QCOMPARE(renderTemplate(QStringLiteral("{{a}} {{b}} {{c}} { {a}"),
                 {{QStringLiteral("a"), QStringLiteral("{{b}}")},
                     {QStringLiteral("b"), QStringLiteral("2")}}),
        QStringLiteral("{{b}} 2 {{c}} { {a}"));
}

void TestReply::fencesCodeItCannotClose()
{
    const QString code = QStringLiteral("/* plan {} */ // ``` and ````\nint x;\n");
    const gpu::Result<QString> back = parseCandidate(fenced(code));
    QVERIFY(back);
    QCOMPARE(*back, code);
}

QTEST_GUILESS_MAIN(TestReply)
#include "tst_reply.moc"
