#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/lazy_numbers.h"

namespace isolume::dispatch {

/// Values in the memory of a device, some of which can be asked for.
class DeviceValues : public DeviceNumbers<float> {
 public:
  /// False once the device that holds the values is set aside: they are then lost.
  virtual bool readable() const = 0;
  /// The values at these indices, each below size(), in that order.
  virtual std::vector<float> at(std::span<const std::uint32_t> places) const = 0;
};

/// Values in host memory, or on a device until they are first read.
class LazyValues : public LazyNumbers<DeviceValues, std::vector<float>> {
 public:
  using LazyNumbers::LazyNumbers;

  bool readable() const { return !on_device_only() || device()->readable(); }

  /// Values at some indices, without copying all.
  std::vector<float> at(std::span<const std::uint32_t> places) const {
    if (on_device_only()) return device()->at(places);
    std::vector<float> some;
    some.reserve(places.size());
    for (const std::uint32_t place : places) some.push_back((*this)[place]);
    return some;
  }
};

}  // namespace isolume::dispatch
