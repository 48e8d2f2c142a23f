#include "core/search/prompt.h"

#include "core/provider/reply.h"

#include <QFile>
#include <QRegularExpression>

namespace core {

namespace {
/// Log shown to a model: errors come first, and a template error may go on for megabytes.
constexpr qsizetype MaxLogCharacters = 6000;
constexpr qsizetype MaxHistory = 60;

QString promptTemplate(const QString &name)
{
    QFile file(QStringLiteral(":/prompts/%1.md").arg(name));
    // Compiled into the program: failing to open it is a fault of the build.
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT(opened);
    return opened ? QString::fromUtf8(file.readAll()) : QString();
}

QString timeText(const std::optional<double> &medianUs)
{
    return medianUs ? QStringLiteral("%1 us").arg(*medianUs, 0, 'g', 5)
                    : QStringLiteral("not timed");
}

QString tensorLines(const std::vector<gpu::TensorSpec> &tensors)
{
    QStringList lines;
    for (const gpu::TensorSpec &tensor : tensors) {
        QStringList shape;
        for (const std::string &extent : tensor.shape)
            shape.append(QString::fromStdString(extent));
        const std::string_view type = gpu::name(tensor.dtype);
        lines.append(QStringLiteral("- `%1`: %2, shape (%3)%4")
                         .arg(QString::fromStdString(tensor.name),
                             QString::fromUtf8(type.data(), static_cast<qsizetype>(type.size())),
                             shape.join(QLatin1String(", ")),
                             tensor.parameter ? QStringLiteral(", a parameter") : QString()));
    }
    return lines.join(QLatin1Char('\n'));
}

QString dimLines(const PromptContext &context)
{
    QStringList lines;
    const gpu::Result<gpu::Dims> dims = context.problem.dimsAt(context.size.toStdString());
    if (!dims)
        return {};
    for (const auto &[dim, value] : *dims)
        lines.append(QStringLiteral("- `%1` = %2").arg(QString::fromStdString(dim)).arg(value));
    return lines.join(QLatin1Char('\n'));
}

QString prefix(const PromptContext &context)
{
    const gpu::Problem &problem = context.problem;
    const DeviceInfo &device = context.device;
    return renderTemplate(promptTemplate(QStringLiteral("rules")),
        {{QStringLiteral("problem"), QString::fromStdString(problem.title)},
            {QStringLiteral("description"), QString::fromStdString(problem.description)},
            {QStringLiteral("inputs"), tensorLines(problem.inputs)},
            {QStringLiteral("outputs"), tensorLines(problem.outputs)},
            {QStringLiteral("size"), context.size}, {QStringLiteral("dims"), dimLines(context)},
            {QStringLiteral("precision"), QString::fromStdString(problem.precision)},
            {QStringLiteral("device"), device.name},
            {QStringLiteral("architecture"), device.architecture},
            {QStringLiteral("sm_count"), QString::number(device.smCount)},
            {QStringLiteral("max_shared"), QString::number(device.maxSharedBytes)}});
}
} // namespace

QString renderTemplate(const QString &text, const QHash<QString, QString> &values)
{
    static const QRegularExpression placeholder(QStringLiteral("\\{\\{(\\w+)\\}\\}"));
    QString result;
    qsizetype done = 0;
    for (auto matches = placeholder.globalMatch(text); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        result += QStringView(text).mid(done, match.capturedStart() - done);
        const auto value = values.constFind(match.captured(1));
        result += value == values.constEnd() ? match.captured(0) : *value;
        done = match.capturedEnd();
    }
    return result + QStringView(text).mid(done);
}

QString fenced(const QString &code)
{
    static const QRegularExpression ticks(QStringLiteral("`{3,}"));
    qsizetype longest = 2;
    for (auto matches = ticks.globalMatch(code); matches.hasNext();)
        longest = std::max(longest, matches.next().capturedLength());
    const QString fence(longest + 1, QLatin1Char('`'));
    const QString end = code.endsWith(QLatin1Char('\n')) ? QString() : QStringLiteral("\n");
    return fence + QStringLiteral("cuda\n") + code + end + fence;
}

QString ideasPrompt(const PromptContext &context, const QList<PromptKernel> &seeds,
    const QList<PromptIdea> &history, int ideas)
{
    QStringList kernels, earlier;
    for (const PromptKernel &seed : seeds)
        kernels.append(QStringLiteral("### %1 (%2)\n\n%3")
                           .arg(seed.title, timeText(seed.medianUs), fenced(seed.source)));
    for (const PromptIdea &idea : history.last(std::min(MaxHistory, history.size())))
        earlier.append(QStringLiteral("- Round %1, %2 (%3): %4")
                           .arg(idea.round)
                           .arg(idea.title, idea.category, idea.outcome));
    return prefix(context)
        + renderTemplate(promptTemplate(QStringLiteral("ideas")),
            {{QStringLiteral("seeds"), kernels.join(QLatin1String("\n\n"))},
                {QStringLiteral("history"),
                    earlier.isEmpty() ? QStringLiteral("None yet.")
                                      : earlier.join(QLatin1Char('\n'))},
                {QStringLiteral("categories"), ideaCategories().join(QLatin1String(", "))},
                {QStringLiteral("ideas"), QString::number(ideas)}});
}

QString implementationPrompt(const PromptContext &context, const PromptKernel &parent,
    const QString &ideaTitle, const QString &ideaText, int branch, int branches)
{
    return prefix(context)
        + renderTemplate(promptTemplate(QStringLiteral("implementation")),
            {{QStringLiteral("time"), timeText(parent.medianUs)},
                {QStringLiteral("source"), fenced(parent.source)},
                {QStringLiteral("title"), ideaTitle}, {QStringLiteral("idea"), ideaText},
                {QStringLiteral("branch"), QString::number(branch)},
                {QStringLiteral("branches"), QString::number(branches)}});
}

QString repairPrompt(const PromptContext &context, const QString &ideaTitle,
    const QString &ideaText, const PromptFailure &failure)
{
    return prefix(context)
        + renderTemplate(promptTemplate(QStringLiteral("repair")),
            {{QStringLiteral("title"), ideaTitle}, {QStringLiteral("idea"), ideaText},
                {QStringLiteral("source"), fenced(failure.source)},
                {QStringLiteral("verdict"), failure.verdict},
                {QStringLiteral("message"), failure.message},
                {QStringLiteral("log"), fenced(failure.log.left(MaxLogCharacters))}});
}

} // namespace core
