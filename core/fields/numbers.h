#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

/// Values of a field at positions in the unit that scenes show (`grid::shown_unit`).
namespace isolume::fields {

/// Trilinear interpolation; empty outside the box.
std::optional<double> value_at(const grid::ScalarField& field, const Eigen::Vector3d& place);

/// Significant digits, 1 to 4, to which interpolation supports the value there.
int digits_at(const grid::ScalarField& field, const Eigen::Vector3d& place);

/// Values at many positions, three floats each; NaN outside the box. A tolerance covers the rounding of
/// positions to floats.
std::vector<float> values_at(const grid::ScalarField& field, std::span<const float> places);

/// The first point where a ray crosses field = isovalue or, for `both_signs`, field = -isovalue. Two sheets
/// closer to each other than half a grid step may be missed.
std::optional<Eigen::Vector3d> first_on_isosurface(const grid::ScalarField& field,
                                                   const Eigen::Vector3d& start,
                                                   const Eigen::Vector3d& direction, double isovalue,
                                                   bool both_signs);

/// Values along a straight line.
struct Profile {
  double length = 0;           ///< from the first point to the last
  std::vector<double> values;  ///< at equal steps, both ends included; NaN outside the box
};
Profile profile(const grid::ScalarField& field, const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                std::size_t count);

/// The points of such a line as a grid in `unit`; its ends are in the unit that scenes show.
grid::Grid line_grid(const Eigen::Vector3d& from, const Eigen::Vector3d& to, std::size_t count,
                     grid::LengthUnit unit);

/// Counts of values in equal bins. The last bin includes `high`.
struct Histogram {
  double low = 0, high = 0;  ///< of values, or of their decimal logarithms
  bool logarithmic = false;
  std::vector<std::size_t> counts;
  /// Values that are not finite, those beyond `low` and `high`, and in a logarithmic histogram those below the
  /// highest by more than 1e8.
  std::size_t left_out = 0;
};
/// The bins span all finite values. If a few at the ends take more than half of that span, as those of
/// potentials near charges do, the bins span the central 99.8 % and the marks instead. Throws Cancelled.
Histogram histogram(const grid::ScalarField& field, std::size_t bins, const std::vector<double>& marks = {},
                    const jobs::Progress& progress = {});
/// Histogram of the logarithms of the positive values, for fields that fall off exponentially, as densities
/// do. Throws Cancelled.
Histogram logarithmic_histogram(const grid::ScalarField& field, std::size_t bins,
                                const jobs::Progress& progress = {});

}  // namespace isolume::fields
