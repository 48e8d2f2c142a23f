#pragma once

#include "core/session/node.h"

#include <QObject>

namespace core {

/// What a model is asked for.
struct Request {
    enum class Kind { Ideas, Implementation, Repair };
    Kind kind = Kind::Ideas;
    int round = 0, idea = 0, branch = 0, attempt = 0; ///< where in the search, from 1; 0: n/a
    QString model; ///< empty: the provider's own choice
    QString prompt;
};

/// What a model answered.
struct Reply {
    QString text, reasoning;
    QString model; ///< as the server names it
    QString finishReason; ///< "stop", or why it is not whole: "length", …
    TokenUsage usage;
    int latencyMs = 0;
};

/// "ideas", "implementation", "repair".
QString name(Request::Kind kind);
std::optional<Request::Kind> requestKindFromName(const QString &name);

/// Answers requests to a model. Lives on the engine's thread; never blocks it. Each `ask` is
/// followed by exactly one `replied` or `failed` with its ticket, never before `ask` has returned;
/// none after `cancel`.
class Provider : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    virtual QString name() const = 0;
    /// Why a request cannot be answered at all (a recording that ends); empty if it can.
    virtual QString refusal(const Request &request) const = 0;
    virtual quint64 ask(const Request &request) = 0;
    virtual void cancel(quint64 ticket) = 0;

Q_SIGNALS:
    void replied(quint64 ticket, const core::Reply &reply);
    /// The request failed for good; the sentence says why and what to do.
    void failed(quint64 ticket, const QString &message);
};

} // namespace core
