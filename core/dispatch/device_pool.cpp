#include <algorithm>

#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {

void Device::set_aside(std::string why) const {
  const std::scoped_lock lock(mutex_);
  set_aside_because_ = std::move(why);
}

std::string Device::set_aside_because() const {
  const std::scoped_lock lock(mutex_);
  return set_aside_because_;
}

DevicePool::DevicePool(std::vector<std::unique_ptr<Device>> devices, std::string why_no_gpu)
    : devices_(std::move(devices)), why_no_gpu_(std::move(why_no_gpu)) {
  for (const auto& device : devices_) pointers_.push_back(device.get());
}

void DevicePool::record(Report report) {
  std::vector<std::shared_ptr<std::function<void()>>> callbacks;
  {
    const std::scoped_lock lock(mutex_);
    last_ = std::make_shared<const Report>(std::move(report));
    std::erase_if(callbacks_, [](const auto& callback) { return callback.expired(); });
    for (const auto& callback : callbacks_) callbacks.push_back(callback.lock());
  }
  for (const auto& callback : callbacks) {
    if (callback) (*callback)();
  }
}

std::shared_ptr<const Report> DevicePool::last_report() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

std::shared_ptr<void> DevicePool::on_record(std::function<void()> callback) {
  auto kept = std::make_shared<std::function<void()>>(std::move(callback));
  const std::scoped_lock lock(mutex_);
  callbacks_.push_back(kept);
  return kept;
}

void DevicePool::set_note(const std::string& topic, const std::string& text) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::ranges::find(notes_, topic, &std::pair<std::string, std::string>::first);
  if (found != notes_.end()) {
    found->second = text;
  } else {
    notes_.emplace_back(topic, text);
  }
}

std::vector<std::pair<std::string, std::string>> DevicePool::notes() const {
  const std::scoped_lock lock(mutex_);
  return notes_;
}

}  // namespace isolume::dispatch
