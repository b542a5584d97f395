#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace isolume::dispatch {

/// Numbers in the memory of a device that no longer change: seen from rooms that know no devices. Calls from any thread;
/// all but size() and readable() throw Error where the device does not answer any more.
class DeviceValues {
 public:
  virtual ~DeviceValues() = default;
  virtual std::size_t size() const = 0;
  /// False once the device that has them is set aside: nobody gets at them any more.
  virtual bool readable() const = 0;
  /// All of them; `values` has room for size().
  virtual void to_host(std::span<float> values) const = 0;
  /// Those at these places, each below size(), in that order.
  virtual std::vector<float> at(std::span<const std::uint32_t> places) const = 0;
};

/// Numbers in host memory, or on a device until somebody reads them here. The first reading copies all of them to the
/// host, once for all copies of this object; it throws what DeviceValues::to_host does. Reading is safe from several
/// threads, as of any container.
class LazyValues {
 public:
  LazyValues() = default;
  LazyValues(std::vector<float> host) : host_(std::move(host)) {}  // numbers are numbers
  /// Null: none.
  explicit LazyValues(std::shared_ptr<const DeviceValues> device);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  /// The device that has them. Null: none.
  std::shared_ptr<const DeviceValues> device() const;
  /// Whether reading all of them would copy them from there.
  bool on_device_only() const;
  bool readable() const { return !on_device_only() || device()->readable(); }

  /// Some of them, without copying all.
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

  std::vector<float> host_;  ///< where `remote_` is null
  std::shared_ptr<Remote> remote_;
};

}  // namespace isolume::dispatch
