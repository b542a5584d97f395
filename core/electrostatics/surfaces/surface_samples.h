#pragma once

#include <cstdint>
#include <vector>

#include "core/electrostatics/surfaces/molecular_surface.h"
#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {

/// The surface, and the height above it, along its normals, at which potentials are sampled.
struct SampledSurface {
  MolecularSurface form;
  double above_angstrom = 0;

  SampledSurface(MolecularSurface of, double above = 0) : form(of), above_angstrom(above) {}
};

/// A molecular surface as triangles, and for each vertex the potential there or above it, the area around it and the
/// atom that it belongs to.
struct SurfaceSamples {
  surfaces::Mesh mesh;             ///< in angstrom
  std::vector<float> potential;    ///< in the map's unit; NaN outside of the map
  std::vector<double> area;        ///< a third of each adjacent triangle, in square angstrom
  std::vector<std::int32_t> atom;  ///< the atom whose sphere is nearest, or NearestAtoms::none
};

/// `potential`: a map by `options`, in angstrom along x, y and z, read as BoundaryValues does. `known`: cache of the
/// surfaces of these charges, which is used and updated. Throws ResourceError, Cancelled.
SurfaceSamples sample_surface(const structures::Charges& charges, const grid::ScalarField& potential,
                              const SampledSurface& surface, const PotentialOptions& options,
                              SolventSurfaces& known, const jobs::Progress& progress = {});
/// `potential`: any map, which is interpolated trilinearly.
SurfaceSamples sample_surface(const structures::Charges& charges, const grid::ScalarField& potential,
                              const SampledSurface& surface, double probe_angstrom,
                              const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
