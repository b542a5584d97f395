#pragma once

#include "core/grid/scalar_field.h"

namespace isolume::fields {

/// Properties of a field's values that are needed before a surface is extracted.
struct FieldSummary {
  bool both_signs = false;  ///< the field has positive and negative parts
  double largest = 0;       ///< of |value|; for a field without negative values, of the values
  double on_faces = 0;      ///< the median of |value| on the box's faces
  struct {
    double low = 0, high = 0;
  } usual_isovalues;  ///< range from enclosing nearly all of the density to enclosing almost none
};
/// `amplitude`: the density is the field's square.
FieldSummary summary_of(const grid::ScalarField& field, bool both_signs, bool amplitude);

}  // namespace isolume::fields
