#include "core/nbody/close_pairs.h"

#include <algorithm>
#include <cmath>

namespace isolume::nbody {
namespace {

/// Of half the group's width: at this distance the coordinates' rounding, at most 2^-24 of that width for the two
/// together, is 2e-6.
constexpr double reach_of_width = 1.0 / 32;

/// By a mass of 1; where single precision takes a squared distance for 0, nothing.
struct PairPull {
  Eigen::Vector3d acceleration = {0, 0, 0};
  double potential = 0;
};
PairPull pair_pull(const Eigen::Vector3d& to, double softening_squared) {
  constexpr double counts_as_nothing = 1e-37;
  const double squared = to.squaredNorm() + softening_squared;
  if (squared < counts_as_nothing) return {};
  const double inverse = 1 / std::sqrt(squared);
  return {inverse * inverse * inverse * to, -inverse};
}

}  // namespace

ClosePairs::ClosePairs(const TargetGroup& group, double softening)
    : group_(group), reach_(reach_of_width * group.box.sizes().maxCoeff() / 2),
      softening_squared_(softening * softening), around_(group.box) {
  if (softening >= reach_) reach_ = 0;
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(reach_);
  around_ = Eigen::AlignedBox3d(group.box.min() - margin, group.box.max() + margin);
}

void ClosePairs::correct(const SortedBodies& bodies, std::size_t first, Targets& targets) {
  if (!possible()) return;
  const auto by_x = [](const Eigen::Vector4d& one, const Eigen::Vector4d& other) {
    return one.x() < other.x();
  };
  if (!sorted_) std::ranges::sort(sources_, by_x);
  sorted_ = true;
  for (int i = 0; i < targets.count; ++i) {
    const Eigen::Vector3d place = bodies.place(first + static_cast<std::size_t>(i));
    const Eigen::Vector3d blurred_place = group_.from_place(place).cast<double>();
    auto next = std::lower_bound(sources_.begin(), sources_.end(),
                                 Eigen::Vector4d(place.x() - reach_, 0, 0, 0), by_x);
    for (; next != sources_.end() && next->x() < place.x() + reach_; ++next) {
      const Eigen::Vector3d to = next->head<3>() - place;
      const double squared = to.squaredNorm();
      if (squared == 0 || squared >= reach_ * reach_) continue;
      const PointSource source = group_.source(*next);
      const PairPull exact = pair_pull(to, softening_squared_);
      const PairPull blurred =
          pair_pull(Eigen::Vector3d(source.x, source.y, source.z) - blurred_place, softening_squared_);
      const Eigen::Vector3d more = next->w() * (exact.acceleration - blurred.acceleration);
      targets.ax[i] += more.x();
      targets.ay[i] += more.y();
      targets.az[i] += more.z();
      targets.potential[i] += next->w() * (exact.potential - blurred.potential);
    }
  }
}

}  // namespace isolume::nbody
