#pragma once

#include "core/evaluation/evaluator.h"
#include "core/session/node.h"

#include <QHash>
#include <QList>
#include <QString>

namespace core {

/// Replaces each {{name}} once; what is put in is not looked at again. Unknown names stay.
QString renderTemplate(const QString &text, const QHash<QString, QString> &values);

/// Code in a fence that the code itself cannot close.
QString fenced(const QString &code);

/// What every prompt of a search says first. It never changes within a search, so that a server
/// can cache it.
struct PromptContext {
    gpu::Problem problem;
    DeviceInfo device;
    QString size;
};

/// A kernel the model is shown.
struct PromptKernel {
    QString title, source;
    std::optional<double> medianUs;
};

/// An earlier idea and what became of it.
struct PromptIdea {
    int round = 0;
    QString title, category, outcome;
};

/// What a candidate failed with.
struct PromptFailure {
    QString source, verdict, message, log;
};

QString ideasPrompt(const PromptContext &context, const QList<PromptKernel> &seeds,
    const QList<PromptIdea> &history, int ideas);
QString implementationPrompt(const PromptContext &context, const PromptKernel &parent,
    const QString &ideaTitle, const QString &ideaText, int branch, int branches);
QString repairPrompt(const PromptContext &context, const QString &ideaTitle,
    const QString &ideaText, const PromptFailure &failure);

} // namespace core
