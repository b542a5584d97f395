#pragma once

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/options.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// What is shown as a molecule's surface.
enum class MolecularSurface {
  gaussian,  ///< that of molecular_density.h
  ses,       ///< solvent-excluded: what a rolling probe does not enter
  sas,       ///< solvent-accessible: where the probe's centre comes to
  vdw,       ///< the atoms' spheres
};

/// A field on a lattice, and where its isosurface is the molecule's surface; the field rises inwards.
struct SurfaceField {
  lattice::ScalarField field;
  double isovalue = 1;
  dispatch::Report report = {};  ///< who computed it; `who` is empty where the CPU did
};

/// Lattices lie along x, y and z. For ses, sas and vdw the field is the depth below the surface in angstrom plus the
/// isovalue, cut off two steps of the lattice beyond and below it. It is exact at the points. At a spacing of h, an
/// isosurface's vertices, on straight lines between them, lie within h^2 / (8 r) of a surface of curvature radius r (0.02
/// angstrom on a probe of 1.4 at 0.5), its triangles on the mean 0.2 h^2 / r inside of it; edges where spheres meet are
/// rounded off within a step.
///
/// The same on any number of threads. Throws ResourceError, Cancelled.
SurfaceField molecular_surface(const lattice::Lattice& lattice, const structures::Charges& charges,
                               MolecularSurface form, double probe_angstrom,
                               const jobs::Progress& progress = {});
/// With options.probe_angstrom, and Gaussians by options.engine of options.engines. `known`: what was found of these charges'
/// surfaces before is taken from there, and kept.
SurfaceField molecular_surface(const lattice::Lattice& lattice, const structures::Charges& charges,
                               MolecularSurface form, const PotentialOptions& options, SolventSurfaces& known,
                               const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
