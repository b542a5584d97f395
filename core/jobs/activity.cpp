#include "core/jobs/activity.h"

#include <utility>

namespace isolume::jobs {
namespace {

Activity::Pointer& present() {
  thread_local Activity::Pointer activity;
  return activity;
}

}  // namespace

Activity::~Activity() {
  if (ended_) ended_(std::move(outcome_));
}

void Activity::fail(const std::string& error) {
  const std::scoped_lock lock(mutex_);
  if (outcome_.error.empty()) outcome_.error = error;
}

void Activity::set_result(nlohmann::json result) {
  const std::scoped_lock lock(mutex_);
  outcome_.result = std::move(result);
}

const Activity::Pointer& Activity::current() {
  return present();
}

Activity::Pointer Activity::joined(Pointer older, Pointer newer) {
  if (!older || older == newer) return newer;
  if (!newer) return older;
  const bool told = older->told() && newer->told();
  return std::make_shared<Activity>(
      [older = std::move(older), newer = std::move(newer)](const Outcome& outcome) {
        if (!outcome.error.empty()) {
          older->fail(outcome.error);
          newer->fail(outcome.error);
        }
        if (!outcome.result.is_null()) newer->set_result(outcome.result);
      },
      told);
}

Activity::Scope::Scope(Pointer activity) : before_(std::exchange(present(), std::move(activity))) {}

Activity::Scope::~Scope() {
  std::swap(present(), before_);
}

}  // namespace isolume::jobs
