#pragma once

#include "core/search/engine.h"

#include <QTimer>

namespace fakes {

/// A problem that only has to be stored, loaded and named.
inline gpu::Problem problem()
{
    gpu::Problem problem;
    problem.id = "toy";
    problem.title = "Toy";
    problem.description = "y = x";
    problem.dims = {{"n", "64"}};
    problem.sizes = {{"full", {{"n", 64}}}, {"odd", {{"n", 7}}}, {"small", {{"n", 8}}}};
    problem.inputs = {{"x", gpu::DType::F32, {"n"}, false}};
    problem.outputs = {{"y", gpu::DType::F32, {"n"}, false}};
    problem.distributions = {"normal"};
    problem.flops = "n";
    problem.bytes = "8*n";
    problem.precision = "fp32";
    problem.oracleSource = "/* plan {} */ // ok 100\n";
    problem.seedSource = "/* plan {} */ // ok 100\n";
    return problem;
}

/// Judges a source by what it says: "// ok 12.5" is ok at that time, "// fail compile_error" fails
/// so. Keeps what it was asked.
class FakeEvaluator : public core::Evaluator {
public:
    /// What outlives one evaluator: the engine makes a new one at each start.
    struct Script {
        int started = 0, delayMs = 0;
        bool failAtStart = false;
        int failAfter = -1; ///< evaluations until the device is lost
        QStringList sources;
        /// Answers to run-offs by "A's source|B's source": B's time over A's; "a" or "b": that one
        /// falls out; else an error. Without an entry the medians decide.
        QHash<QString, QString> runOffs;
        QStringList compared; ///< the same keys
    };

    explicit FakeEvaluator(Script &script)
        : m_script(script)
    {
    }

    void start(const gpu::Problem &) override
    {
        ++m_script.started;
        QTimer::singleShot(0, this, [this] {
            if (m_script.failAtStart)
                Q_EMIT failed(QStringLiteral("no device here"), gpu::Blame::Environment);
            else
                Q_EMIT started(
                    {QStringLiteral("cpu"), QStringLiteral("cpu"), QStringLiteral("Fake CPU"),
                        QStringLiteral("sm_90"), 2, 49152, 1 << 30, {}, {}, {}, {}});
        });
    }

    quint64 evaluate(const core::EvaluationRequest &request) override
    {
        const quint64 ticket = m_next++;
        m_script.sources.append(request.source);
        QTimer::singleShot(m_script.delayMs, this, [this, ticket, source = request.source] {
            if (m_script.failAfter == 0) {
                Q_EMIT failed(QStringLiteral("the device is gone"), gpu::Blame::Environment);
                return;
            }
            --m_script.failAfter;
            Q_EMIT stageChanged(ticket, QStringLiteral("check"), 1, 2);
            Q_EMIT evaluated(ticket, judge(source));
        });
        return ticket;
    }

    quint64 compare(const core::EvaluationRequest &a, const core::EvaluationRequest &b) override
    {
        const quint64 ticket = m_next++;
        const auto mark = [](const QString &source) {
            return source.section(QStringLiteral("// "), 1).section(u'\n', 0, 0);
        };
        const QString key = mark(a.source) + u'|' + mark(b.source);
        m_script.compared.append(key);
        QTimer::singleShot(m_script.delayMs, this, [this, ticket, key] {
            const QString script = m_script.runOffs.value(key,
                QString::number(key.section(u'|', 1).section(u' ', 1, 1).toDouble()
                    / key.section(u'|', 0, 0).section(u' ', 1, 1).toDouble()));
            gpu::RunOffAnswer answer;
            bool isRatio = false;
            const double ratio = script.toDouble(&isRatio);
            if (script == QLatin1String("a") || script == QLatin1String("b")) {
                answer.failed
                    = script == QLatin1String("a") ? gpu::Contender::A : gpu::Contender::B;
                answer.failure.verdict = gpu::Verdict::WrongResult;
                answer.failure.message = "wrong in the run-off";
            } else if (isRatio) {
                answer.times
                    = gpu::compareTimes(std::vector<double>(9, 1), std::vector<double>(9, ratio));
                answer.pairs = 9;
            }
            const bool known = isRatio || answer.failed;
            Q_EMIT compared(ticket, answer, known ? QString() : script);
        });
        return ticket;
    }

    quint64 assemble(const core::EvaluationRequest &, const QString &form) override
    {
        const quint64 ticket = m_next++;
        QTimer::singleShot(0, this,
            [this, ticket, form] { Q_EMIT assembled(ticket, form + QStringLiteral(" text"), {}); });
        return ticket;
    }

    void cancel(quint64) override { }
    void shutDown() override { }

    static gpu::Evaluation judge(const QString &source)
    {
        gpu::Evaluation evaluation;
        evaluation.problem = "toy";
        evaluation.deviceKind = "cpu";
        evaluation.deviceName = "Fake CPU";
        evaluation.size = "small";
        evaluation.checks = {{"small", "normal", true, 0, "fp32", ""}};
        const QString fail = source.section(QStringLiteral("// fail "), 1).section(u'\n', 0, 0);
        if (!fail.isEmpty()) {
            evaluation.verdict = gpu::verdictFromName(fail.toStdString()).value();
            evaluation.message = "as the test wants it";
            return evaluation;
        }
        const double us
            = source.section(QStringLiteral("// ok "), 1).section(u'\n', 0, 0).toDouble();
        evaluation.verdict = gpu::Verdict::Ok;
        evaluation.time = gpu::TimeStatistics{us, us, us, us, {us, us}, false};
        evaluation.precision.precisionClass = "fp32";
        return evaluation;
    }

private:
    Script &m_script;
    quint64 m_next = 1;
};

/// Answers with canned replies: ideas always, implementations "ok 100 - 10 round - 3 idea - branch"
/// unless `candidates` has another text for the path.
class FakeProvider : public core::Provider {
public:
    struct Script {
        QHash<QString, QString> candidates; ///< by recordingKey-like "r1.i1.b1" or "r1.i1.b1.a1"
        int lastRound = 1000;
        QStringList asked;
        QStringList prompts;
    };

    explicit FakeProvider(Script &script)
        : m_script(script)
    {
    }

    static QString pathOf(const core::Request &r)
    {
        return core::text(core::NodePath{r.round, r.idea, r.branch, r.attempt, 0});
    }

    QString name() const override { return QStringLiteral("fake"); }
    QString refusal(const core::Request &request) const override
    {
        if (request.round > m_script.lastRound)
            return QStringLiteral("the recording ends");
        return {};
    }

    quint64 ask(const core::Request &request) override
    {
        const quint64 ticket = m_next++;
        m_script.asked.append(pathOf(request));
        m_script.prompts.append(request.prompt);
        QTimer::singleShot(0, this, [this, ticket, request] {
            if (m_cancelled.contains(ticket))
                return;
            core::Reply reply;
            reply.model = QStringLiteral("fake-1");
            reply.usage = {100, 0, 0, 50, 0};
            reply.text = request.kind == core::Request::Kind::Ideas ? ideas() : candidate(request);
            if (reply.text == QLatin1String("FAIL"))
                Q_EMIT failed(ticket, QStringLiteral("the server is down"));
            else
                Q_EMIT replied(ticket, reply);
        });
        return ticket;
    }

    void cancel(quint64 ticket) override { m_cancelled.insert(ticket); }

private:
    static QString ideas()
    {
        QString text;
        for (int i = 1; i <= 9; ++i)
            text += QStringLiteral("## Idea %1: Thing %1\nCategory: fusion\nProse.\n\n").arg(i);
        return text;
    }

    QString candidate(const core::Request &r) const
    {
        QString body = m_script.candidates.value(pathOf(r));
        if (body.isEmpty())
            body = QStringLiteral("ok %1").arg(100 - 10 * r.round - 3 * r.idea - r.branch);
        if (body == QLatin1String("FAIL") || body.startsWith(QLatin1String("raw ")))
            return body;
        return QStringLiteral("Prose.\n```cuda\n/* plan {} */ // %1\n```\n").arg(body);
    }

    Script &m_script;
    quint64 m_next = 1;
    QSet<quint64> m_cancelled;
};

/// An engine's parts made of the two.
struct Bench {
    FakeEvaluator::Script evaluator;
    FakeProvider::Script provider;

    core::EngineParts parts()
    {
        return {[](const QString &) { return gpu::Result<gpu::Problem>(problem()); },
            [this](const QString &, const QString &) {
                return gpu::Result<std::unique_ptr<core::Provider>>(
                    std::make_unique<FakeProvider>(provider));
            },
            [this](const core::SearchConfig &) {
                return std::unique_ptr<core::Evaluator>(std::make_unique<FakeEvaluator>(evaluator));
            }};
    }
};

} // namespace fakes
