#pragma once

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/sums/options.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// Definition of a molecule's surface.
enum class MolecularSurface {
  gaussian,  ///< isosurface of molecular_density.h
  ses,       ///< solvent-excluded: boundary of the volume that a rolling probe cannot enter
  sas,       ///< solvent-accessible: traced by the centre of the probe
  vdw,       ///< van der Waals: the atoms' spheres
};

/// A field on a grid, and the isovalue that gives the molecule's surface; the field increases inwards.
struct SurfaceField {
  grid::ScalarField field;
  double isovalue = 1;
  dispatch::Report report = {};  ///< of the computation; `who` is empty if it was the CPU
};

/// Grids lie along x, y and z. For ses, sas and vdw the field is the depth below the surface in angstrom plus the
/// isovalue, clamped two grid steps above and below it. It is exact at the grid points. At a spacing of h, an
/// isosurface's vertices, interpolated linearly, lie within h^2 / (8 r) of a surface with radius of curvature r (0.02
/// angstrom on a probe of 1.4 at 0.5), its triangles on average 0.2 h^2 / r inside of it; edges where spheres meet
/// are rounded off within a step.
///
/// The result does not depend on the number of threads. Throws ResourceError, Cancelled.
SurfaceField molecular_surface(const grid::Grid& grid, const structures::Charges& charges,
                               MolecularSurface form, double probe_angstrom,
                               const jobs::Progress& progress = {});
/// Uses options.probe_angstrom, and computes Gaussians by options.engine of options.engines. `known`: cache of the
/// surfaces of these charges, which is used and updated.
SurfaceField molecular_surface(const grid::Grid& grid, const structures::Charges& charges,
                               MolecularSurface form, const PotentialOptions& options, SolventSurfaces& known,
                               const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
