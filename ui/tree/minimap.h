#pragma once

#include <QPixmap>
#include <QWidget>

namespace ui {

class TreeView;

/// The whole tree in a corner with the part in view framed; drag the frame to move the view.
/// Hidden while everything fits.
class MiniMap : public QWidget {
    Q_OBJECT
public:
    explicit MiniMap(TreeView *view);

    /// The tree has changed: the picture is drawn anew when next shown.
    void invalidate();
    /// Size, place and visibility after the view has changed.
    void updatePlace();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;

private:
    double scaleToMap() const;
    void centerViewAt(const QPointF &position);

    TreeView *m_view;
    QPixmap m_picture;
};

} // namespace ui
