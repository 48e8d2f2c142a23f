#pragma once

#include <QString>

namespace core {

/// "1:27", or "1:02:05" from an hour on.
QString durationText(double seconds);

} // namespace core
