#include "core/search/durationtext.h"

#include <algorithm>
#include <cmath>

namespace core {

QString durationText(double seconds)
{
    const auto whole = qint64(std::llround(std::max(0.0, seconds)));
    const QLatin1Char zero('0');
    const QString tail = QStringLiteral("%1").arg(whole % 60, 2, 10, zero);
    if (whole < 3600)
        return QStringLiteral("%1:%2").arg(whole / 60).arg(tail);
    return QStringLiteral("%1:%2:%3").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, zero).arg(tail);
}

} // namespace core
