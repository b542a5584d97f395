#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

namespace isolume::jobs {

/// How something that was started has ended.
struct Outcome {
  nlohmann::json result;  ///< null where there is nothing to tell
  std::string error;      ///< one line for people; empty when all went well
};

/// All that was started on behalf of one command, on whatever threads. Whoever hands work on (JobRunner, a
/// queue to another thread) keeps the present activity with the work and makes it the present one while the
/// work runs; when the last holder lets go, everything has ended, and `ended` is called, once, on that
/// holder's thread. So the end is told, and nobody has to ask for it.
class Activity {
 public:
  using Pointer = std::shared_ptr<Activity>;
  using Ended = std::function<void(Outcome)>;

  /// `told`: whether somebody tells of it as a whole, so that what happens on its behalf need not be told.
  explicit Activity(Ended ended, bool told = true) : ended_(std::move(ended)), told_(told) {}
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  bool told() const { return told_; }
  /// The first error counts. Callable from any thread.
  void fail(const std::string& error);
  /// The last result counts. Callable from any thread.
  void set_result(nlohmann::json result);

  /// Of this thread; null when nothing is done on behalf of a command.
  static const Pointer& current();

  /// Makes an activity (or none: null) the present one of this thread while it lives.
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

/// `action`, run on behalf of the activity that is the present one now, which it holds until it is destroyed.
template <class Action>
auto on_behalf(Action action) {
  return [activity = Activity::current(), action = std::move(action)] {
    const Activity::Scope scope(activity);
    action();
  };
}

}  // namespace isolume::jobs
