#include "ui/windowmain.h"

#include "core/commandline/exitcode.h"
#include "core/provider/providers.h"
#include "core/search/searchservice.h"
#include "ui/theme.h"
#include "ui/window/mainwindow.h"
#include "ui/window/screenshot.h"

#include <CLI/CLI.hpp>

#include <QApplication>

#include <clocale>

namespace ui {

namespace {

struct Words {
    std::string file, start, screenshot, size = "1600x1000", scheme;
};

std::optional<QSize> sizeOf(const std::string &word)
{
    const QStringList parts = QString::fromStdString(word).split(QLatin1Char('x'));
    const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
    const bool sensible = size.width() >= 640 && size.height() >= 480 && size.width() <= 7680
        && size.height() <= 4320;
    return sensible ? std::optional(size) : std::nullopt;
}

/// Qt ends the program without a display; this says it first.
bool hasDisplay()
{
    for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (!qEnvironmentVariableIsEmpty(name))
            return true;
    return false;
}

/// Takes the picture once everything is shown, or ends with what went wrong.
void takePicture(MainWindow &window, core::SearchService &service, const QString &file)
{
    auto *screenshot = new Screenshot(&window, file);
    QObject::connect(&service, &core::SearchService::failed, screenshot,
        [](const QString &message, bool environmentFault) {
            core::complain(message);
            QApplication::exit(
                int(environmentFault ? core::ExitCode::Environment : core::ExitCode::WrongCall));
        });
    QObject::connect(screenshot, &Screenshot::finished, qApp, [](const QString &error) {
        if (!error.isEmpty())
            core::complain(error);
        QApplication::exit(
            int(error.isEmpty() ? core::ExitCode::Done : core::ExitCode::Environment));
    });
}

int run(const Words &words)
{
    const auto size = sizeOf(words.size);
    if (!size) {
        core::complain(QStringLiteral("--size is WIDTHxHEIGHT, from 640x480 to 7680x4320."));
        return int(core::ExitCode::WrongCall);
    }
    core::SearchService service;
    MainWindow window(&service);
    window.setColorScheme(
        colorSchemeOf(QString::fromStdString(words.scheme)).value_or(storedColorScheme()));
    const QString file = QString::fromStdString(words.file);
    const bool picture = !words.screenshot.empty();
    window.setRemembersLayout(!picture);
    if (picture) {
        window.resize(*size);
        takePicture(window, service, QString::fromStdString(words.screenshot));
    }
    window.show();
    if (!words.start.empty()) {
        const QString problem = QString::fromStdString(words.start);
        window.startSearch(file, core::defaultConfig(problem, QStringLiteral("replay")));
    } else if (!file.isEmpty()) {
        window.openSession(file);
    }
    return QApplication::exec();
}

} // namespace

int windowMain(int argc, char **argv)
{
    Words words;
    CLI::App app("Espalier: explore CUDA kernels in a branching search.", "espalier");
    CLI::App *open = app.add_subcommand("open", "Open the window");
    auto *file = open->add_option("file", words.file, "A session file");
    auto *start = open->add_option(
        "--start", words.start, "Make FILE and search this problem with its recorded replies");
    open->add_option("--screenshot", words.screenshot, "Write a PNG of the window and end");
    open->add_option("--size", words.size, "Of the screenshot, as WIDTHxHEIGHT");
    open->add_option("--scheme", words.scheme, "Colours of this run: system, light or dark")
        ->check(CLI::IsMember({"system", "light", "dark"}));
    start->needs(file);
    try {
        app.parse(argc, argv);
        if (!words.screenshot.empty() && words.file.empty())
            throw CLI::ValidationError("--screenshot", "needs a session FILE");
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? int(core::ExitCode::Done) : int(core::ExitCode::WrongCall);
    }
    if (!hasDisplay()) {
        core::complain(QStringLiteral(
            "There is no display to open a window on. `espalier search` and the other commands "
            "need none; QT_QPA_PLATFORM=offscreen with --screenshot makes a picture."));
        return int(core::ExitCode::Environment);
    }
    QApplication application(argc, argv);
    std::setlocale(LC_NUMERIC, "C");
    QApplication::setOrganizationName(QStringLiteral("Espalier"));
    QApplication::setApplicationName(QStringLiteral("Espalier"));
    QApplication::setApplicationDisplayName(QStringLiteral("Espalier"));
    return run(words);
}

} // namespace ui
