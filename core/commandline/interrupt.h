#pragma once

#include <QObject>

namespace core {

/// Turns the first Ctrl+C, TERM or hang-up into a signal on the main thread; the second one ends
/// the program the usual way. One at a time in a process.
class Interrupt : public QObject {
    Q_OBJECT
public:
    explicit Interrupt(QObject *parent = nullptr);
    ~Interrupt() override;

Q_SIGNALS:
    void raised();
};

} // namespace core
