#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/grid/field.h"
#include "core/grid/plane_grid.h"

namespace isolume::grid {

// Where the values are only on a device, value_range, median_on_faces, every, isovalue(s)_enclosing, fraction_enclosed
// and sample_plane are computed there; everything else copies the values to the host first.

/// Smallest and largest finite value; {0, 0} for a field without any.
Range value_range(const ScalarField& field);

/// The median of |value| on the grid's faces: a surface at a smaller magnitude lies mostly outside the
/// box. Returns 0 for a field without finite values there.
double median_on_faces(const ScalarField& field);

/// Sum of the values times the cell volume, accumulated in double; unit: field unit times the cube of the
/// grid's.
double integral(const ScalarField& field);

/// Integral of the product of two fields on the same grid. Throws Error when the grids differ.
double inner_product(const ScalarField& a, const ScalarField& b);

/// Trilinear interpolation at a position in the grid's unit; 0 outside the grid.
double interpolate(const ScalarField& field, const Eigen::Vector3d& place);
/// The same at fractional indices, which must lie within the grid.
double interpolate_at_index(const ScalarField& field, const Eigen::Vector3d& index);

/// The values number 0, stride, 2 * stride, ...
std::vector<float> every(const ScalarField& field, std::size_t stride);

/// Trilinear interpolation on a plane, rounded to float. Up to half a step beyond the box, which pixels of a
/// picture still cover, the values on its faces are returned; farther out, NaN.
std::vector<float> sample_plane(const ScalarField& field, const PlaneGrid& plane);

/// For the question "which isovalue encloses this fraction of the density": the threshold t such that the
/// points with d >= t hold `fraction` of the integral of d. `d` is |value| or, where `squared`, value^2 (an
/// orbital's density); the threshold is returned on the scale of |value|. `fraction` is clamped to (0, 1).
/// Returns 0 for a field that is zero everywhere.
double isovalue_enclosing(const ScalarField& field, double fraction, bool squared);
/// The same for several fractions, in one pass over the field.
std::vector<double> isovalues_enclosing(const ScalarField& field, std::span<const double> fractions,
                                        bool squared);

/// The inverse: the fraction of the integral of d held by points with |value| >= isovalue.
double fraction_enclosed(const ScalarField& field, double isovalue, bool squared);

}  // namespace isolume::grid
