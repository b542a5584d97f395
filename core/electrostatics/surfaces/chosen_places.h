#pragma once

#include <string_view>

#include <Eigen/Core>

#include "core/electrostatics/sums/places.h"
#include "core/electrostatics/surfaces/molecular_surface.h"
#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {

/// A parallelogram, in angstrom.
struct PlanePatch {
  Eigen::Vector3d corner, u, v;  ///< the edges from the corner
};
/// Parses nine numbers: the corner, u and v. Throws Error if there are not nine, or they do not span a plane.
PlanePatch plane_patch_of(std::string_view text);
/// Points all over it, along u first: equally spaced along each edge, no farther apart than the spacing, including
/// both ends. Throws ResourceError.
Places places_on(const PlanePatch& patch, double spacing_angstrom, const jobs::Progress& progress = {});

/// A molecular surface in angstrom, contoured on a grid around the molecule (for its accuracy, see
/// molecular_surface.h). Throws Error where there is none, ResourceError, Cancelled.
surfaces::Mesh surface_mesh(const structures::Charges& charges, MolecularSurface form, double probe_angstrom,
                            double spacing_angstrom, const jobs::Progress& progress = {});
/// Points at this distance from each of the mesh's vertices, along the outward normal.
Places places_above(const surfaces::Mesh& mesh, double distance_angstrom,
                    const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
