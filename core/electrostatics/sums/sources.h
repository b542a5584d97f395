#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/sums/pair_potentials.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// Charges in angstrom for sums of potentials; zero charges are left out.
struct Sources {
  std::vector<double> x, y, z, charge;

  std::size_t size() const { return x.size(); }
  void add(const Eigen::Vector3d& place, double q) {
    x.push_back(place.x());
    y.push_back(place.y());
    z.push_back(place.z());
    charge.push_back(q);
  }
};

/// Sources for these terms: screened charges are multiplied by the factor that does not depend on the distance.
/// Throws Error for atoms whose radius is too many Debye lengths.
Sources sources_of(const structures::Charges& charges, const PairTerms& terms);

/// Sources sorted into cubes, to find those near a box. Without a cut-off there is one cube for all.
class Bins {
 public:
  Bins(const Sources& sources, double cutoff);

  const Sources& sorted() const { return sorted_; }

  const Eigen::Vector3d& low() const { return low_; }           ///< corner of the first cube
  double side() const { return side_; }                         ///< of a cube
  const std::array<int, 3>& counts() const { return counts_; }  ///< of cubes
  /// Where each cube begins in sorted(), x fastest, and where the last one ends.
  const std::vector<std::size_t>& starts() const { return starts_; }

  /// Calls `use(first, end)` with ranges of sorted() that contain all sources within `reach` of the box, and possibly
  /// others.
  template <class Use>
  void near(const Eigen::Vector3d& low, const Eigen::Vector3d& high, double reach, const Use& use) const {
    const auto [first_z, last_z] = bins_near(2, low, high, reach);
    for (int k = first_z; k <= last_z; ++k) {
      const double left = reach * reach - squared_gap(2, k, low, high);
      const auto [first_y, last_y] = bins_near(1, low, high, std::sqrt(std::max(left, 0.0)));
      for (int j = first_y; j <= last_y; ++j) {
        const double along = left - squared_gap(1, j, low, high);
        const auto [first_x, last_x] = bins_near(0, low, high, std::sqrt(std::max(along, 0.0)));
        if (first_x > last_x) continue;
        const std::size_t row =
            static_cast<std::size_t>(counts_[0]) * (static_cast<std::size_t>(k) * counts_[1] + j);
        use(starts_[row + first_x], starts_[row + last_x + 1]);
      }
    }
  }

 private:
  /// The first and the last along an axis; empty if the first is greater than the last.
  std::pair<int, int> bins_near(int axis, const Eigen::Vector3d& low, const Eigen::Vector3d& high,
                                double reach) const {
    const double most = counts_[static_cast<std::size_t>(axis)] - 1;
    const double first = std::floor((low[axis] - reach - low_[axis]) / side_);
    const double last = std::floor((high[axis] + reach - low_[axis]) / side_);
    if (last < 0 || first > most) return {0, -1};
    return {static_cast<int>(std::max(first, 0.0)), static_cast<int>(std::min(last, most))};
  }
  /// Squared distance from a layer of bins to the box.
  double squared_gap(int axis, int bin, const Eigen::Vector3d& low, const Eigen::Vector3d& high) const {
    const double from = low_[axis] + bin * side_, to = from + side_;
    const double gap = std::max({from - high[axis], low[axis] - to, 0.0});
    return gap * gap;
  }
  std::size_t bin_of(double x, double y, double z) const;
  void sort(const Sources& sources);

  Eigen::Vector3d low_;
  double side_ = 1e300;
  std::array<int, 3> counts_{1, 1, 1};
  std::vector<std::size_t> starts_;
  Sources sorted_;
};

}  // namespace isolume::electrostatics
