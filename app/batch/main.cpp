#include <csignal>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <stop_token>
#include <thread>

#include <unistd.h>

#include "app/batch/batch.h"

namespace {

/// Turns Ctrl+C and kill into a request to stop; the second one ends the program at once. The signals are
/// blocked in all threads and taken here, because a signal handler may hardly do anything.
class StopOnSignal {
 public:
  StopOnSignal() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
    watcher_ = std::jthread([this](const std::stop_token& done) { watch(done); });
  }
  std::stop_token token() const { return source_.get_token(); }

 private:
  void watch(const std::stop_token& done) {
    constexpr timespec a_while{0, 50'000'000};
    while (!done.stop_requested()) {
      if (sigtimedwait(&signals_, nullptr, &a_while) < 0) continue;
      if (source_.stop_requested()) std::_Exit(130);
      source_.request_stop();
    }
  }

  sigset_t signals_;
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace

int main(int argc, char** argv) {
  const StopOnSignal signals;
  return isolume::batch::run(isolume::batch::labs(), {argv + 1, argv + argc}, std::cout, std::cerr,
                             isatty(STDERR_FILENO) != 0, signals.token());
}
