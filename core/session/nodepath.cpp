#include "core/session/nodepath.h"

#include <QStringList>

namespace core {

QString text(const NodePath &path)
{
    if (path.edit > 0)
        return QStringLiteral("e%1").arg(path.edit);
    if (path.round == 0)
        return QStringLiteral("root");
    QString result = QStringLiteral("r%1").arg(path.round);
    if (path.idea > 0)
        result += QStringLiteral(".i%1").arg(path.idea);
    if (path.branch > 0)
        result += QStringLiteral(".b%1").arg(path.branch);
    if (path.attempt > 0)
        result += QStringLiteral(".a%1").arg(path.attempt);
    return result;
}

std::optional<NodePath> nodePathFromText(const QString &text)
{
    NodePath path;
    if (text == QLatin1String("root"))
        return path;
    const QStringList parts = text.split(QLatin1Char('.'));
    for (const QString &part : parts) {
        bool isNumber = false;
        const int number = part.mid(1).toInt(&isNumber);
        if (!isNumber || number < 1)
            return std::nullopt;
        switch (part.at(0).toLatin1()) {
        case 'r':
            path.round = number;
            break;
        case 'i':
            path.idea = number;
            break;
        case 'b':
            path.branch = number;
            break;
        case 'a':
            path.attempt = number;
            break;
        case 'e':
            path.edit = number;
            break;
        default:
            return std::nullopt;
        }
    }
    return path;
}

} // namespace core
