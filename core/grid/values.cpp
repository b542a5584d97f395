#include "core/grid/values.h"

#include <atomic>
#include <mutex>

#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::grid {

struct Values::Remote {
  std::shared_ptr<const DeviceField> device;
  std::function<FieldValues()> otherwise;
  std::mutex mutex;
  std::atomic<bool> fetched = false;
  FieldValues host;

  /// Whoever comes meanwhile waits. What failed is tried again.
  void fetch() {
    const std::lock_guard lock(mutex);
    if (fetched.load(std::memory_order_relaxed)) return;
    FieldValues values(device->size());
    try {
      device->to_host(values);
    } catch (const Error& error) {
      if (!otherwise) throw;
      log::warning("A field is computed again, because a device lost it: {}", error.what());
      values = otherwise();
    }
    host = std::move(values);
    fetched.store(true, std::memory_order_release);
  }
};

Values::Values(std::shared_ptr<const DeviceField> device, std::function<FieldValues()> otherwise)
    : remote_(std::make_shared<Remote>()) {
  remote_->device = std::move(device);
  remote_->otherwise = std::move(otherwise);
}

std::shared_ptr<const DeviceField> Values::device() const {
  return remote_ == nullptr ? nullptr : remote_->device;
}

bool Values::on_device_only() const {
  return remote_ != nullptr && !remote_->fetched.load(std::memory_order_acquire);
}

std::size_t Values::remote_size() const {
  return remote_->device->size();
}

const FieldValues& Values::fetched() const {
  if (on_device_only()) remote_->fetch();
  return remote_->host;
}

void Values::detach() {
  host_ = fetched();
  remote_.reset();
}

}  // namespace isolume::grid
