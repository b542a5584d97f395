#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>

#include "core/base/field_values.h"
#include "core/grid/device_field.h"

namespace isolume::grid {

/// The values of a field: in host memory, or on a device until they are first read. The first read copies all
/// of them to the host, once for all copies of this object; it may throw what DeviceField::to_host does.
/// Changing a value makes a private copy in host memory.
///
/// Concurrent reads are safe, as for standard containers.
class Values {
 public:
  using value_type = float;
  using size_type = std::size_t;
  using iterator = float*;
  using const_iterator = const float*;

  Values() = default;
  Values(FieldValues host) : host_(std::move(host)) {}  // a field's numbers are what an engine has computed
  Values(std::initializer_list<float> host) : host_(host) {}
  /// `otherwise` recomputes the same values if the device loses them before the first read.
  explicit Values(std::shared_ptr<const DeviceField> device, std::function<FieldValues()> otherwise = {});

  std::size_t size() const { return remote_ == nullptr ? host_.size() : remote_size(); }
  bool empty() const { return size() == 0; }
  /// The device that holds the values, and whether reading would copy them from there. Null: none.
  std::shared_ptr<const DeviceField> device() const;
  bool on_device_only() const;

  const FieldValues& host() const { return remote_ == nullptr ? host_ : fetched(); }
  FieldValues& host() {
    if (remote_ != nullptr) detach();
    return host_;
  }
  operator const FieldValues&() const { return host(); }

  const float* data() const { return host().data(); }
  float* data() { return host().data(); }
  const float* begin() const { return data(); }
  const float* end() const { return data() + size(); }
  float* begin() { return data(); }
  float* end() { return data() + size(); }
  float operator[](std::size_t at) const { return host()[at]; }
  float& operator[](std::size_t at) { return host()[at]; }
  float front() const { return host().front(); }
  float back() const { return host().back(); }

  void resize(std::size_t count, float value) { host().resize(count, value); }
  void resize(std::size_t count) { host().resize(count); }
  void assign(std::size_t count, float value) { *this = FieldValues(count, value); }
  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    *this = FieldValues(first, last);
  }
  void push_back(float value) { host().push_back(value); }

  friend bool operator==(const Values& a, const Values& b) { return a.host() == b.host(); }

 private:
  struct Remote;
  std::size_t remote_size() const;
  const FieldValues& fetched() const;
  void detach();

  FieldValues host_;  ///< if `remote_` is null
  std::shared_ptr<Remote> remote_;
};

}  // namespace isolume::grid
