#include "core/provider/reply.h"

#include <QRegularExpression>
#include <QStringList>

namespace core {

namespace {
struct FenceMark {
    int indent = 0;
    QChar character;
    qsizetype length = 0;
    QString info;
};

/// A line that opens or closes a fence: at most 3 blanks, then 3 or more ` or ~.
/// https://spec.commonmark.org/0.30/#fenced-code-blocks
std::optional<FenceMark> fenceMark(const QString &line)
{
    FenceMark mark;
    while (mark.indent < line.size() && line.at(mark.indent) == QLatin1Char(' '))
        ++mark.indent;
    if (mark.indent > 3 || mark.indent >= line.size())
        return std::nullopt;
    mark.character = line.at(mark.indent);
    if (mark.character != QLatin1Char('`') && mark.character != QLatin1Char('~'))
        return std::nullopt;
    qsizetype end = mark.indent;
    while (end < line.size() && line.at(end) == mark.character)
        ++end;
    mark.length = end - mark.indent;
    mark.info = line.mid(end).trimmed();
    // An info string with a backtick is inline code, not a fence.
    if (mark.length < 3
        || (mark.character == QLatin1Char('`') && mark.info.contains(QLatin1Char('`'))))
        return std::nullopt;
    return mark;
}

/// Follows a reply line by line and tells which lines are code.
class FenceReader {
public:
    enum class Line { Text, Opens, Code, Closes };

    Line read(const QString &line)
    {
        const std::optional<FenceMark> mark = fenceMark(line);
        if (!m_open) {
            if (!mark)
                return Line::Text;
            m_open = mark;
            return Line::Opens;
        }
        if (mark && mark->character == m_open->character && mark->length >= m_open->length
            && mark->info.isEmpty()) {
            m_open.reset();
            return Line::Closes;
        }
        return Line::Code;
    }

    bool isOpen() const { return m_open.has_value(); }
    const FenceMark &mark() const { return *m_open; }

private:
    std::optional<FenceMark> m_open;
};

QStringList linesOf(const QString &text)
{
    QString unix = text;
    unix.replace(QLatin1String("\r\n"), QLatin1String("\n"));
    return unix.split(QLatin1Char('\n'));
}

QString withoutIndent(const QString &line, int indent)
{
    int blanks = 0;
    while (blanks < indent && blanks < line.size() && line.at(blanks) == QLatin1Char(' '))
        ++blanks;
    return line.mid(blanks);
}

QString categoryNamed(const QString &text)
{
    QString plain = text.toLower();
    plain.remove(QRegularExpression(QStringLiteral("[*_`.]")));
    plain.replace(QLatin1Char('&'), QLatin1String("and"));
    plain = plain.simplified();
    for (const QString &category : ideaCategories()) {
        if (plain == category)
            return category;
    }
    for (const QString &category : ideaCategories()) {
        if (plain.contains(category))
            return category;
    }
    return {};
}
} // namespace

const QStringList &ideaCategories()
{
    static const QStringList categories{QStringLiteral("memory access"),
        QStringLiteral("latency hiding"), QStringLiteral("data type and precision"),
        QStringLiteral("instruction mix"), QStringLiteral("parallelism and occupancy"),
        QStringLiteral("control flow and loops"), QStringLiteral("fusion"),
        QStringLiteral("algorithm")};
    return categories;
}

QList<ParsedIdea> parseIdeas(const QString &reply)
{
    static const QRegularExpression heading(
        QStringLiteral("^ {0,3}#{1,6}\\s+\\**(?:idea\\s*#?\\s*\\d*|\\d+)(?=\\W|$)"
                       "[\\s*:.)\\-\\x{2013}\\x{2014}]*(.*?)\\s*#*\\s*$"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression category(
        QStringLiteral("^\\s*[-*]?\\s*\\**category\\**\\s*:\\s*(.+)$"),
        QRegularExpression::CaseInsensitiveOption);
    QList<ParsedIdea> ideas;
    FenceReader reader;
    for (const QString &line : linesOf(reply)) {
        const bool isText = reader.read(line) == FenceReader::Line::Text;
        if (isText) {
            if (const auto match = heading.match(line); match.hasMatch()) {
                QString title = match.captured(1);
                title.remove(QLatin1String("**"));
                ideas.append({title.trimmed(), {}, {}});
                continue;
            }
        }
        if (ideas.isEmpty())
            continue;
        ParsedIdea &idea = ideas.last();
        if (isText && idea.category.isEmpty()) {
            if (const auto match = category.match(line); match.hasMatch()) {
                idea.category = categoryNamed(match.captured(1));
                if (!idea.category.isEmpty())
                    continue;
            }
        }
        idea.text += line + QLatin1Char('\n');
    }
    for (ParsedIdea &idea : ideas) {
        idea.text = idea.text.trimmed();
        if (idea.title.isEmpty())
            idea.title = idea.text.section(QLatin1Char('\n'), 0, 0).left(80);
    }
    ideas.removeIf([](const ParsedIdea &idea) { return idea.title.isEmpty(); });
    return ideas;
}

QList<Fence> parseFences(const QString &reply)
{
    QList<Fence> fences;
    FenceReader reader;
    int indent = 0;
    for (const QString &line : linesOf(reply)) {
        switch (reader.read(line)) {
        case FenceReader::Line::Opens:
            indent = reader.mark().indent;
            fences.append({reader.mark().info, {}, false});
            break;
        case FenceReader::Line::Code:
            fences.last().text += withoutIndent(line, indent) + QLatin1Char('\n');
            break;
        case FenceReader::Line::Closes:
            fences.last().closed = true;
            break;
        case FenceReader::Line::Text:
            break;
        }
    }
    return fences;
}

gpu::Result<QString> parseCandidate(const QString &reply)
{
    static const QRegularExpression plan(QStringLiteral("/\\*\\s*plan\\b"));
    static const QRegularExpression tagged(
        QStringLiteral("^(cuda|cu|c\\+\\+|cpp|c)\\b"), QRegularExpression::CaseInsensitiveOption);
    const QList<Fence> fences = parseFences(reply);
    const auto largest = [&fences](const auto &wanted) {
        const Fence *best = nullptr;
        for (const Fence &fence : fences) {
            if (fence.closed && wanted(fence) && (!best || fence.text.size() > best->text.size()))
                best = &fence;
        }
        return best;
    };
    if (const Fence *fence = largest([](const Fence &f) { return f.text.contains(plan); }))
        return fence->text;
    if (!fences.isEmpty() && !fences.last().closed)
        return gpu::candidateError(
            "The reply is truncated: its code block never closes. Allow longer replies.");
    if (const Fence *fence
        = largest([](const Fence &f) { return tagged.match(f.info).hasMatch(); }))
        return fence->text;
    // Some models answer with nothing but the file.
    if (fences.isEmpty() && reply.trimmed().startsWith(QLatin1String("/*")) && reply.contains(plan))
        return QString(reply.trimmed() + QLatin1Char('\n'));
    return gpu::candidateError("The reply holds no fenced code block with a candidate file in it.");
}

} // namespace core
