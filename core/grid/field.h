#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "core/base/field_values.h"
#include "core/base/lazy_numbers.h"
#include "core/grid/device_field.h"
#include "core/grid/grid.h"

namespace isolume::grid {

/// The numbers of a field: in host memory, or on a device until they are first read.
template <class T>
using Numbers = LazyNumbers<std::conditional_t<std::is_same_v<T, float>, DeviceField, DeviceNumbers<T>>,
                            std::vector<T, UninitialisedAllocator<T>>>;

/// A number, or whatever `T` is, at each point of a grid. `values[i + nx*(j + ny*k)]`: the first axis runs fastest.
template <class T>
struct Field {
  Grid grid;
  Numbers<T> values;
  std::string name;  ///< for display: "HOMO (20)", "electron density"
  std::string unit;  ///< e.g. "bohr^-3/2" for an orbital, "e/bohr^3" for a density

  const T& at(int i, int j, int k) const {
    const auto& n = grid.dimensions;
    return values[static_cast<std::size_t>(i) +
                  static_cast<std::size_t>(n[0]) *
                      (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * k)];
  }
};

using Values = Numbers<float>;
using ScalarField = Field<float>;

}  // namespace isolume::grid
