#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

namespace isolume::jobs {

/// The outcome of a command.
struct Outcome {
  nlohmann::json result;  ///< null if there is no result
  std::string error;      ///< one line for users; empty on success
};

/// All work started on behalf of one command, on whatever threads. Whoever hands work on (JobRunner, a queue
/// to another thread) stores the current activity with the work and makes it current while the work runs.
/// When the last holder releases it, everything has ended, and `ended` is called once, on that holder's
/// thread. The end is thus reported without polling.
class Activity {
 public:
  using Pointer = std::shared_ptr<Activity>;
  using Ended = std::function<void(Outcome)>;

  /// `told`: whether the activity's outcome is reported as a whole, so that its parts need not be reported.
  explicit Activity(Ended ended, bool told = true) : ended_(std::move(ended)), told_(told) {}
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  bool told() const { return told_; }
  /// The first error counts. Callable from any thread.
  void fail(const std::string& error);
  /// The last result counts. Callable from any thread.
  void set_result(nlohmann::json result);

  /// The current activity of this thread; null if nothing is done on behalf of a command.
  static const Pointer& current();
  /// One that stands for both, either of which may be null. They end after it, and with its error. A result is
  /// that of `newer`.
  static Pointer joined(Pointer older, Pointer newer);

  /// Makes an activity (or null) the current one of this thread for its lifetime.
  class Scope {
   public:
    explicit Scope(Pointer activity);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Pointer before_;
  };

 private:
  Ended ended_;
  bool told_;
  std::mutex mutex_;
  Outcome outcome_;
};

/// `action`, run on behalf of the present activity, which it holds until it is destroyed.
template <class Action>
auto on_behalf(Action action) {
  return [activity = Activity::current(), action = std::move(action)] {
    const Activity::Scope scope(activity);
    action();
  };
}

}  // namespace isolume::jobs
