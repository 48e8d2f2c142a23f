#include "ui/inspector/nodehtml.h"

#include "ui/verdictstyle.h"

#include <cmath>

namespace ui {

namespace {

QString escaped(const std::string &text)
{
    return QString::fromStdString(text).toHtmlEscaped();
}

QString scientific(double value)
{
    return std::isfinite(value) ? QString::number(value, 'e', 2) : QStringLiteral("not finite");
}

/// Writes the page section by section in the theme's colours.
class Page {
public:
    explicit Page(const Theme &theme)
        : m_theme(theme)
    {
    }

    void section(const QString &title)
    {
        m_html += QStringLiteral("<p style='margin-top:12px;margin-bottom:2px'><font color='%1'>"
                                 "<b>%2</b></font></p>")
                      .arg(name(Role::TextMuted), title.toHtmlEscaped());
    }
    void paragraph(const QString &html)
    {
        m_html += QStringLiteral("<p style='margin-top:2px;margin-bottom:2px'>%1</p>").arg(html);
    }
    /// Text of several paragraphs as it was written.
    void prose(const QString &text)
    {
        for (const QString &part : text.trimmed().split(QStringLiteral("\n\n"), Qt::SkipEmptyParts))
            paragraph(QString(part).replace(QLatin1Char('\n'), QLatin1Char(' ')).toHtmlEscaped());
    }
    void beginTable()
    {
        m_html += QStringLiteral("<table cellspacing='0' cellpadding='2' width='100%'>");
    }
    void row(const QStringList &cells, bool head = false)
    {
        m_html += QStringLiteral("<tr>");
        for (const QString &cell : cells)
            m_html += head ? QStringLiteral("<td><font color='%1'>%2</font></td>")
                                 .arg(name(Role::TextMuted), cell)
                           : QStringLiteral("<td>%1</td>").arg(cell);
        m_html += QStringLiteral("</tr>");
    }
    void endTable() { m_html += QStringLiteral("</table>"); }

    QString coloured(Role role, const QString &html) const
    {
        return QStringLiteral("<font color='%1'>%2</font>").arg(name(role), html);
    }
    QString muted(const QString &html) const { return coloured(Role::TextMuted, html); }
    QString html() const { return m_html; }

private:
    QString name(Role role) const { return m_theme.color(role).name(); }

    const Theme &m_theme;
    QString m_html;
};

void addTime(Page &page, const core::NodeSummary &node, const gpu::Evaluation &evaluation)
{
    if (!evaluation.time)
        return;
    const gpu::TimeStatistics &time = *evaluation.time;
    const bool cpu = evaluation.deviceKind == "cpu";
    page.section(cpu ? QObject::tr("Time (CPU device)") : QObject::tr("Time"));
    QString line = QStringLiteral("<b>%1</b>").arg(timeText(time.medianUs));
    if (node.speedup)
        line += QObject::tr(" &nbsp; <b>%1</b> over the seed").arg(speedupText(node.speedup));
    page.paragraph(line);
    page.paragraph(
        page.muted(QObject::tr("95 % of the median %1 – %2, least %3, %4 samples%5")
                       .arg(timeText(time.lowUs), timeText(time.highUs), timeText(time.minUs))
                       .arg(time.samplesUs.size())
                       .arg(time.graphReplay ? QObject::tr(", graph replays") : QString())));
    if (evaluation.floorUs > 0)
        page.paragraph(
            page.muted(QObject::tr("Speed-of-light floor %1").arg(timeText(evaluation.floorUs))));
    if (cpu)
        page.paragraph(page.muted(QObject::tr(
            "Measured on the interpreter: it ranks kernels, it does not predict a GPU.")));
}

void addRunOffs(Page &page, const QList<core::RunOff> &runOffs)
{
    if (runOffs.isEmpty())
        return;
    page.section(QObject::tr("Run-offs, timed in turn"));
    for (const core::RunOff &runOff : runOffs)
        page.paragraph(QObject::tr("against <a href='node:%1'>#%1</a>: ").arg(runOff.a)
            + core::text(runOff).toHtmlEscaped());
}

/// A bar whose length is the error's place on a log scale up to the loosest yardstick.
QString errorBar(const Page &page, double error, double loosest, Role role)
{
    if (!(error > 0) || !(loosest > 0))
        return {};
    constexpr double Decades = 8, Cells = 22;
    const double place = (std::log10(error / loosest) + Decades) / Decades;
    const int filled = int(std::lround(std::clamp(place, 0.04, 1.0) * Cells));
    return page.coloured(role, QString(filled, QChar(0x2588)));
}

void addPrecision(Page &page, const gpu::Evaluation &evaluation)
{
    const gpu::PrecisionResult &precision = evaluation.precision;
    if (precision.yardsticks.empty())
        return;
    page.section(QObject::tr("Precision, measured against fp64"));
    page.paragraph(precision.precisionClass.empty()
            ? QObject::tr("In no class: the error is above every yardstick.")
            : QObject::tr("Keeps <b>%1</b> on every distribution.")
                  .arg(escaped(precision.precisionClass)));
    double loosest = precision.error;
    for (const auto &[name, error] : precision.yardsticks)
        loosest = std::max(loosest, std::isfinite(error) ? error : 0);
    // Beyond a relative error of one nothing is left to compare: on data of large scale the
    // yardsticks of short formats are astronomic.
    loosest = std::min(loosest, 1.0);
    page.beginTable();
    page.row({QStringLiteral("<b>%1</b>").arg(QObject::tr("this")), scientific(precision.error),
        errorBar(page, precision.error, loosest, Role::Accent)});
    std::vector<std::pair<double, std::string>> ordered;
    for (const auto &[name, error] : precision.yardsticks)
        ordered.emplace_back(error, name);
    std::sort(ordered.begin(), ordered.end());
    for (const auto &[error, name] : ordered)
        page.row({escaped(name), scientific(error), errorBar(page, error, loosest, Role::Edge)});
    page.endTable();
    const auto answer = [](bool yes) { return yes ? QObject::tr("yes") : QObject::tr("no"); };
    page.paragraph(
        page.muted(QObject::tr("KernelBench's allclose at 1e-4: %1, at 1e-2: %2")
                       .arg(answer(precision.allclose1e4), answer(precision.allclose1e2))));
}

void addChecks(Page &page, const gpu::Evaluation &evaluation)
{
    if (evaluation.checks.empty())
        return;
    const auto passed = std::count_if(evaluation.checks.begin(), evaluation.checks.end(),
        [](const gpu::CheckResult &check) { return check.passed; });
    page.section(QObject::tr("Checks: %1 of %2 passed").arg(passed).arg(evaluation.checks.size()));
    page.beginTable();
    page.row({QString(), QObject::tr("size"), QObject::tr("inputs"), QObject::tr("error"),
                 QObject::tr("keeps")},
        true);
    for (const gpu::CheckResult &check : evaluation.checks) {
        page.row({check.passed ? page.coloured(Role::VerdictOk, QStringLiteral("✓"))
                               : page.coloured(Role::VerdictWrong, QStringLiteral("✗")),
            escaped(check.size),
            QString::fromStdString(check.distribution)
                .replace(QLatin1Char('_'), QLatin1Char(' '))
                .toHtmlEscaped(),
            scientific(check.error), escaped(check.precisionClass)});
    }
    page.endTable();
}

void addResources(Page &page, const gpu::Evaluation &evaluation)
{
    if (evaluation.resources.empty())
        return;
    page.section(QObject::tr("Resources (compiled for the GPU)"));
    page.beginTable();
    page.row({QObject::tr("kernel"), QObject::tr("registers"), QObject::tr("shared"),
                 QObject::tr("local"), QObject::tr("spills")},
        true);
    for (const gpu::KernelResources &kernel : evaluation.resources)
        page.row({escaped(kernel.kernel), QString::number(kernel.registers),
            QStringLiteral("%1 B").arg(kernel.sharedBytes),
            QStringLiteral("%1 B").arg(kernel.localBytes),
            QStringLiteral("%1 B").arg(kernel.spillStoreBytes + kernel.spillLoadBytes)});
    page.endTable();
    page.paragraph(
        page.muted(QObject::tr("Compiled in %1 ms.").arg(std::lround(evaluation.compileMs))));
}

QString dimText(const std::vector<std::uint32_t> &values)
{
    QStringList parts;
    for (std::uint32_t value : values)
        parts.append(QString::number(value));
    return parts.join(QStringLiteral(", "));
}

void addFindings(Page &page, const gpu::Evaluation &evaluation)
{
    if (evaluation.wrong) {
        QStringList index;
        for (std::int64_t i : evaluation.wrong->index)
            index.append(QString::number(i));
        page.paragraph(QObject::tr("First wrong: %1[%2], wanted %3, got <b>%4</b>")
                           .arg(escaped(evaluation.wrong->tensor), index.join(QStringLiteral(", ")))
                           .arg(evaluation.wrong->wanted, 0, 'g', 7)
                           .arg(evaluation.wrong->got, 0, 'g', 7));
    }
    if (evaluation.fault) {
        const gpu::FaultLocation &fault = *evaluation.fault;
        QString where
            = QObject::tr("In %1, block (%2), thread (%3)")
                  .arg(escaped(fault.kernel), dimText(fault.block), dimText(fault.thread));
        if (fault.line > 0)
            where += QObject::tr(", <a href='line:%1'>line %1</a>").arg(fault.line);
        page.paragraph(where);
    }
    for (const gpu::Diagnostic &diagnostic : evaluation.diagnostics) {
        if (diagnostic.severity == "note")
            continue;
        const QString text = escaped(diagnostic.text);
        page.paragraph(diagnostic.line > 0
                ? QObject::tr("<a href='line:%1'>line %1</a>: %2").arg(diagnostic.line).arg(text)
                : text);
    }
}

} // namespace

QString verdictMeaning(gpu::Verdict verdict)
{
    using gpu::Verdict;
    switch (verdict) {
    case Verdict::Ok:
        return QObject::tr("Passed every check before and after the timing.");
    case Verdict::CompileError:
        return QObject::tr("The compiler refused it.");
    case Verdict::PlanError:
        return QObject::tr("Its launch plan is not valid.");
    case Verdict::LaunchError:
        return QObject::tr("The device refused the launch.");
    case Verdict::MemoryFault:
        return QObject::tr("It touched memory that belongs to no buffer, or misaligned.");
    case Verdict::Timeout:
        return QObject::tr("It did not end within its budget, or waits for ever.");
    case Verdict::Crash:
        return QObject::tr("It trapped, or brought the runner down.");
    case Verdict::WrongResult:
        return QObject::tr("Its result is wrong.");
    case Verdict::Precision:
        return QObject::tr("Right, but less precise than the problem asks for.");
    case Verdict::InputModified:
        return QObject::tr("It wrote into its inputs.");
    case Verdict::OutOfBounds:
        return QObject::tr("It went beyond the end of a buffer.");
    case Verdict::Nondeterministic:
        return QObject::tr("Two runs differ, threads race, or it read memory never written.");
    case Verdict::ImpossibleTime:
        return QObject::tr("Faster than the device can move the data: something was left out.");
    case Verdict::Unsupported:
        return QObject::tr("This device cannot run it; that says nothing about the kernel.");
    case Verdict::EnvironmentError:
        return QObject::tr("The machine failed, not the kernel. It can be measured again.");
    }
    return {};
}

QString nodeHtml(const core::NodeDetails &details, const Theme &theme)
{
    const core::NodeSummary &node = details.summary;
    Page page(theme);
    QStringList facts{kindText(node.kind), QObject::tr("round %1").arg(node.round)};
    if (node.parent)
        facts.append(QStringLiteral("<a href='node:%1'>#%1</a>")
                         .arg(node.parent)
                         .prepend(QObject::tr("from ")));
    if (!node.author.isEmpty())
        facts.append(QObject::tr("by %1").arg(node.author.toHtmlEscaped()));
    if (!node.category.isEmpty())
        facts.append(node.category.toHtmlEscaped());
    for (const auto &[flag, text] : {std::pair(node.pinned, QObject::tr("pinned")),
             std::pair(node.excluded, QObject::tr("excluded")),
             std::pair(node.archived, QObject::tr("archived"))})
        if (flag)
            facts.append(text);
    page.paragraph(page.muted(facts.join(QStringLiteral(" · "))));

    if (node.verdict || !node.message.isEmpty()) {
        page.section(QObject::tr("Verdict"));
        if (node.verdict)
            page.paragraph(verdictMeaning(*node.verdict));
        const bool repeats
            = node.verdict == gpu::Verdict::Ok && node.message == QLatin1String("ok");
        if (!node.message.isEmpty() && !repeats)
            page.paragraph(node.message.toHtmlEscaped());
    }
    if (details.evaluation) {
        addFindings(page, *details.evaluation);
        addTime(page, node, *details.evaluation);
        addRunOffs(page, details.runOffs);
        addPrecision(page, *details.evaluation);
    }
    if (!details.ideaText.isEmpty()) {
        page.section(QObject::tr("Idea"));
        page.prose(details.ideaText);
    }
    if (details.evaluation) {
        addChecks(page, *details.evaluation);
        addResources(page, *details.evaluation);
    }
    if (details.usage.input + details.usage.output > 0) {
        page.section(QObject::tr("Model"));
        page.paragraph(
            QObject::tr("%1 tokens in, %2 out").arg(details.usage.input).arg(details.usage.output));
    }
    return page.html();
}

} // namespace ui
