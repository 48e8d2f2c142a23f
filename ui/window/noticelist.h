#pragma once

#include "core/search/searchconfig.h"

#include <QTreeWidget>

namespace ui {

/// The Problems pane: what the search and the window had to say, newest last. A double click on a
/// line with a node goes to it. Keeps the last 1,000.
class NoticeList : public QTreeWidget {
    Q_OBJECT
public:
    explicit NoticeList(QWidget *parent = nullptr);

    void add(const core::Notice &notice);

Q_SIGNALS:
    void nodeRequested(core::NodeId node);

private:
    void copySelected();
};

} // namespace ui
