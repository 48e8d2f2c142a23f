#pragma once

#include "ui/tree/treepainter.h"
#include "ui/tree/treescene.h"

#include <QAbstractScrollArea>
#include <QImage>
#include <QPixmap>
#include <QSet>
#include <QTimer>

#include <vector>

namespace ui {

class MiniMap;

/// The live tree. Lays out and paints at most once a frame however many batches arrive. Edges and
/// cards are kept in a pixmap; selection, hover and the pulse of running nodes are drawn over it.
class TreeView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TreeView(NodeModel *model, QWidget *parent = nullptr);

    core::NodeId selected() const { return m_selected; }
    double zoom() const { return m_scale; }
    bool followsNewest() const { return m_mode == Mode::Follow; }
    const TreeScene &scene() const { return m_scene; }
    /// Where a node stands in the viewport; null if it is not shown.
    QRectF viewportRect(core::NodeId id) const;
    /// The part of the scene that is in view.
    QRectF visibleArea() const;
    /// Lays out what came since the last frame, now.
    void flush();

    /// The whole tree with a margin, `scale` pixels a scene unit.
    QImage renderImage(double scale) const;
    QByteArray renderSvg() const;
    /// Edges and cards of a part of the scene, without selection and pulse.
    void paintScene(QPainter &painter, const QRectF &area, double scale) const;
    /// Moves the view as the user's own doing: following and fitting end.
    void centerOnPoint(const QPointF &scenePoint);

    static constexpr double MinZoom = 0.002, MaxZoom = 4;

public Q_SLOTS:
    void select(core::NodeId id);
    /// Shows the whole tree, and keeps it in view until the user moves the view.
    void fit();
    void zoomIn();
    void zoomOut();
    void zoomReset();
    void setFollowNewest(bool on);
    void selectRoot();
    void selectBest();
    void toggleCollapsed();
    void centerOn(core::NodeId id);

Q_SIGNALS:
    void selectionChanged(core::NodeId id);
    void activated(core::NodeId id);
    void hovered(core::NodeId id);
    void contextMenuRequested(core::NodeId id, QPoint globalPosition);
    void followNewestChanged(bool on);
    void viewChanged();

protected:
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    enum class Mode { Fit, Follow, Free };

    void applied(const QList<core::NodeId> &added, const QList<core::NodeId> &changed);
    void relayout();
    void modelReset();
    void setMode(Mode mode);
    void setScale(double scale, const QPointF &anchor);
    void applyFit();
    void updateScrollBars();
    void moveOrigin(const QPointF &origin);
    void ensureVisible(core::NodeId id);
    void refreshTheme();
    void refreshPulse();
    void markAllDirty();
    void renderCache();
    void setHovered(NodeModel::Slot slot);
    bool showToolTip(const QPoint &position);
    bool walk(int key);
    QPointF toScene(const QPointF &viewportPoint) const;
    NodeModel::Slot selectedSlot() const;

    NodeModel *m_model;
    TreeScene m_scene;
    TreePainter m_painter;
    Theme m_theme;
    MiniMap *m_miniMap;
    double m_scale = 1;
    QPointF m_origin; ///< viewport position of the scene's origin
    Mode m_mode = Mode::Fit;
    QSet<core::NodeId> m_collapsed;
    core::NodeId m_selected = 0, m_best = 0, m_newest = 0;
    NodeModel::Slot m_hovered = NodeModel::NoSlot;

    QPixmap m_cache;
    QRegion m_dirty; ///< of the cache, viewport coordinates
    bool m_needsLayout = false, m_adjusting = false;
    QList<core::NodeId> m_changed; ///< since the last frame
    QTimer m_frameTimer, m_pulseTimer;
    std::vector<NodeModel::Slot> m_running;
    double m_phase = 0;

    QPoint m_pressed;
    bool m_panning = false, m_maybePan = false;
};

} // namespace ui
