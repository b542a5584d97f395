#pragma once

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

/// A vector at each point, its components in arrays of their own. A displacement u is in voxels of its grid; it stands
/// for the map h(x) = x + u(x), which moves an image by I(h(x)).
struct VectorField {
  Counts counts{};
  std::array<FieldValues, 3> components;

  VectorField() = default;
  /// The values are not set.
  explicit VectorField(const Counts& all) : counts(all) {
    for (auto& each : components) each.resize(point_count(all));
  }
  float* data(std::size_t axis) { return components[axis].data(); }
  const float* data(std::size_t axis) const { return components[axis].data(); }
};

/// A field of zeros: the identity as a displacement.
inline VectorField zero_field(const Counts& counts) {
  VectorField field;
  field.counts = counts;
  for (auto& each : field.components) each.assign(point_count(counts), 0.F);
  return field;
}

}  // namespace isolume::volumes
