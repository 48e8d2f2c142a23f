#include "ui/verdictstyle.h"

#include <QCoreApplication>
#include <QPainter>
#include <QPolygonF>

#include <cmath>

namespace ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("ui::Verdict", text);
}

Family familyOfVerdict(gpu::Verdict verdict, const std::optional<double> &speedup)
{
    using gpu::Verdict;
    switch (verdict) {
    case Verdict::Ok:
        return speedup && *speedup < 0.995 ? Family::Slower : Family::Faster;
    case Verdict::CompileError:
    case Verdict::PlanError:
    case Verdict::LaunchError:
        return Family::Build;
    case Verdict::MemoryFault:
    case Verdict::OutOfBounds:
    case Verdict::Timeout:
    case Verdict::Crash:
        return Family::Fault;
    case Verdict::WrongResult:
    case Verdict::Precision:
    case Verdict::InputModified:
    case Verdict::Nondeterministic:
    case Verdict::ImpossibleTime:
        return Family::Wrong;
    case Verdict::Unsupported:
    case Verdict::EnvironmentError:
        return Family::Neutral;
    }
    return Family::Neutral;
}

} // namespace

Family familyOf(const core::NodeSummary &node)
{
    if (node.state == core::NodeState::Lost)
        return Family::Neutral;
    if (node.kind == core::NodeKind::Idea)
        return Family::Idea;
    if (node.verdict)
        return familyOfVerdict(*node.verdict, node.speedup);
    return node.state == core::NodeState::Done ? Family::Neutral : Family::Running;
}

Role roleOf(Family family)
{
    switch (family) {
    case Family::Faster:
        return Role::VerdictOk;
    case Family::Slower:
        return Role::VerdictSlower;
    case Family::Build:
        return Role::VerdictBuild;
    case Family::Wrong:
        return Role::VerdictWrong;
    case Family::Fault:
        return Role::VerdictFault;
    case Family::Running:
        return Role::Running;
    case Family::Idea:
        return Role::Idea;
    case Family::Neutral:
    case Family::Count:
        break;
    }
    return Role::VerdictNeutral;
}

int rankOf(Family family)
{
    switch (family) {
    case Family::Faster:
        return 7;
    case Family::Running:
        return 6;
    case Family::Slower:
        return 5;
    case Family::Wrong:
        return 4;
    case Family::Fault:
        return 3;
    case Family::Build:
        return 2;
    case Family::Neutral:
        return 1;
    case Family::Idea:
    case Family::Count:
        break;
    }
    return 0;
}

QString verdictText(gpu::Verdict verdict)
{
    using gpu::Verdict;
    switch (verdict) {
    case Verdict::Ok:
        return tr("ok");
    case Verdict::CompileError:
        return tr("compile error");
    case Verdict::PlanError:
        return tr("plan error");
    case Verdict::LaunchError:
        return tr("launch error");
    case Verdict::MemoryFault:
        return tr("memory fault");
    case Verdict::Timeout:
        return tr("timeout");
    case Verdict::Crash:
        return tr("crash");
    case Verdict::WrongResult:
        return tr("wrong result");
    case Verdict::Precision:
        return tr("too imprecise");
    case Verdict::InputModified:
        return tr("input modified");
    case Verdict::OutOfBounds:
        return tr("out of bounds");
    case Verdict::Nondeterministic:
        return tr("nondeterministic");
    case Verdict::ImpossibleTime:
        return tr("impossible time");
    case Verdict::Unsupported:
        return tr("unsupported");
    case Verdict::EnvironmentError:
        return tr("environment error");
    }
    return tr("unknown");
}

QString kindText(core::NodeKind kind)
{
    switch (kind) {
    case core::NodeKind::Root:
        return tr("seed");
    case core::NodeKind::Idea:
        return tr("idea");
    case core::NodeKind::Implementation:
        return tr("implementation");
    case core::NodeKind::Repair:
        return tr("repair");
    case core::NodeKind::Tune:
        return tr("tuning");
    case core::NodeKind::Edit:
        return tr("edit");
    case core::NodeKind::Merge:
        return tr("merge");
    }
    return tr("node");
}

QString stateText(core::NodeState state)
{
    switch (state) {
    case core::NodeState::Asking:
        return tr("asking");
    case core::NodeState::Queued:
        return tr("queued");
    case core::NodeState::Compiling:
        return tr("compiling");
    case core::NodeState::Checking:
        return tr("checking");
    case core::NodeState::Timing:
        return tr("timing");
    case core::NodeState::Done:
        return tr("done");
    case core::NodeState::Lost:
        return tr("lost");
    }
    return tr("unknown");
}

QString statusText(const core::NodeSummary &node)
{
    if (node.state == core::NodeState::Lost)
        return tr("lost");
    if (node.verdict)
        return verdictText(*node.verdict);
    return stateText(node.state);
}

QString speedupText(const std::optional<double> &speedup)
{
    if (!speedup || !std::isfinite(*speedup))
        return {};
    const int decimals = *speedup < 9.995 ? 2 : *speedup < 99.95 ? 1 : 0;
    return QString::number(*speedup, 'f', decimals) + QChar(0x00d7);
}

QString timeText(double microseconds)
{
    if (!std::isfinite(microseconds))
        return {};
    const auto three = [](double value) {
        return QString::number(value, 'f', value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
    };
    if (microseconds < 1)
        return three(microseconds * 1e3) + QStringLiteral(" ns");
    if (microseconds < 1e3)
        return three(microseconds) + QStringLiteral(" µs");
    if (microseconds < 1e6)
        return three(microseconds / 1e3) + QStringLiteral(" ms");
    return three(microseconds / 1e6) + QStringLiteral(" s");
}

void paintGlyph(QPainter &painter, const QRectF &box, Family family, const Theme &theme)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(box.center());
    const double unit = std::min(box.width(), box.height()) / 2;
    painter.scale(unit, unit);
    const QColor fill = theme.color(roleOf(family));
    QPen sign(theme.color(Role::OnVerdict), 0.26, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    switch (family) {
    case Family::Faster:
        painter.drawEllipse(QPointF(0, 0), 0.96, 0.96);
        painter.setPen(sign);
        painter.drawPolyline(QPolygonF({{-0.42, 0.02}, {-0.1, 0.36}, {0.45, -0.34}}));
        break;
    case Family::Slower:
        painter.drawEllipse(QPointF(0, 0), 0.96, 0.96);
        painter.setPen(sign);
        painter.drawPolyline(QPolygonF({{-0.38, -0.12}, {0, 0.28}, {0.38, -0.12}}));
        break;
    case Family::Build:
        painter.drawRoundedRect(QRectF(-0.88, -0.88, 1.76, 1.76), 0.24, 0.24);
        painter.setPen(sign);
        painter.drawLine(QPointF(0, -0.46), QPointF(0, 0.1));
        painter.drawPoint(QPointF(0, 0.48));
        break;
    case Family::Wrong:
        painter.drawPolygon(QPolygonF({{0, -1.05}, {1.05, 0}, {0, 1.05}, {-1.05, 0}}));
        painter.setPen(sign);
        painter.drawLine(QPointF(-0.3, -0.3), QPointF(0.3, 0.3));
        painter.drawLine(QPointF(-0.3, 0.3), QPointF(0.3, -0.3));
        break;
    case Family::Fault:
        painter.drawPolygon(QPolygonF({{0, -0.98}, {1.04, 0.86}, {-1.04, 0.86}}));
        painter.setPen(sign);
        painter.drawLine(QPointF(0, -0.3), QPointF(0, 0.2));
        painter.drawPoint(QPointF(0, 0.56));
        break;
    case Family::Running:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(fill, 0.26, Qt::SolidLine, Qt::RoundCap));
        painter.drawArc(QRectF(-0.8, -0.8, 1.6, 1.6), 90 * 16, -270 * 16);
        break;
    case Family::Idea:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(fill, 0.2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawArc(QRectF(-0.62, -0.94, 1.24, 1.24), -55 * 16, 290 * 16);
        painter.drawPolyline(QPolygonF({{-0.36, 0.18}, {-0.3, 0.5}, {0.3, 0.5}, {0.36, 0.18}}));
        painter.drawLine(QPointF(-0.2, 0.86), QPointF(0.2, 0.86));
        break;
    case Family::Neutral:
    case Family::Count:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(fill, 0.22));
        painter.drawEllipse(QPointF(0, 0), 0.82, 0.82);
        painter.drawLine(QPointF(-0.34, 0), QPointF(0.34, 0));
        break;
    }
    painter.restore();
}

} // namespace ui
