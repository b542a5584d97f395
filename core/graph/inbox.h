#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace isolume::graph {

/// Actions that jobs post to the thread that owns this, where there is no event loop to do it.
class Inbox {
 public:
  /// Callable from any thread.
  void post(std::function<void()> action) {
    {
      const std::lock_guard guard(mutex_);
      actions_.push_back(std::move(action));
    }
    posted_.notify_one();
  }
  /// Runs what has been posted, in order.
  void run() {
    std::vector<std::function<void()>> actions;
    {
      const std::lock_guard guard(mutex_);
      actions.swap(actions_);
    }
    for (const auto& each : actions) each();
  }
  /// Waits until there is something to run.
  void wait() {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !actions_.empty(); });
  }

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<std::function<void()>> actions_;
};

}  // namespace isolume::graph
