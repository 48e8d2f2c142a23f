#include "core/provider/provider.h"

namespace core {

QString name(Request::Kind kind)
{
    switch (kind) {
    case Request::Kind::Ideas:
        return QStringLiteral("ideas");
    case Request::Kind::Implementation:
        return QStringLiteral("implementation");
    case Request::Kind::Repair:
        return QStringLiteral("repair");
    }
    return {};
}

std::optional<Request::Kind> requestKindFromName(const QString &text)
{
    for (const auto kind :
        {Request::Kind::Ideas, Request::Kind::Implementation, Request::Kind::Repair}) {
        if (name(kind) == text)
            return kind;
    }
    return std::nullopt;
}

} // namespace core
