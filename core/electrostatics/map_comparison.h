#pragma once

#include <cstddef>
#include <string>

#include <Eigen/Core>

#include "core/electrostatics/map_file.h"
#include "core/electrostatics/units.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// The same potential in another unit; kT is that of the temperature in kelvin.
lattice::ScalarField in_unit(lattice::ScalarField field, PotentialUnit from, PotentialUnit to,
                             double temperature_kelvin);

/// Both have as many points, each no farther from the other's than a thousandth of a step.
bool have_same_points(const lattice::Lattice& one, const lattice::Lattice& other);

/// The field at another lattice's points, by trilinear interpolation: NaN where that reaches beyond it. Where the points are
/// the same, so are the values. Throws ResourceError, Cancelled.
lattice::ScalarField resampled(const lattice::ScalarField& field, const lattice::Lattice& onto,
                               const jobs::Progress& progress = {});

/// One less the other on the same lattice, named and in the unit as the first one; NaN where either is. Throws Error where the
/// lattices differ in their counts.
lattice::ScalarField difference_of(lattice::ScalarField one, const lattice::ScalarField& other);

/// How far two fields on one lattice are from each other, at the points where both have a finite value.
struct MapComparison {
  std::size_t points = 0;    ///< of the lattice
  std::size_t compared = 0;  ///< where both are known; the rest tells nothing where it is 0
  double rms = 0;            ///< of the difference, in the fields' unit
  double largest = 0;        ///< the difference whose magnitude is largest, with its sign
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< of that, in angstrom
  double correlation = 0;                           ///< Pearson's; NaN where one of them does not vary
};
/// `difference`: one less `other`.
MapComparison compare(const lattice::ScalarField& difference, const lattice::ScalarField& other);

/// The part of a lattice where a field has values, as a field of its own: a smaller box. Throws Error where there are none, and
/// where what is known fills no box, as of lattices that are turned against each other.
lattice::ScalarField known_part(lattice::ScalarField field);

}  // namespace isolume::electrostatics
