#pragma once

#include <cstddef>
#include <string>

#include <Eigen/Core>

#include "core/electrostatics/map_file.h"
#include "core/electrostatics/units.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// Converts a potential to another unit; kT is that of the temperature in kelvin.
lattice::ScalarField in_unit(lattice::ScalarField field, PotentialUnit from, PotentialUnit to,
                             double temperature_kelvin);

/// Whether both have the same number of points, each no farther from the other's than a thousandth of a step.
bool have_same_points(const lattice::Lattice& one, const lattice::Lattice& other);

/// The field at another lattice's points, by trilinear interpolation: NaN outside the field. Where the points
/// coincide, so do the values. Throws ResourceError, Cancelled.
lattice::ScalarField resampled(const lattice::ScalarField& field, const lattice::Lattice& onto,
                               const jobs::Progress& progress = {});

/// The first minus the other, on the same lattice, with the name and unit of the first; NaN where either is. Throws
/// Error where the numbers of points differ.
lattice::ScalarField difference_of(lattice::ScalarField one, const lattice::ScalarField& other);

/// Statistics of the difference between two fields on one lattice, over points where both have a finite value.
struct MapComparison {
  std::size_t points = 0;    ///< of the lattice
  std::size_t compared = 0;  ///< points where both are known; if it is 0, the other members are meaningless
  double rms = 0;            ///< of the difference, in the fields' unit
  double largest = 0;        ///< difference of the largest magnitude, with its sign
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< position of that, in angstrom
  double correlation = 0;                           ///< Pearson's; NaN where one of them is constant
};
/// `difference`: the first field minus `other`.
MapComparison compare(const lattice::ScalarField& difference, const lattice::ScalarField& other);

/// The part of a lattice where a field has values, as a field of its own: a smaller box. Throws Error where there are
/// none, and where the known values do not fill a box, as with lattices rotated against each other.
lattice::ScalarField known_part(lattice::ScalarField field);

}  // namespace isolume::electrostatics
