#pragma once

#include "core/electrostatics/poisson_boltzmann/level.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// Boundary between solute and solvent.
enum class DielectricSurface {
  ses,     ///< solvent-excluded surface: the solute is the volume that a rolling probe cannot enter
  vdw,     ///< van der Waals: the atoms' spheres
  spline,  ///< cubic splines of the distance, smooth over a window around each sphere; Im, Beglov and Roux,
           ///< Comput. Phys. Commun. 111, 59 (1998)
};

/// Permittivity of a link cut by the surface (ses, vdw).
enum class DielectricInterface {
  harmonic,  ///< harmonic mean of both permittivities by the lengths of the two parts. The position of the cut
             ///< follows from the signed distances of the two points.
  sharp,     ///< permittivity at the midpoint of the link
};

/// A medium of two permittivities, with ions in the solvent.
struct Medium {
  DielectricSurface surface = DielectricSurface::ses;
  DielectricInterface interface = DielectricInterface::harmonic;
  double probe = 1.4;  ///< angstrom, for the solvent-excluded surface
  double solute = 2, solvent = 78.54;
  double kappa = 0;          ///< inverse Debye length, 1/angstrom
  double ion_radius = 2;     ///< angstrom: closest distance of ions to the spheres (Stern layer)
  double spline_half = 0.3;  ///< angstrom, on both sides of a sphere
};

/// kappa squared times the permittivity and the volume per point: the value of d in the ion-accessible volume.
double ion_strength_of(const Medium& medium, const grid::Grid& grid);

/// Computes in advance the surfaces that fill_medium takes from `surfaces`; it would otherwise do so itself. Same
/// requirements.
void find_surfaces(const Medium& medium, const structures::Charges& charges, SolventSurfaces& surfaces,
                   const grid::Grid& grid, const jobs::Progress& progress);

/// Fills links and d of the equation -div(permittivity grad u) + ions, integrated over the box of each point of a
/// grid in angstrom along x, y and z: a link is permittivity x cross-section / length.
///
/// The spline surface gives the permittivity at the midpoint of a link. Uses z of the level as scratch space, and
/// leaves it 0.
///
/// `surfaces`: cache of the charges' surfaces, which is used and updated.
///
/// Call from within a TBB arena; the result does not depend on the number of threads. Throws ResourceError,
/// Cancelled.
void fill_medium(const Medium& medium, const structures::Charges& charges, SolventSurfaces& surfaces,
                 const grid::Grid& grid, Level& level, const jobs::Progress& progress);

}  // namespace isolume::electrostatics
