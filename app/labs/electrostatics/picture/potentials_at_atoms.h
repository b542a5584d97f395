#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "app/labs/electrostatics/picture/picture_request.h"
#include "core/electrostatics/surfaces/residue_values.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::labs::electrostatics {

/// Potentials at the atoms of the newest map: the tables of residues and of atoms, and their files, share them, because
/// the reference solution without solvent takes as long as the map.
class PotentialsAtAtoms {
 public:
  using Values = std::shared_ptr<const std::vector<double>>;

  Values of(const PictureRequest& request, const std::shared_ptr<const grid::ScalarField>& field,
            const jobs::Progress& progress);

 private:
  std::timed_mutex computing_;
  std::weak_ptr<const grid::ScalarField> field_;
  science::PotentialUnit unit_{};
  double temperature_kelvin_ = 0;
  Values values_;
};

}  // namespace isolume::labs::electrostatics
