#include "core/commandline/interrupt.h"

#include <QSocketNotifier>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace core {

namespace {
int s_pipe[2] = {-1, -1};

// Only what a signal handler may do: https://man7.org/linux/man-pages/man7/signal-safety.7.html
void onSignal(int number)
{
    const char byte = 1;
    const ssize_t written = ::write(s_pipe[1], &byte, 1);
    static_cast<void>(written);
    std::signal(number, SIG_DFL);
}
} // namespace

Interrupt::Interrupt(QObject *parent)
    : QObject(parent)
{
    if (::pipe2(s_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    auto *notifier = new QSocketNotifier(s_pipe[0], QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this, notifier] {
        notifier->setEnabled(false);
        Q_EMIT raised();
    });
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
        std::signal(number, onSignal);
}

Interrupt::~Interrupt()
{
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
        std::signal(number, SIG_DFL);
    for (int &end : s_pipe) {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
}

} // namespace core
