#include "gpu/base/files.h"
#include "gpu/compile/toolkit.h"

#include <QTemporaryDir>
#include <QTest>

namespace fs = std::filesystem;

class TestToolkit : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void finds_data();
    void finds();
    void prefersTheSetting();
    void findsTheFolderBesideTheProgram();
    void namesWhatIsMissing();
    void findsNvdisasm();

private:
    /// A folder that looks like a toolkit.
    fs::path make(const std::string &name, const std::string &lib, const std::string &include)
    {
        const fs::path home = fs::canonical(m_folder->path().toStdString()) / name;
        const auto touch = [](const fs::path &file) {
            fs::create_directories(file.parent_path());
            (void)gpu::writeFile(file, "x");
        };
        if (!lib.empty())
            touch(home / lib / "libnvrtc.so.13");
        if (!include.empty())
            touch(home / include / "cuda_fp16.h");
        return home;
    }
    std::unique_ptr<QTemporaryDir> m_folder;
    QByteArray m_path;
};

void TestToolkit::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = qgetenv("PATH");
    for (const char *name : {"ESPALIER_CUDA_HOME", "CUDA_HOME", "CUDA_PATH"})
        qunsetenv(name);
}

void TestToolkit::cleanup()
{
    qunsetenv("ESPALIER_CUDA_HOME");
    qunsetenv("CUDA_HOME");
    qputenv("PATH", m_path);
}

void TestToolkit::finds_data()
{
    QTest::addColumn<QString>("lib");
    QTest::addColumn<QString>("include");
    QTest::newRow("installer") << "lib64"
                               << "include";
    QTest::newRow("wheel") << "lib"
                           << "include";
    QTest::newRow("conda") << "targets/x86_64-linux/lib"
                           << "targets/x86_64-linux/include";
}

void TestToolkit::finds()
{
    QFETCH(QString, lib);
    QFETCH(QString, include);
    const fs::path home = make("cuda", lib.toStdString(), include.toStdString());
    qputenv("ESPALIER_CUDA_HOME", home.c_str());
    const auto toolkit = gpu::findToolkit("/nowhere/program");
    QVERIFY2(toolkit.ok(), toolkit.ok() ? "" : toolkit.error().message.c_str());
    QCOMPARE(toolkit->nvrtc, home / lib.toStdString() / "libnvrtc.so.13");
    QCOMPARE(toolkit->includes.size(), std::size_t(2));
    QCOMPARE(toolkit->includes[0], home / include.toStdString());
    QCOMPARE(toolkit->includes[1], home / include.toStdString() / "cccl");
}

void TestToolkit::prefersTheSetting()
{
    const fs::path ours = make("ours", "lib64", "include"),
                   theirs = make("theirs", "lib64", "include");
    qputenv("CUDA_HOME", theirs.c_str());
    QCOMPARE(gpu::findToolkit("/nowhere/program")->home, theirs);
    qputenv("ESPALIER_CUDA_HOME", ours.c_str());
    QCOMPARE(gpu::findToolkit("/nowhere/program")->home, ours);
    // Set but wrong: nothing else is taken in its place.
    qputenv("ESPALIER_CUDA_HOME", "/nowhere");
    QVERIFY(!gpu::findToolkit("/nowhere/program").ok());
}

void TestToolkit::findsTheFolderBesideTheProgram()
{
    const fs::path home = make("build/cuda", "lib", "include");
    const fs::path program = home.parent_path() / "bin/espalier-worker";
    fs::create_directories(program.parent_path());
    QVERIFY(gpu::writeFile(program, "x").ok());
    const auto toolkit = gpu::findToolkit(program);
    QVERIFY(toolkit.ok());
    QCOMPARE(toolkit->home, home);
}

void TestToolkit::namesWhatIsMissing()
{
    const fs::path home = make("cuda", "lib64", "");
    qputenv("ESPALIER_CUDA_HOME", home.c_str());
    const auto noHeaders = gpu::findToolkit("/nowhere/program");
    QVERIFY(!noHeaders.ok());
    QCOMPARE(noHeaders.error().blame, gpu::Blame::Environment);
    for (const char *part : {"cuda_fp16.h", "nvidia-cuda-runtime", "ESPALIER_CUDA_HOME"})
        QVERIFY2(noHeaders.error().message.find(part) != std::string::npos, part);
    qputenv("ESPALIER_CUDA_HOME", make("other", "", "include").c_str());
    QVERIFY(!gpu::findToolkit("/nowhere/program").ok());
}

void TestToolkit::findsNvdisasm()
{
    const fs::path home = make("cuda", "lib64", "include");
    qputenv("ESPALIER_CUDA_HOME", home.c_str());
    qputenv("PATH", "/nowhere");
    const auto missing = gpu::findNvdisasm("/nowhere/program");
    QVERIFY(
        !missing.ok() && missing.error().message.find("nvidia-cuda-nvdisasm") != std::string::npos);
    fs::create_directories(home / "tools");
    QVERIFY(gpu::writeFile(home / "tools/nvdisasm", "x").ok());
    qputenv("PATH", ("/nowhere:" + (home / "tools").string()).c_str());
    QCOMPARE(*gpu::findNvdisasm("/nowhere/program"), home / "tools/nvdisasm");
    fs::create_directories(home / "bin");
    QVERIFY(gpu::writeFile(home / "bin/nvdisasm", "x").ok());
    QCOMPARE(*gpu::findNvdisasm("/nowhere/program"), home / "bin/nvdisasm");
}

QTEST_APPLESS_MAIN(TestToolkit)
#include "tst_toolkit.moc"
