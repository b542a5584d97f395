#pragma once

#include <cstdint>
#include <vector>

#include "core/electrostatics/molecular_surface.h"
#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {

/// A molecular surface as triangles, and for each of their corners what the potential is there, the area around it and the
/// atom that it belongs to.
struct SurfaceSamples {
  surfaces::Mesh mesh;             ///< in angstrom
  std::vector<float> potential;    ///< in the map's unit; NaN outside of the map
  std::vector<double> area;        ///< a third of each triangle at the corner, in square angstrom
  std::vector<std::int32_t> atom;  ///< whose sphere is nearest; NearestAtoms::none
};

/// `potential`: any map in angstrom along x, y and z. Throws ResourceError, Cancelled.
SurfaceSamples sample_surface(const structures::Charges& charges, const lattice::ScalarField& potential,
                              MolecularSurface form, double probe_angstrom,
                              const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
