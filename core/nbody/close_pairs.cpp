#include "core/nbody/close_pairs.h"

#include <algorithm>
#include <cmath>

namespace isolume::nbody {
namespace {

/// Of half the group's width: at this distance the coordinates' rounding, at most 2^-24 of that width for the two
/// together, is 2e-6.
constexpr double reach_of_width = 1.0 / 32;
/// The same: nearer pairs may be taken for far nearer ones, of which too much would have to be taken away.
constexpr double tight_of_width = 1.0 / 1024;

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

void add(double mass, const PairPull& pull, Targets& to, int target) {
  to.ax[target] += mass * pull.acceleration.x();
  to.ay[target] += mass * pull.acceleration.y();
  to.az[target] += mass * pull.acceleration.z();
  to.potential[target] += mass * pull.potential;
}

}  // namespace

ClosePairs::ClosePairs(const SortedBodies& bodies, const TargetGroup& group, std::size_t end,
                       double softening)
    : reach_(reach_of_width * group.box.sizes().maxCoeff() / 2),
      tight_(tight_of_width * group.box.sizes().maxCoeff() / 2),
      softening_squared_(softening * softening),
      around_(group.box) {
  if (softening >= reach_) reach_ = 0;
  if (softening >= tight_) tight_ = 0;
  const Eigen::Vector3d margin = Eigen::Vector3d::Constant(reach_);
  around_ = Eigen::AlignedBox3d(group.box.min() - margin, group.box.max() + margin);
  if (tight_ == 0) return;
  for (std::size_t i = group.first; i < end; ++i) targets_.push_back(bodies.place(i));
  std::ranges::sort(targets_, {}, [](const Eigen::Vector3d& place) { return place.x(); });
}

bool ClosePairs::is_tight(const Eigen::Vector4d& point) const {
  const Eigen::Vector3d place = point.head<3>();
  auto next = std::ranges::lower_bound(targets_, place.x() - tight_, {},
                                       [](const Eigen::Vector3d& each) { return each.x(); });
  for (; next != targets_.end() && next->x() < place.x() + tight_; ++next) {
    const double squared = (*next - place).squaredNorm();
    if (squared > 0 && squared < tight_ * tight_) return true;
  }
  return false;
}

void ClosePairs::take(const Eigen::Vector4d& point, PointSource& acting) {
  if (is_tight(point)) {
    exact_.push_back(point);
    acting.mass = 0;
  } else {
    sources_.push_back({point, acting});
  }
}

void ClosePairs::correct(const SortedBodies& bodies, std::size_t first, Targets& targets) {
  const auto x_of = [](const Source& source) { return source.point.x(); };
  if (!sorted_) std::ranges::sort(sources_, {}, x_of);
  sorted_ = true;
  for (int i = 0; i < targets.count; ++i) {
    const Eigen::Vector3d place = bodies.place(first + static_cast<std::size_t>(i));
    const Eigen::Vector3d blurred_place(targets.x[i], targets.y[i], targets.z[i]);
    auto next = std::ranges::lower_bound(sources_, place.x() - reach_, {}, x_of);
    for (; next != sources_.end() && x_of(*next) < place.x() + reach_; ++next) {
      const Eigen::Vector3d to = next->point.head<3>() - place;
      const double squared = to.squaredNorm();
      if (squared == 0 || squared >= reach_ * reach_) continue;
      const PointSource& acting = next->acting;
      const Eigen::Vector3d blurred = Eigen::Vector3d(acting.x, acting.y, acting.z) - blurred_place;
      add(next->point.w(), pair_pull(to, softening_squared_), targets, i);
      add(-next->point.w(), pair_pull(blurred, softening_squared_), targets, i);
    }
    for (const Eigen::Vector4d& source : exact_)
      add(source.w(), pair_pull(source.head<3>() - place, softening_squared_), targets, i);
  }
}

}  // namespace isolume::nbody
