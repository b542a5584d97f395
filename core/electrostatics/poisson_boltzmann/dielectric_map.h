#pragma once

#include "core/electrostatics/poisson_boltzmann/level.h"
#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// What parts the solute from the solvent.
enum class DielectricSurface {
  ses,     ///< the solvent-excluded surface: what a rolling probe does not enter is solute
  vdw,     ///< the atoms' spheres
  spline,  ///< cubic splines of the distance, smooth over a window around each sphere; Im, Beglov and Roux,
           ///< Comput. Phys. Commun. 111, 59 (1998)
};

/// What a link conducts that the surface (ses, vdw) cuts.
enum class DielectricInterface {
  harmonic,  ///< as its two parts in a row do: the harmonic mean by their lengths. Where it is cut follows from the
             ///< signed distances of its two points.
  sharp,  ///< as the medium does that its middle lies in
};

/// A medium of two permittivities, with ions in the solvent.
struct Medium {
  DielectricSurface surface = DielectricSurface::ses;
  DielectricInterface interface = DielectricInterface::harmonic;
  double probe = 1.4;  ///< angstrom, of the solvent-excluded surface
  double solute = 2, solvent = 78.54;
  double kappa = 0;          ///< inverse Debye length, 1/angstrom
  double ion_radius = 2;     ///< angstrom: ions come no nearer to the spheres than that (Stern layer)
  double spline_half = 0.3;  ///< angstrom, on both sides of a sphere
};

/// Square of kappa times the permittivity and the volume of a point: what d is where ions are.
double ion_strength_of(const Medium& medium, const lattice::Lattice& lattice);

/// Finds what fill_medium takes from `surfaces`, which it otherwise does itself. As it.
void find_surfaces(const Medium& medium, const structures::Charges& charges, SolventSurfaces& surfaces,
                   const lattice::Lattice& lattice, const jobs::Progress& progress);

/// Fills links and d of the equation -div(permittivity grad u) + ions, integrated over the box of each point of a
/// lattice in angstrom along x, y and z: a link is permittivity x cross-section / length.
///
/// The spline surface gives a permittivity in the middle of a link. Uses z of the level for its work, and leaves it 0.
///
/// What was found of the charges' surfaces before is taken from `surfaces`, and kept there.
///
/// Call from within a TBB arena; the same on any number of threads. Throws ResourceError, Cancelled.
void fill_medium(const Medium& medium, const structures::Charges& charges, SolventSurfaces& surfaces,
                 const lattice::Lattice& lattice, Level& level, const jobs::Progress& progress);

}  // namespace isolume::electrostatics
