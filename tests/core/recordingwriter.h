#pragma once

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>

namespace fakes {

/// Writes a recording of the problem `softmax` for the fake worker: two rounds of two ideas with
/// two branches, of which one does not compile and is repaired. `slow`: milliseconds a kernel
/// takes.
inline void writeRecording(const QString &folder, int slow)
{
    using nlohmann::json;
    QDir().mkpath(folder);
    json replies = json::array();
    const auto add = [&](const char *kind, int round, int idea, int branch, int attempt,
                         const QString &text) {
        const QString file
            = QStringLiteral("r%1-i%2-b%3-a%4.md").arg(round).arg(idea).arg(branch).arg(attempt);
        QFile out(QDir(folder).filePath(file));
        if (out.open(QIODevice::WriteOnly))
            out.write(text.toUtf8());
        replies.push_back({{"request", kind}, {"round", round}, {"idea", idea}, {"branch", branch},
            {"attempt", attempt}, {"file", file.toStdString()}, {"model", "person"},
            {"usage", {{"input", 100}, {"output", 50}}}, {"latency_ms", 900}});
    };
    const auto kernel = [slow](const QString &what) {
        return QStringLiteral("Prose.\n```cuda\n/* plan {} */ // %1 // slow %2\n```\n")
            .arg(what)
            .arg(slow);
    };
    for (int r = 1; r <= 2; ++r) {
        add("ideas", r, 0, 0, 0,
            QStringLiteral("## Idea 1: <b>Tile</b> & \"go\"\nCategory: memory access\n"
                           "</details><script>alert(1)</script>\n"
                           "## Idea 2: Shuffle\nCategory: latency hiding\nProse.\n"));
        for (int i = 1; i <= 2; ++i) {
            for (int b = 1; b <= 2; ++b) {
                const bool breaks = r == 1 && i == 2 && b == 1;
                add("implementation", r, i, b, 0,
                    kernel(breaks ? QStringLiteral("fail compile_error")
                                  : QStringLiteral("ok %1").arg(50 - 10 * r - 3 * i - b)));
            }
        }
    }
    add("repair", 1, 2, 1, 1, kernel(QStringLiteral("ok 45")));
    const json recording{{"format", 1}, {"problem", "softmax"}, {"title", "Test"}, {"rounds", 2},
        {"ideas", 2}, {"branches", 2}, {"repairs", 1}, {"replies", replies}};
    QFile out(QDir(folder).filePath(QStringLiteral("recording.json")));
    if (out.open(QIODevice::WriteOnly))
        out.write(QByteArray::fromStdString(recording.dump(1)));
}

} // namespace fakes
