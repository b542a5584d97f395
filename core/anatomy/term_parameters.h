#pragma once

#include "core/parameters/schema.h"

namespace isolume::anatomy {

/// Parameters of what a registration compares besides values: surfaces and classes of tissue.
struct TermParameters {
  double surface_weight = 1;   ///< SurfaceTerm::weight
  double kernel_width_mm = 5;  ///< SurfaceTerm::width_mm
  int classes = 0;  ///< of each image, whose probabilities are compared in place of values; 0: values are

  bool operator==(const TermParameters&) const = default;
};
const parameters::Schema<TermParameters>& term_schema();

}  // namespace isolume::anatomy
