#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

/// Numbers of a field at places that people see: places are in the unit that scenes show
/// (`lattice::shown_unit`).
namespace isolume::fields {

/// By trilinear interpolation; nothing outside the box.
std::optional<double> value_at(const lattice::ScalarField& field, const Eigen::Vector3d& place);

/// At many places, three floats each; NaN outside the box, from which a place may be away by what floats round.
std::vector<float> values_at(const lattice::ScalarField& field, std::span<const float> places);

/// Where a ray first crosses field = isovalue or, for `both_signs`, field = -isovalue. Sheets that are nearer to each
/// other than half a step of the lattice may be missed.
std::optional<Eigen::Vector3d> first_on_isosurface(const lattice::ScalarField& field,
                                                   const Eigen::Vector3d& start,
                                                   const Eigen::Vector3d& direction, double isovalue,
                                                   bool both_signs);

/// Values along a straight line.
struct Profile {
  double length = 0;           ///< from the first place to the last
  std::vector<double> values;  ///< at equal steps, both ends included; NaN outside the box
};
Profile profile(const lattice::ScalarField& field, const Eigen::Vector3d& from, const Eigen::Vector3d& to,
                std::size_t count);

/// How many points have which value: equal bins from the lowest to the highest, which the last bin includes.
struct Histogram {
  double low = 0, high = 0;  ///< finite values, or their decimal logarithms
  bool logarithmic = false;
  std::vector<std::size_t> counts;
  std::size_t left_out =
      0;  ///< not finite; in a logarithmic one those below the highest by more than 1e8, too
};
/// Throws Cancelled.
Histogram histogram(const lattice::ScalarField& field, std::size_t bins, const jobs::Progress& progress = {});
/// For what falls off exponentially, as densities do: of the logarithms of the positive values. Throws
/// Cancelled.
Histogram logarithmic_histogram(const lattice::ScalarField& field, std::size_t bins,
                                const jobs::Progress& progress = {});

}  // namespace isolume::fields
