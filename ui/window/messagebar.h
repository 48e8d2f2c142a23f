#pragma once

#include <QFrame>

class QLabel;

namespace ui {

/// One message above the tree that does not stop the work; closed by its button or Escape.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };

    explicit MessageBar(QWidget *parent = nullptr);

    void show(Kind kind, const QString &text);
    QString text() const;

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void refresh();

    QLabel *m_text;
    Kind m_kind = Kind::Info;
};

} // namespace ui
