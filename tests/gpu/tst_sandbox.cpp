#include "gpu/base/files.h"
#include "gpu/base/process.h"
#include "gpu/compile/sandbox.h"

#include <QTemporaryDir>
#include <QTest>

class TestSandbox : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void hides_data();
    void hides();
    void showsTheViewReadOnly();
    void diesWithUs();
    void reportsAMissingBubblewrap();

private:
    gpu::ProcessResult run(const std::string &script)
    {
        std::vector<std::string> command = m_command;
        command.insert(command.end(), {m_shell, "-c", script});
        const auto result = gpu::runProcess(command);
        return result.ok() ? *result : gpu::ProcessResult{};
    }
    QTemporaryDir m_folder, m_hidden;
    std::string m_shell;
    std::vector<std::string> m_command;
    bool m_runs = false;
};

void TestSandbox::initTestCase()
{
    m_shell = std::filesystem::canonical("/bin/sh");
    QVERIFY(gpu::writeFile(m_folder.filePath(QStringLiteral("seen")).toStdString(), "text").ok());
    const auto command = gpu::sandboxCommand(
        {{m_shell, std::filesystem::canonical("/bin/cat")}, {m_folder.path().toStdString()}});
    QVERIFY2(command.ok(), command.ok() ? "" : command.error().message.c_str());
    m_command = *command;
    m_runs = run("exit 0").end.succeeded();
    // Containers often forbid the namespaces it needs: then the compiler says so, see tst_compiler.
    qInfo("bubblewrap %s", m_runs ? "runs" : "does not run here");
}

void TestSandbox::hides_data()
{
    QTest::addColumn<QString>("script");
    for (const char *script : {"echo /home/* /root/* | grep -v '*'", "[ -e /etc/passwd ]",
             "[ -e /proc/self/environ ]", "[ -e /usr/include ]", "[ -e /var ]", "[ -e /sys ]",
             "[ -e /dev/null ]", "[ -n \"$HOME\" ]", "[ -e HIDDEN ]", "[ \"$(pwd)\" != /tmp ]"})
        QTest::newRow(script) << QString::fromUtf8(script);
}

void TestSandbox::hides()
{
    if (!m_runs)
        return;
    QFETCH(QString, script);
    script.replace(QStringLiteral("HIDDEN"), m_hidden.path());
    const gpu::ProcessResult result = run(script.toStdString());
    QVERIFY2(result.end.exitCode > 0, result.out.c_str());
}

void TestSandbox::showsTheViewReadOnly()
{
    if (!m_runs)
        return;
    const std::string folder = m_folder.path().toStdString();
    const gpu::ProcessResult read = run("cat " + folder + "/seen");
    QVERIFY2(
        read.end.succeeded() || read.err.find("not found") != std::string::npos, read.err.c_str());
    const std::string cat = std::filesystem::canonical("/bin/cat");
    QCOMPARE(run(cat + " " + folder + "/seen").out, std::string("text"));
    QVERIFY(run("echo x > " + folder + "/seen").end.exitCode > 0);
    QVERIFY(run("echo x > " + folder + "/new").end.exitCode > 0);
    QCOMPARE(run(cat + " " + folder + "/seen").out, std::string("text"));
}

void TestSandbox::diesWithUs()
{
    if (!m_runs)
        return;
    std::vector<std::string> command = m_command;
    command.insert(command.end(), {m_shell, "-c", "echo up; while :; do :; done"});
    auto child = gpu::ChildProcess::start(command);
    QVERIFY(child.ok());
    std::string line;
    QCOMPARE((*child)->readLine(line, 10), gpu::ChildProcess::Outcome::Done);
    const gpu::ProcessEnd end = (*child)->stop(0.1);
    QVERIFY(end.exitCode != 0);
    QVERIFY(!(*child)->running());
}

void TestSandbox::reportsAMissingBubblewrap()
{
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", "/nowhere");
    const auto command = gpu::sandboxCommand({{m_shell}, {}});
    qputenv("PATH", path);
    QVERIFY(!command.ok() && command.error().message.find("not installed") != std::string::npos);
    QVERIFY(!gpu::sandboxCommand({{"/nowhere/program"}, {}}).ok());
}

QTEST_APPLESS_MAIN(TestSandbox)
#include "tst_sandbox.moc"
