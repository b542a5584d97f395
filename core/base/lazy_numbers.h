#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume {

/// Numbers in the memory of a device that no longer change. The interface lets libraries that do not know devices hold
/// them. Calls may come from any thread; to_host throws Error if the device no longer responds.
template <class T>
class DeviceNumbers {
 public:
  virtual ~DeviceNumbers() = default;
  virtual std::size_t size() const = 0;
  /// Copies all; `numbers` must have room for size().
  virtual void to_host(std::span<T> numbers) const = 0;
};

/// Numbers in host memory, or on a device until they are first read. The first read copies all of them to the host, once
/// for all copies of this object; it may throw what DeviceNumbers::to_host does. Changing a number makes a private copy
/// in host memory. Concurrent reads are safe, as for standard containers.
///
/// `Device` is a DeviceNumbers, often with more that can be asked of the device; `Host` is a std::vector.
template <class Device, class Host>
class LazyNumbers {
 public:
  using value_type = typename Host::value_type;
  using size_type = std::size_t;
  using iterator = value_type*;
  using const_iterator = const value_type*;

  LazyNumbers() = default;
  LazyNumbers(Host host)
      : host_(std::move(host)) {}  // whatever was computed on the host is meant to become this
  LazyNumbers(std::initializer_list<value_type> host) : host_(host) {}
  /// `otherwise` computes the same numbers again if the device loses them before the first read. `device` may be null.
  explicit LazyNumbers(std::shared_ptr<const Device> device, std::function<Host()> otherwise = {}) {
    if (device == nullptr) return;
    remote_ = std::make_shared<Remote>();
    remote_->device = std::move(device);
    remote_->otherwise = std::move(otherwise);
  }

  std::size_t size() const { return remote_ == nullptr ? host_.size() : remote_->device->size(); }
  bool empty() const { return size() == 0; }
  /// The device that holds the numbers; null: none.
  std::shared_ptr<const Device> device() const { return remote_ == nullptr ? nullptr : remote_->device; }
  /// Whether reading would copy all numbers from the device.
  bool on_device_only() const {
    return remote_ != nullptr && !remote_->fetched.load(std::memory_order_acquire);
  }

  const Host& host() const { return remote_ == nullptr ? host_ : fetched(); }
  Host& host() {
    if (remote_ != nullptr) detach();
    return host_;
  }
  operator const Host&() const { return host(); }

  const value_type* data() const { return host().data(); }
  value_type* data() { return host().data(); }
  const value_type* begin() const { return data(); }
  const value_type* end() const { return data() + size(); }
  value_type* begin() { return data(); }
  value_type* end() { return data() + size(); }
  const value_type& operator[](std::size_t at) const { return host()[at]; }
  value_type& operator[](std::size_t at) { return host()[at]; }
  const value_type& front() const { return host().front(); }
  const value_type& back() const { return host().back(); }

  void resize(std::size_t count, value_type value) { host().resize(count, value); }
  void resize(std::size_t count) { host().resize(count); }
  void assign(std::size_t count, value_type value) { *this = Host(count, value); }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    *this = Host(first, last);
  }
  void push_back(value_type value) { host().push_back(value); }

  friend bool operator==(const LazyNumbers& a, const LazyNumbers& b) { return a.host() == b.host(); }

 private:
  struct Remote {
    std::shared_ptr<const Device> device;
    std::function<Host()> otherwise;
    std::mutex mutex;
    std::atomic<bool> fetched = false;
    Host host;

    /// Whoever comes meanwhile waits. What failed is tried again.
    void fetch() {
      const std::lock_guard lock(mutex);
      if (fetched.load(std::memory_order_relaxed)) return;
      Host numbers(device->size());
      try {
        device->to_host(numbers);
      } catch (const Error& error) {
        if (!otherwise) throw;
        log::warning("A field is computed again, because a device lost it: {}", error.what());
        numbers = otherwise();
      }
      host = std::move(numbers);
      fetched.store(true, std::memory_order_release);
    }
  };
  const Host& fetched() const {
    if (on_device_only()) remote_->fetch();
    return remote_->host;
  }
  void detach() {
    host_ = fetched();
    remote_.reset();
  }

  Host host_;  ///< if `remote_` is null
  std::shared_ptr<Remote> remote_;
};

}  // namespace isolume
