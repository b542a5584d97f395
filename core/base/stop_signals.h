#pragma once

#include <functional>
#include <thread>

#include <signal.h>

namespace isolume {

/// Takes Ctrl+C, kill, and the end of the terminal (SIGINT, SIGTERM, SIGHUP) as requests to stop: the first calls
/// `on_stop` on a thread of its own, the second ends the program at once, without leaving half-written files. What a
/// parent has had ignored (nohup) stays ignored. A file that grows beyond a limit (SIGXFSZ) becomes an error of its
/// writer. To be made first in main(): threads inherit what is blocked.
class StopSignals {
 public:
  explicit StopSignals(std::function<void()> on_stop);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  void watch() const;

  sigset_t signals_;
  std::function<void()> on_stop_;
  int end_;  ///< wakes the watcher for the last time
  std::thread watcher_;
};

}  // namespace isolume
