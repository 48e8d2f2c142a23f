#pragma once

#include "gpu/base/result.h"

#include <QList>
#include <QString>

namespace core {

/// One idea of an `ideas` reply.
struct ParsedIdea {
    QString title;
    QString category; ///< one of `ideaCategories()`; empty if the reply names none of them
    QString text; ///< Markdown
};

/// Design §7's eight.
const QStringList &ideaCategories();

/// The ideas of a reply, in its order: each a Markdown heading "Idea N: title" (any level, any
/// separator, the word or the number may lack) with its text. Headings inside code fences do not
/// count. Empty if there is none.
QList<ParsedIdea> parseIdeas(const QString &reply);

/// One fenced code block, by CommonMark's rules.
struct Fence {
    QString info; ///< "cuda", "cpp", …
    QString text;
    bool closed = true;
};

QList<Fence> parseFences(const QString &reply);

/// The candidate file of an implementation or repair reply: the largest closed fence that contains
/// a plan, else the largest tagged as CUDA or C++. A candidate error says what is wrong with the
/// reply: no code at all, or a fence that never closes (a truncated reply).
gpu::Result<QString> parseCandidate(const QString &reply);

} // namespace core
