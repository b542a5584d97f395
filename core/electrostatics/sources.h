#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/pair_potentials.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// Charges in angstrom by which potentials are summed, those of 0 left out.
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

/// Those that act by these terms: screened charges are multiplied by what does not depend on the distance. Throws Error for
/// atoms whose radius is too many Debye lengths.
Sources sources_of(const structures::Charges& charges, const PairTerms& terms);

/// Sources by cubes, so that those near a box are found. Without a cut-off there is one cube for all.
class Bins {
 public:
  Bins(const Sources& sources, double cutoff);

  const Sources& sorted() const { return sorted_; }

  /// Calls `use(first, end)` with runs of sorted() that hold all sources within `reach` of the box, and others.
  template <class Use>
  void near(const Eigen::Vector3d& low, const Eigen::Vector3d& high, double reach, const Use& use) const {
    std::array<int, 3> from{}, to{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      const double most = counts_[a] - 1;
      const double first = std::floor((low[axis] - reach - low_[axis]) / side_);
      const double last = std::floor((high[axis] + reach - low_[axis]) / side_);
      if (last < 0 || first > most) return;
      from[a] = static_cast<int>(std::max(first, 0.0));
      to[a] = static_cast<int>(std::min(last, most));
    }
    for (int k = from[2]; k <= to[2]; ++k) {
      for (int j = from[1]; j <= to[1]; ++j) {
        const std::size_t row =
            static_cast<std::size_t>(counts_[0]) * (static_cast<std::size_t>(k) * counts_[1] + j);
        use(starts_[row + from[0]], starts_[row + to[0] + 1]);
      }
    }
  }

 private:
  std::size_t bin_of(double x, double y, double z) const;
  void sort(const Sources& sources);

  Eigen::Vector3d low_;
  double side_ = 1e300;
  std::array<int, 3> counts_{1, 1, 1};
  std::vector<std::size_t> starts_;
  Sources sorted_;
};

}  // namespace isolume::electrostatics
