#pragma once

#include <string_view>

#include <Eigen/Core>

#include "core/electrostatics/molecular_surface.h"
#include "core/electrostatics/places.h"
#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {

/// A parallelogram, in angstrom.
struct PlanePatch {
  Eigen::Vector3d corner, u, v;  ///< the edges from the corner
};
/// Of nine numbers, those of the corner, u and v. Throws Error where they are others, or span no plane.
PlanePatch plane_patch_of(std::string_view text);
/// Points on all of it, along u first: along each edge equally spaced, no farther apart than that, both ends among them. Throws
/// ResourceError.
Places places_on(const PlanePatch& patch, double spacing_angstrom, const jobs::Progress& progress = {});

/// A molecular surface in angstrom, contoured on a lattice around the molecule (molecular_surface.h says how exact that is).
/// Throws Error where there is none, ResourceError, Cancelled.
surfaces::Mesh surface_mesh(const structures::Charges& charges, MolecularSurface form, double probe_angstrom,
                            double spacing_angstrom, const jobs::Progress& progress = {});
/// So far outside of each of the mesh's points, along its normal.
Places places_above(const surfaces::Mesh& mesh, double distance_angstrom,
                    const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
