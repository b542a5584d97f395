#include <algorithm>
#include <array>
#include <bit>

#include "gpu/orbitals/pointwise/pointwise_plan.h"

namespace isolume::gpu {
namespace {

/// Operations of add_shell for one point (pointwise_kernels.cu).
double shell_flop(int l, int columns) {
  double monomials = 0;
  if (columns <= 2) {
    for (int degree = 1; degree <= l; ++degree) monomials += 3 * degree + 2;
    return std::max(l - 1, 0) + columns * (monomials + 2);
  }
  for (int degree = 1; degree <= l; ++degree) monomials += monomial_count(degree);
  return monomials + 2.0 * columns * monomial_count(l);
}

/// Operations for one point and pass whose range exceeds `square`, the squared distance of each centre.
class FlopCount {
 public:
  explicit FlopCount(const PointwisePlan& plan) : plan_(plan), layout_(plan.shells.layout) {
    for (int c = 0; c < layout_.centre_count; ++c) add_centre(c);
  }

  /// Everything.
  double unscreened() const {
    double sum = pass_flop();
    for (const auto& centre : centres_) {
      sum += place_flop();
      for (const auto& group : centre.groups)
        sum += group.shell_flop + group.flop_per_primitive * group.count;
    }
    return sum;
  }
  /// Operations of the range-limited kernel for the points of a box (`low`, `high` in bohr, absolute).
  template <class LeastSquare>
  double screened(const LeastSquare& least_square) const {
    double sum = pass_flop();
    for (const auto& centre : centres_) {
      const double square = least_square(centre.n, centre.r);
      if (square > centre.radius_square) continue;
      sum += place_flop();
      for (const auto& group : centre.groups) {
        const auto reaching = std::ranges::find_if(group.radii, [&](float each) { return square > each; }) -
                              group.radii.begin();
        if (reaching > 0) sum += group.shell_flop + group.flop_per_primitive * static_cast<double>(reaching);
      }
    }
    return sum;
  }

 private:
  struct Group {
    int count = 0;
    double flop_per_primitive = 0;
    double shell_flop = 0;
    std::vector<float> radii;
  };
  struct Centre {
    Eigen::Vector3d n, r;
    float radius_square = 0;
    std::vector<Group> groups;
  };

  const Word& word(int at) const { return plan_.shells.words[at]; }

  void add_centre(int c) {
    const Word& n = word(2 * c);
    const Word& r = word(2 * c + 1);
    Centre centre{{n.x, n.y, n.z}, {r.x, r.y, r.z}, n.w, {}};
    const int groups = std::bit_cast<int>(r.w);
    for (int g = groups >> 4; g < (groups >> 4) + (groups & 15); ++g) {
      centre.groups.push_back(group(word(layout_.first_group + g)));
    }
    centres_.push_back(std::move(centre));
  }

  Group group(const Word& packed) const {
    Group made;
    made.count = std::bit_cast<int>(packed.y) >> 12;
    made.flop_per_primitive = 2;
    for (int shells = std::bit_cast<int>(packed.y) & 0xfff; shells != 0; shells >>= 4) {
      made.flop_per_primitive += 2;
      made.shell_flop += shell_flop((shells & 15) - 1, layout_.columns_per_pass);
    }
    if (plan_.kind == KernelKind::range_limited) {
      const auto* radii = reinterpret_cast<const float*>(plan_.shells.words.data() + layout_.first_radius) +
                          std::bit_cast<int>(packed.w);
      made.radii.assign(radii, radii + made.count);
    }
    return made;
  }

  double place_flop() const {
    switch (plan_.points.kind) {
      case PlaceKind::aligned_grid:
        return 3 * 3 + 5;
      case PlaceKind::grid:
        return 3 * 7 + 5;
      default:
        return 3 * 3 + 5;
    }
  }
  double pass_flop() const { return plan_.density ? 3.0 * layout_.columns_per_pass : 0; }

  const PointwisePlan& plan_;
  const PackedLayout& layout_;
  std::vector<Centre> centres_;
};

/// Bricks of a slab, and the distance of each to a centre: on the host, in double precision.
class Bricks {
 public:
  Bricks(const PointwisePlan& plan, Slab slab) : plan_(plan), points_(plan.points), slab_(slab) {
    const int columns = plan.shells.layout.columns_per_pass;
    if (points_.kind == PlaceKind::scattered) {
      width_ = {points_per_block(columns), 1, 1};
      size_ = {static_cast<int>(points_.place_stride), 1, 1};
    } else {
      width_ = {brick_width_x, brick_width_y, brick_planes(columns)};
      size_ = {points_.nx, points_.ny, points_.nz};
    }
    const int slabbed = points_.kind == PlaceKind::scattered ? 0 : 2;
    for (int axis = 0; axis < 3; ++axis) {
      first_[axis] = axis == slabbed ? slab_.first / width_[axis] : 0;
      const int end = axis == slabbed ? slab_.first + slab_.count : size_[axis];
      count_[axis] = (end + width_[axis] - 1) / width_[axis] - first_[axis];
    }
  }
  long long count() const { return static_cast<long long>(count_[0]) * count_[1] * count_[2]; }

  /// Calls `visit(points, least_square)` for a brick: the slab's points in it, and the function for
  /// FlopCount::screened.
  template <class Visit>
  void visit(long long number, const Visit& visit) const {
    const std::array<int, 3> brick{
        first_[0] + static_cast<int>(number % count_[0]),
        first_[1] + static_cast<int>(number / count_[0] % count_[1]),
        first_[2] + static_cast<int>(number / (static_cast<long long>(count_[0]) * count_[1]))};
    const int slabbed = points_.kind == PlaceKind::scattered ? 0 : 2;
    double inside = 1;
    Eigen::Vector3d middle, half;
    for (int axis = 0; axis < 3; ++axis) {
      const int low = brick[axis] * width_[axis];
      const int end = std::min(low + width_[axis], size_[axis]);
      middle[axis] = 0.5 * (low + end - 1);
      half[axis] = 0.5 * (end - 1 - low);
      inside *=
          axis == slabbed ? std::min(end, slab_.first + slab_.count) - std::max(low, slab_.first) : end - low;
    }
    if (points_.kind == PlaceKind::scattered) {
      const Eigen::Map<const Eigen::Matrix3f> box(plan_.boxes.data() +
                                                  9 * static_cast<std::size_t>(brick[0]));
      const Eigen::Matrix3d stored = box.cast<double>();
      visit(inside, [&](const Eigen::Vector3d& n, const Eigen::Vector3d& r) {
        return gap(stored.col(0) - n + (stored.col(1) - r), stored.col(2));
      });
    } else {
      const Eigen::Matrix3d step = Eigen::Map<const Eigen::Matrix3f>(points_.step).cast<double>();
      const Eigen::Vector3d around = step.cwiseAbs() * half;
      visit(inside, [&](const Eigen::Vector3d& n, const Eigen::Vector3d& r) {
        return gap(step * (middle - n) + r, around);
      });
    }
  }

 private:
  static double gap(const Eigen::Vector3d& middle, const Eigen::Vector3d& half) {
    return (middle.cwiseAbs() - half).cwiseMax(0.0).squaredNorm();
  }

  const PointwisePlan& plan_;
  const PointSet& points_;
  Slab slab_;
  std::array<int, 3> width_{}, size_{}, first_{}, count_{};
};

/// Maximum number of bricks that are sampled to count operations, evenly spread.
constexpr long long most_sampled_bricks = 512;

double screened_flop(const PointwisePlan& plan, Slab slab) {
  const FlopCount count(plan);
  const Bricks bricks(plan, slab);
  const long long samples = std::min(bricks.count(), most_sampled_bricks);
  double points = 0;
  double flop = 0;
  for (long long s = 0; s < samples; ++s) {
    bricks.visit((2 * s + 1) * bricks.count() / (2 * samples), [&](double inside, const auto& least_square) {
      points += inside;
      flop += inside * count.screened(least_square);
    });
  }
  return flop / points * static_cast<double>(plan.slab_points(slab.count));
}

}  // namespace

double pointwise_flop(const PointwisePlan& plan, Slab slab) {
  const auto points = static_cast<double>(plan.slab_points(slab.count));
  if (points == 0) return 0;
  const int passes = plan.shells.layout.pass_count;
  if (plan.kind == KernelKind::range_limited) return passes * screened_flop(plan, slab);
  return passes * points * FlopCount(plan).unscreened();
}

}  // namespace isolume::gpu
