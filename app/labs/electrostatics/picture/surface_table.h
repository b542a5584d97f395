#pragma once

#include <filesystem>

#include "app/labs/electrostatics/picture/map_source.h"
#include "app/scene/fields/field_picture.h"

namespace isolume::labs::electrostatics {

/// The surface of a picture whose colours are of the field: a line for each vertex with x,y,z,potential,residue. Places in
/// angstrom; what the potential's unit is, and how far above the surface it was taken, stands in a comment above; cells of what
/// is not known are empty. Throws Error where no coloured surface is shown, and where it cannot be written; Cancelled.
void write_surface_table(const scene::FieldPicture& picture, const ChargedMolecule& molecule,
                         double sample_height, const std::filesystem::path& path,
                         const jobs::Progress& progress);

}  // namespace isolume::labs::electrostatics
