#include "core/evaluation/commandtemplate.h"

namespace core {

gpu::Result<QStringList> splitCommand(const QString &command)
{
    QStringList words;
    QString word;
    bool inWord = false;
    QChar quote;
    for (qsizetype i = 0; i < command.size(); ++i) {
        const QChar c = command.at(i);
        const bool escapes = c == QLatin1Char('\\') && quote != QLatin1Char('\'');
        if (escapes && i + 1 < command.size()) {
            const QChar next = command.at(++i);
            // POSIX: inside double quotes a backslash escapes only these.
            if (!quote.isNull() && !QStringLiteral("\"\\$`").contains(next))
                word += c;
            word += next;
            inWord = true;
        } else if (!quote.isNull()) {
            if (c == quote)
                quote = {};
            else
                word += c;
        } else if (c == QLatin1Char('\'') || c == QLatin1Char('"')) {
            quote = c;
            inWord = true;
        } else if (c.isSpace()) {
            if (inWord)
                words.append(word);
            word.clear();
            inWord = false;
        } else {
            word += c;
            inWord = true;
        }
    }
    if (!quote.isNull())
        return gpu::callerError(QStringLiteral("The worker command `%1` has an open %2 quote.")
                                    .arg(command, quote)
                                    .toStdString());
    if (inWord)
        words.append(word);
    if (words.isEmpty())
        return gpu::callerError("The worker command is empty.");
    return words;
}

} // namespace core
