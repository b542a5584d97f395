#include "core/dispatch/device_values.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace isolume::dispatch {

struct LazyValues::Remote {
  std::shared_ptr<const DeviceValues> device;
  std::mutex mutex = {};
  std::atomic<bool> fetched = false;
  std::vector<float> host = {};

  /// Whoever comes meanwhile waits. What failed is tried again.
  void fetch() {
    const std::lock_guard lock(mutex);
    if (fetched.load(std::memory_order_relaxed)) return;
    std::vector<float> values(device->size());
    device->to_host(values);
    host = std::move(values);
    fetched.store(true, std::memory_order_release);
  }
};

LazyValues::LazyValues(std::shared_ptr<const DeviceValues> device) {
  if (device == nullptr) return;
  remote_ = std::make_shared<Remote>();
  remote_->device = std::move(device);
}

std::size_t LazyValues::size() const {
  return remote_ == nullptr ? host_.size() : remote_->device->size();
}

std::shared_ptr<const DeviceValues> LazyValues::device() const {
  return remote_ == nullptr ? nullptr : remote_->device;
}

bool LazyValues::on_device_only() const {
  return remote_ != nullptr && !remote_->fetched.load(std::memory_order_acquire);
}

std::vector<float> LazyValues::at(std::span<const std::uint32_t> places) const {
  if (on_device_only()) return remote_->device->at(places);
  const std::vector<float>& all = host();
  std::vector<float> some;
  some.reserve(places.size());
  for (const std::uint32_t place : places) some.push_back(all[place]);
  return some;
}

const std::vector<float>& LazyValues::fetched() const {
  if (on_device_only()) remote_->fetch();
  return remote_->host;
}

}  // namespace isolume::dispatch
