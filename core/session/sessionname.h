#pragma once

#include <QString>

namespace core {

/// A name for a new session file of a problem (id or folder) in `folder` that no file has yet; an
/// empty `folder` gives a relative name.
QString freshSessionFile(const QString &folder, const QString &problem);

} // namespace core
