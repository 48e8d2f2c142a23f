#pragma once

#include "core/session/node.h"

#include <QWidget>

namespace ui {

/// The node's glyph, verdict in words, speed-up and title.
class VerdictHeader : public QWidget {
    Q_OBJECT
public:
    explicit VerdictHeader(QWidget *parent = nullptr);

    void show(const core::NodeSummary &summary);
    void clear();
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    core::NodeSummary m_summary;
    bool m_empty = true;
};

} // namespace ui
