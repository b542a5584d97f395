#include "core/fields/source.h"

#include "core/fields/numbers.h"

namespace isolume::fields {

const FieldSummary& summary_of(const MadeField& made) {
  auto& known = *made.summary;
  if (!known) {
    const bool both_signs = made.both_signs ? *made.both_signs : grid::value_range(*made.field).low < 0;
    known = summary_of(*made.field, both_signs, made.amplitude);
  }
  return *known;
}

double computed_at(const FieldSource& source, const Eigen::Vector3d& place, grid::LengthUnit unit,
                   const jobs::Progress& progress) {
  const auto line = line_grid(place, place + Eigen::Vector3d::UnitX(), 2, unit);
  return *source.compute(line, progress).field->values.begin();
}

}  // namespace isolume::fields
