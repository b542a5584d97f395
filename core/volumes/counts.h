#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/base/field_values.h"

namespace isolume::volumes {

/// Numbers of points along x, y and z. Volumes lie in memory with x fastest.
using Counts = std::array<int, 3>;

inline std::size_t point_count(const Counts& counts) {
  return static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]) *
         static_cast<std::size_t>(counts[2]);
}

/// Values of one component of a field. Arrays of millions of numbers begin at multiples of a large power of two, so that the
/// same point of several arrays has the same place in a cache, which holds but eight of them there: each component begins
/// some lines farther on.
class ComponentValues {
 public:
  ComponentValues() = default;
  /// The values are not set.
  ComponentValues(std::size_t count, std::size_t component)
      : offset_((component + 1) * 272), numbers_(offset_ + count) {}
  ComponentValues& operator=(const FieldValues& values) {
    numbers_.resize(offset_ + values.size());
    std::copy(values.begin(), values.end(), begin());
    return *this;
  }

  std::size_t size() const { return numbers_.size() - offset_; }
  float* data() { return numbers_.data() + offset_; }
  const float* data() const { return numbers_.data() + offset_; }
  float* begin() { return data(); }
  const float* begin() const { return data(); }
  float* end() { return data() + size(); }
  const float* end() const { return data() + size(); }
  float& operator[](std::size_t index) { return data()[index]; }
  const float& operator[](std::size_t index) const { return data()[index]; }
  bool operator==(const ComponentValues& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::size_t offset_ = 0;
  FieldValues numbers_;
};

/// A vector at each point, its components in arrays of their own. A displacement u is in voxels of its grid; it stands
/// for the map h(x) = x + u(x), which moves an image by I(h(x)).
struct VectorField {
  Counts counts{};
  std::array<ComponentValues, 3> components;

  VectorField() = default;
  /// The values are not set.
  explicit VectorField(const Counts& all) : counts(all) {
    for (std::size_t axis = 0; axis < 3; ++axis) components[axis] = ComponentValues(point_count(all), axis);
  }
  float* data(std::size_t axis) { return components[axis].data(); }
  const float* data(std::size_t axis) const { return components[axis].data(); }
};

/// A field of zeros: the identity as a displacement.
inline VectorField zero_field(const Counts& counts) {
  VectorField field(counts);
  for (auto& each : field.components) std::fill(each.begin(), each.end(), 0.F);
  return field;
}

}  // namespace isolume::volumes
