#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace isolume::dispatch {

/// Values in the memory of a device that no longer change, for libraries that do not know devices. Calls may
/// come from any thread; all but size() and readable() throw Error if the device no longer responds.
class DeviceValues {
 public:
  virtual ~DeviceValues() = default;
  virtual std::size_t size() const = 0;
  /// False once the device that holds the values is set aside: they are then lost.
  virtual bool readable() const = 0;
  /// Copies all values; `values` must have room for size().
  virtual void to_host(std::span<float> values) const = 0;
  /// The values at these indices, each below size(), in that order.
  virtual std::vector<float> at(std::span<const std::uint32_t> places) const = 0;
};

/// Values in host memory, or on a device until they are first read. The first read copies all of them to the
/// host, once for all copies of this object; it throws what DeviceValues::to_host does. Concurrent reads are
/// safe, as for standard containers.
class LazyValues {
 public:
  LazyValues() = default;
  LazyValues(std::vector<float> host) : host_(std::move(host)) {}  // values convert implicitly
  /// `device` may be null.
  explicit LazyValues(std::shared_ptr<const DeviceValues> device);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// The device that holds the values; null: none.
  std::shared_ptr<const DeviceValues> device() const;
  /// Whether reading all values would copy them from the device.
  bool on_device_only() const;
  bool readable() const { return !on_device_only() || device()->readable(); }

  /// Values at some indices, without copying all.
  std::vector<float> at(std::span<const std::uint32_t> places) const;
  const std::vector<float>& host() const { return remote_ == nullptr ? host_ : fetched(); }
  operator const std::vector<float>&() const { return host(); }
  const float& operator[](std::size_t place) const { return host()[place]; }

  friend bool operator==(const LazyValues& one, const LazyValues& other) {
    return one.host() == other.host();
  }

 private:
  struct Remote;
  const std::vector<float>& fetched() const;

  std::vector<float> host_;  ///< if `remote_` is null
  std::shared_ptr<Remote> remote_;
};

}  // namespace isolume::dispatch
