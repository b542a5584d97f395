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

Activity::Scope::Scope(Pointer activity) : before_(std::exchange(present(), std::move(activity))) {}

Activity::Scope::~Scope() {
  std::swap(present(), before_);
}

}  // namespace isolume::jobs
