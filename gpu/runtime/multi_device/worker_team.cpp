#include "gpu/runtime/multi_device/worker_team.h"

#include <utility>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gpu {
namespace {

/// Higher values take precedence; 0: no exception.
int weight_of(const std::exception_ptr& thrown) {
  if (thrown == nullptr) return 0;
  try {
    std::rethrow_exception(thrown);
  } catch (const Cancelled&) {
    return 1;
  } catch (const dispatch::DeviceLost&) {
    return 3;
  } catch (...) {
    return 2;
  }
}

}  // namespace

WorkerTeam::WorkerTeam(std::size_t workers) : thrown_(workers) {
  threads_.reserve(workers);
  for (std::size_t worker = 0; worker < workers; ++worker) {
    threads_.emplace_back([this, worker] { live(worker); });
  }
}

WorkerTeam::~WorkerTeam() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  told_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void WorkerTeam::live(std::size_t worker) {
  std::unique_lock lock(mutex_);
  for (std::uint64_t done = 0;;) {
    told_.wait(lock, [&] { return over_ || turn_ != done; });
    if (over_) return;
    done = turn_;
    const auto& work = *work_;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      work(worker);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_[worker] = std::move(thrown);
    if (--busy_ == 0) ended_.notify_all();
  }
}

void WorkerTeam::together(const std::function<void(std::size_t worker)>& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  busy_ = threads_.size();
  ++turn_;
  told_.notify_all();
  ended_.wait(lock, [&] { return busy_ == 0; });
  std::exception_ptr worst;
  for (auto& thrown : thrown_) {
    if (weight_of(thrown) > weight_of(worst)) worst = thrown;
    thrown = nullptr;
  }
  if (worst != nullptr) std::rethrow_exception(worst);
}

}  // namespace isolume::gpu
