#pragma once

#include <functional>
#include <thread>

#include <signal.h>

namespace isolume {

/// Handles Ctrl+C, kill, and the end of the terminal (SIGINT, SIGTERM, SIGHUP) as requests to stop. The first
/// calls `on_stop` on a separate thread, the second ends the program at once, without leaving half-written
/// files. Signals that the parent process ignores (nohup) stay ignored. A file that exceeds a size limit
/// (SIGXFSZ) becomes an error of its writer. Must be created first in main(): threads inherit the blocked
/// signals.
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
