#include "core/base/stop_signals.h"

#include <cstdint>
#include <cstdlib>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/base/atomic_file.h"

namespace isolume {
namespace {

bool is_ignored(int signal) {
  struct sigaction now = {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

StopSignals::StopSignals(std::function<void()> on_stop)
    : on_stop_(std::move(on_stop)), end_(::eventfd(0, EFD_CLOEXEC)) {
  ::signal(SIGXFSZ, SIG_IGN);
  ::sigemptyset(&signals_);
  for (const int each : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(each)) ::sigaddset(&signals_, each);
  }
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  watcher_ = std::thread([this] { watch(); });
}

StopSignals::~StopSignals() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(end_, &one, sizeof one);
  watcher_.join();
  ::close(end_);
}

/// A signal handler may hardly do anything, so signals are blocked in all threads and received here.
void StopSignals::watch() const {
  constexpr int interrupted = 130;  // the convention of shells
  const int taken = ::signalfd(-1, &signals_, SFD_CLOEXEC);
  for (bool stops = false;;) {
    pollfd both[] = {{taken, POLLIN, 0}, {end_, POLLIN, 0}};
    ::poll(both, 2, -1);
    if (both[1].revents != 0) break;
    signalfd_siginfo signal;
    if (both[0].revents == 0 || ::read(taken, &signal, sizeof signal) < 0) continue;
    if (stops) {
      remove_unfinished_files();
      std::_Exit(interrupted);
    }
    stops = true;
    on_stop_();
  }
  ::close(taken);
}

}  // namespace isolume
