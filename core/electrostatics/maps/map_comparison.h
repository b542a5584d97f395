#pragma once

#include <cstddef>
#include <string>

#include <Eigen/Core>

#include "core/electrostatics/maps/map_file.h"
#include "core/electrostatics/sums/units.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Converts a potential to another unit; kT is that of the temperature in kelvin.
grid::ScalarField in_unit(grid::ScalarField field, PotentialUnit from, PotentialUnit to,
                          double temperature_kelvin);

/// Whether both have the same number of points, each no farther from the other's than a thousandth of a step.
bool have_same_points(const grid::Grid& one, const grid::Grid& other);

/// The field at another grid's points, by trilinear interpolation: NaN outside the field. Where the points
/// coincide, so do the values. Throws ResourceError, Cancelled.
grid::ScalarField resampled(const grid::ScalarField& field, const grid::Grid& onto,
                            const jobs::Progress& progress = {});

/// The first minus the other, on the same grid, with the name and unit of the first; NaN where either is. Throws
/// Error where the numbers of points differ.
grid::ScalarField difference_of(grid::ScalarField one, const grid::ScalarField& other);

/// Statistics of the difference between two fields on one grid, over points where both have a finite value.
struct MapComparison {
  std::size_t points = 0;    ///< of the grid
  std::size_t compared = 0;  ///< points where both are known; if it is 0, the other members are meaningless
  double rms = 0;            ///< of the difference, in the fields' unit
  double largest = 0;        ///< difference of the largest magnitude, with its sign
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< position of that, in angstrom
  double correlation = 0;                           ///< Pearson's; NaN where one of them is constant
};
/// `difference`: the first field minus `other`.
MapComparison compare(const grid::ScalarField& difference, const grid::ScalarField& other);

/// The part of a grid where a field has values, as a field of its own: a smaller box. Throws Error where there are
/// none, and where the known values do not fill a box, as with grids rotated against each other.
grid::ScalarField known_part(grid::ScalarField field);

}  // namespace isolume::electrostatics
