#include "core/fields/source.h"

namespace isolume::fields {

const FieldSummary& summary_of(const MadeField& made) {
  auto& known = *made.summary;
  if (!known) {
    const bool both_signs = made.both_signs ? *made.both_signs : grid::value_range(*made.field).low < 0;
    known = summary_of(*made.field, both_signs, made.amplitude);
  }
  return *known;
}

}  // namespace isolume::fields
