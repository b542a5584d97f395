#include "core/fields/summary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/round_numbers.h"

namespace isolume::fields {

FieldSummary summary_of(const grid::ScalarField& field, bool both_signs, bool amplitude) {
  // From nearly the whole density to the last remains of the lobes. For a density without signs, surfaces
  // that enclose less lie within the atoms.
  const std::array fractions{0.999, both_signs ? 0.02 : 0.35};
  const auto range = grid::value_range(field);
  FieldSummary summary;
  summary.both_signs = both_signs;
  summary.largest = both_signs ? std::max(std::abs(range.low), std::abs(range.high)) : range.high;
  summary.on_faces = grid::median_on_faces(field);
  const auto ends = grid::isovalues_enclosing(field, fractions, amplitude);
  if (!(ends[0] > 0)) return summary;
  // Not rounded to 1, 2, 5, since the last remains of a lobe are near the field's maximum.
  const double digit = std::pow(10, std::floor(std::log10(ends[1])) - 1);
  summary.usual_isovalues = {rounded_down(ends[0]), digit * std::floor(ends[1] / digit)};
  return summary;
}

}  // namespace isolume::fields
