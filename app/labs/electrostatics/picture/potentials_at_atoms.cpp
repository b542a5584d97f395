#include "app/labs/electrostatics/picture/potentials_at_atoms.h"

#include "core/jobs/exclusive.h"

namespace isolume::labs::electrostatics {

PotentialsAtAtoms::Values PotentialsAtAtoms::of(const PictureRequest& request,
                                                const std::shared_ptr<const grid::ScalarField>& field,
                                                const jobs::Progress& progress) {
  const auto alone = jobs::exclusive(computing_, progress);
  const bool is_known = values_ && field_.lock() == field && unit_ == request.how.unit &&
                        temperature_kelvin_ == request.how.temperature_kelvin;
  if (!is_known) {
    values_ = std::make_shared<const std::vector<double>>(
        science::potential_at_atoms(request.molecule->charges, *field, request.how, progress));
    field_ = field;
    unit_ = request.how.unit;
    temperature_kelvin_ = request.how.temperature_kelvin;
  }
  return values_;
}

}  // namespace isolume::labs::electrostatics
