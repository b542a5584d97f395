#pragma once

#include <memory>

#include "app/labs/electrostatics/first_choices.h"
#include "app/labs/electrostatics/map_source.h"
#include "app/labs/electrostatics/map_view.h"
#include "app/scene/field_picture.h"

namespace isolume::labs::electrostatics {

/// All that a picture depends on.
struct PictureRequest {
  std::shared_ptr<const ChargedMolecule> molecule;
  science::PotentialOptions how = usual_options();
  MapLattice where;
  MapView view;
};

/// What the surfaces are of where they are not of the potential itself; null where they are, or nothing is shown.
std::shared_ptr<const fields::FieldSource> shape_of(const PictureRequest& request);

/// At full resolution, on the caller's thread. Throws as FieldSource::compute.
scene::FieldPicture compute_picture(const PictureRequest& request, const jobs::Progress& progress);

}  // namespace isolume::labs::electrostatics
