#include "core/nbody/forces/close_pairs.h"

#include <algorithm>
#include <cmath>

namespace isolume::nbody {
namespace {

/// Reach in units of half the group's width: at this distance the rounding of the coordinates, at most 2^-24 of that
/// width for both together, is 2e-6.
constexpr double reach_of_width = 1.0 / 32;
/// In the same units: for closer pairs, rounding may make the single-precision distance far too small, and the
/// contribution to subtract far too large.
constexpr double tight_of_width = 1.0 / 1024;

/// At smaller distances, in units of all bodies, the cube of a distance soon underflows in single precision.
constexpr double least_single = 1e-10;

/// Exerted by a mass of 1; nothing for a coincident body without softening.
struct PairPull {
  Eigen::Vector3d acceleration = {0, 0, 0};
  double potential = 0;
};
PairPull pair_pull(const Eigen::Vector3d& to, double softening, SofteningKind kind) {
  if (softening == 0 && to.isZero(0)) return {};
  if (kind == SofteningKind::spline && softening > 0) {
    const SoftenedPull by = spline_pull(to.squaredNorm(), softening);
    return {by.pull * to, by.potential};
  }
  const double squared = to.squaredNorm() + softening * softening;
  // Squares of distances below 1e-154 underflow, and bodies that differ would count as coincident.
  const double inverse = 1 / (squared > 1e-300 ? std::sqrt(squared) : std::hypot(to.stableNorm(), softening));
  return {inverse * inverse * (inverse * to), -inverse};
}

void add(double mass, const PairPull& pull, Targets& to, int target) {
  to.ax[target] += mass * pull.acceleration.x();
  to.ay[target] += mass * pull.acceleration.y();
  to.az[target] += mass * pull.acceleration.z();
  to.potential[target] += mass * pull.potential;
}

}  // namespace

double close_reach(const Eigen::AlignedBox3d& box, double softening) {
  const double reach = std::max(reach_of_width * box.sizes().maxCoeff() / 2, least_single);
  return softening < reach ? reach : 0;
}

ClosePairs::ClosePairs(const SortedBodies& bodies, const TargetGroup& group, std::size_t end,
                       double softening, SofteningKind kind)
    : bodies_(bodies),
      reach_(close_reach(group.box, softening)),
      tight_(std::max(tight_of_width * group.box.sizes().maxCoeff() / 2, least_single)),
      softening_(softening * softening > 0 ? softening : 0),  // its square may underflow
      kind_(kind),
      around_(group.box) {
  if (softening >= tight_) tight_ = 0;
  if (reach_ == 0) return;
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(reach_);
  around_ = Eigen::AlignedBox3d(group.box.min() - margin, group.box.max() + margin);
  targets_.reserve(end - group.first);
  for (std::size_t i = group.first; i < end; ++i) targets_.push_back({bodies.points[i].x(), i});
  std::ranges::sort(targets_, {}, &Target::x);
}

void ClosePairs::take(const Eigen::Vector4d& point, PointSource& acting, std::size_t own) {
  const std::size_t before = pairs_.size();
  bool tight = false;
  auto next = std::ranges::lower_bound(targets_, point.x() - reach_, {}, &Target::x);
  for (; next != targets_.end() && next->x < point.x() + reach_; ++next) {
    const Eigen::Vector3d to = point.head<3>() - bodies_.points[next->number].head<3>();
    const double squared = to.squaredNorm();  // may underflow
    if (next->number == own || squared >= reach_ * reach_) continue;
    // Coincident bodies without softening exert no force.
    if (squared == 0 && softening_ == 0 && to.isZero(0)) continue;
    tight = tight || squared < tight_ * tight_;
    pairs_.push_back({next->number, point, acting});
  }
  if (!tight) return;
  pairs_.resize(before);
  take_exactly(point, acting, own);
}

void ClosePairs::correct(std::size_t first, Targets& targets) const {
  const auto count = static_cast<std::size_t>(targets.count);
  for (const auto& [target, point, acting] : pairs_) {
    if (target < first || target >= first + count) continue;
    const int i = static_cast<int>(target - first);
    const Eigen::Vector3d to = point.head<3>() - bodies_.place(target);
    const Eigen::Vector3d blurred = Eigen::Vector3d(acting.x, acting.y, acting.z) -
                                    Eigen::Vector3d(targets.x[i], targets.y[i], targets.z[i]);
    add(point.w(), pair_pull(to, softening_, kind_), targets, i);
    add(-point.w(), pair_pull(blurred, softening_, kind_), targets, i);
  }
  for (const auto& [point, begin, end] : exact_) {
    for (int i = 0; i < targets.count; ++i) {
      const std::size_t target = first + static_cast<std::size_t>(i);
      const double own = target >= begin && target < end ? bodies_.mass(target) : 0;
      if (point.w() == own) continue;
      add(point.w() - own, pair_pull(point.head<3>() - bodies_.place(target), softening_, kind_), targets, i);
    }
  }
}

}  // namespace isolume::nbody
