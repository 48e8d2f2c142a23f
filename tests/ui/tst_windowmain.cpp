#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace {

struct Ending {
    int code = -1;
    QString error;
};

/// The real program beside this one.
Ending run(const QStringList &arguments, const QString &platform = QStringLiteral("offscreen"),
    const QString &settings = QStringLiteral("/nonexistent"))
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), platform);
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), settings);
    if (platform.isEmpty())
        for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
            environment.remove(QLatin1String(name));
    process.setProcessEnvironment(environment);
    QStringList words = arguments;
    words.prepend(QCoreApplication::applicationDirPath() + QStringLiteral("/espalier"));
    if (platform == QLatin1String("xcb"))
        words = QStringList{QStringLiteral("xvfb-run"), QStringLiteral("-a")} + words;
    process.start(words.takeFirst(), words);
    if (!process.waitForFinished(120'000)) {
        process.kill();
        process.waitForFinished();
        return {-2, QStringLiteral("it hung")};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -3,
        QString::fromUtf8(process.readAllStandardError())};
}

/// Not one colour all over: cards, edges and text are there.
bool showsSomething(const QImage &image, const QRect &part)
{
    QSet<QRgb> colours;
    for (int y = part.top(); y <= part.bottom(); y += 3)
        for (int x = part.left(); x <= part.right(); x += 3)
            colours.insert(image.pixel(x, y));
    return colours.size() > 20;
}

} // namespace

/// The program with its window, as a process, on a session that a real search has made.
class TestWindowMain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_session = file("s.espalier");
        const Ending made = run({QStringLiteral("search"), QStringLiteral("layernorm"),
            QStringLiteral("--rounds"), QStringLiteral("1"), QStringLiteral("--ideas"),
            QStringLiteral("1"), QStringLiteral("--branches"), QStringLiteral("1"),
            QStringLiteral("--session"), m_session});
        QVERIFY2(made.code == 0 || made.code == 1, qPrintable(made.error));
    }

    void takesAPicture_data()
    {
        QTest::addColumn<QString>("platform");
        QTest::newRow("offscreen") << QStringLiteral("offscreen");
        QTest::newRow("a real window") << QStringLiteral("xcb");
    }

    void takesAPicture()
    {
        QFETCH(QString, platform);
        if (platform == QLatin1String("xcb")
            && QStandardPaths::findExecutable(QStringLiteral("xvfb-run")).isEmpty())
            QSKIP("xvfb-run is not installed.");
        const QString picture = file(platform.toUtf8() + ".png");
        const Ending ending
            = run({QStringLiteral("open"), m_session, QStringLiteral("--screenshot"), picture,
                      QStringLiteral("--size"), QStringLiteral("1200x800")},
                platform);
        QVERIFY2(ending.code == 0, qPrintable(ending.error));
        const QImage image(picture);
        QCOMPARE(image.size(), QSize(1200, 800));
        QVERIFY(showsSomething(image, QRect(0, 60, 700, 300)));
        QVERIFY(showsSomething(image, QRect(860, 60, 330, 300)));
    }

    void takesTheStoredColourSchemeUnlessTold()
    {
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("Espalier")));
        QFile settings(file("Espalier/Espalier.conf"));
        QVERIFY(settings.open(QIODevice::WriteOnly));
        settings.write("[window]\ncolorScheme=dark\n");
        settings.close();
        const QString picture = file("scheme.png");
        const QStringList words{
            QStringLiteral("open"), m_session, QStringLiteral("--screenshot"), picture};
        for (const bool told : {false, true}) {
            const QStringList scheme{QStringLiteral("--scheme"), QStringLiteral("light")};
            const Ending ending
                = run(told ? words + scheme : words, QStringLiteral("offscreen"), m_folder.path());
            QVERIFY2(ending.code == 0, qPrintable(ending.error));
            QCOMPARE(QImage(picture).pixelColor(2, 2).lightness() > 128, told);
        }
    }

    void saysWhatItCannotOpen()
    {
        const QString picture = file("none.png");
        QFile foreign(file("foreign.espalier"));
        QVERIFY(foreign.open(QIODevice::WriteOnly));
        foreign.write("this is no database, whatever its name says\n");
        foreign.close();
        for (const QString &name : {file("missing.espalier"), foreign.fileName()}) {
            const Ending ending
                = run({QStringLiteral("open"), name, QStringLiteral("--screenshot"), picture});
            QCOMPARE(ending.code, 2);
            QVERIFY2(ending.error.contains(name), qPrintable(ending.error));
            QVERIFY(!QFile::exists(picture));
        }
    }

    void refusesAWrongCall_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto row = [](const char *tag, const char *words) {
            QTest::newRow(tag) << QString::fromUtf8(words).split(QLatin1Char(' '));
        };
        row("size", "open x.espalier --screenshot y.png --size 3x4");
        row("scheme", "open x.espalier --scheme pink");
        row("picture of nothing", "open --screenshot y.png");
        row("start without a file", "open --start softmax");
        row("option", "open --nothing");
    }

    void refusesAWrongCall()
    {
        QFETCH(QStringList, arguments);
        const Ending ending = run(arguments);
        QCOMPARE(ending.code, 2);
        QVERIFY(!ending.error.isEmpty());
    }

    void saysThatThereIsNoDisplay()
    {
        const Ending ending = run({QStringLiteral("open"), m_session}, QString());
        QCOMPARE(ending.code, 3);
        QVERIFY2(
            ending.error.contains(QStringLiteral("espalier search")), qPrintable(ending.error));
    }

    void aPictureThatCannotBeWrittenIsSaid()
    {
        const Ending ending = run({QStringLiteral("open"), m_session,
            QStringLiteral("--screenshot"), QStringLiteral("/nowhere/x.png")});
        QCOMPARE(ending.code, 3);
        QVERIFY2(ending.error.contains(QStringLiteral("/nowhere/x.png")), qPrintable(ending.error));
    }

private:
    QString file(const QByteArray &name) const
    {
        return m_folder.filePath(QString::fromUtf8(name));
    }

    QTemporaryDir m_folder;
    QString m_session;
};

QTEST_GUILESS_MAIN(TestWindowMain)
#include "tst_windowmain.moc"
