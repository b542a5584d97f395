#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "app/labs/electrostatics/panels/row_table.h"
#include "app/labs/electrostatics/picture/patch_choices.h"
#include "app/labs/electrostatics/picture/picture_request.h"
#include "app/scene/props/line_set.h"

namespace isolume::labs::electrostatics {

/// The patches of a surface with their borders as lines above it.
struct SurfacePatchList {
  std::shared_ptr<const ChargedMolecule> molecule;
  std::vector<science::SurfacePatch> patches;
  std::vector<std::shared_ptr<const scene::LineSet>> borders;
};

/// Of the surface that the request names, sampled by science::sample_surface.
std::shared_ptr<const SurfacePatchList> surface_patch_list(std::shared_ptr<const ChargedMolecule> molecule,
                                                           const science::SurfaceSamples& samples,
                                                           const PatchChoices& choices);
/// The largest first. `unit`: of the potential, for people.
TableRows rows_of(std::shared_ptr<const SurfacePatchList> list, const QString& unit);

}  // namespace isolume::labs::electrostatics
