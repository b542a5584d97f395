#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/orbitals/constant_memory.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/packed_shells.h"
#include "gpu/orbitals/pointwise_kernels.h"
#include "gpu/runtime/buffer.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

/// What the job and its copies on devices share.
struct Plan {
  KernelKind kind = KernelKind::cached;
  PackedShells shells;
  PointSet points;            ///< without slab and addresses
  std::vector<float> places;  ///< of scattered points: PointSet::places
  std::vector<float> boxes;   ///< PointSet::boxes
  int columns = 0;
  bool density = false;
  int passes_per_launch = 0;  ///< constant: as many as fit
  std::uint64_t content = 0;  ///< constant: names the first launch's words; the others follow

  std::size_t slab_points(int count) const {
    if (points.kind == PlaceKind::scattered) return static_cast<std::size_t>(count);
    return static_cast<std::size_t>(points.nx) * points.ny * count;
  }
};

std::size_t constant_words_needed(const PackedShells& shells) {
  return static_cast<std::size_t>(shells.layout.first_coefficient) + shells.layout.words_per_pass;
}

/// Packed for as many columns a pass as are good and fit.
PackedShells pack_for_constant_memory(const FieldProblem& problem) {
  int columns = choose_columns_per_pass(problem.coefficients.cols());
  PackedShells shells = pack_shells(problem, columns);
  while (constant_words_needed(shells) > constant_memory_words && columns > 1) {
    columns /= 2;
    shells = pack_shells(problem, columns);
  }
  if (constant_words_needed(shells) > constant_memory_words) {
    throw Error(
        fmt::format("The kernel \"constant\" has {} for coefficients; this basis set needs {}, of them {} "
                    "for one orbital. "
                    "Choose the kernel \"cached\", \"tiled\" or \"range-limited\".",
                    format_bytes(constant_memory_words * sizeof(Word)),
                    format_bytes(constant_words_needed(shells) * sizeof(Word)),
                    format_bytes(static_cast<std::size_t>(shells.layout.words_per_pass) * sizeof(Word))));
  }
  return shells;
}

PackedShells pack_for(KernelKind kind, const FieldProblem& problem) {
  if (kind == KernelKind::constant) return pack_for_constant_memory(problem);
  std::optional<double> tolerance;
  if (kind == KernelKind::range_limited) tolerance = problem.screening;
  return pack_shells(problem, choose_columns_per_pass(problem.coefficients.cols()), tolerance);
}

void set_lattice(const lattice::Lattice& lattice, PointSet& points) {
  points.kind = lattice.axis_aligned() ? PlaceKind::aligned_lattice : PlaceKind::lattice;
  for (int axis = 0; axis < 3; ++axis) {
    for (int x = 0; x < 3; ++x) points.step[3 * axis + x] = static_cast<float>(lattice.step_bohr(x, axis));
  }
  points.nx = std::max(lattice.dimensions[0], 0);
  points.ny = std::max(lattice.dimensions[1], 0);
  points.nz = std::max(lattice.dimensions[2], 0);
}

/// Rows x, y, z rounded to float, then three of what that left.
std::vector<float> split_places(const Eigen::Matrix3Xd& places) {
  const Eigen::Index count = places.cols();
  std::vector<float> split(6 * static_cast<std::size_t>(count));
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    for (Eigen::Index n = 0; n < count; ++n) {
      const auto high = static_cast<float>(places(axis, n));
      split[axis * count + n] = high;
      split[(3 + axis) * count + n] = static_cast<float>(places(axis, n) - high);
    }
  }
  return split;
}

/// ScatteredBox, one after the other, of `each` points.
std::vector<float> boxes_around(const Eigen::Matrix3Xd& places, int each) {
  std::vector<float> boxes;
  for (Eigen::Index first = 0; first < places.cols(); first += each) {
    const auto some = places.middleCols(first, std::min<Eigen::Index>(each, places.cols() - first));
    const Eigen::Vector3d low = some.rowwise().minCoeff();
    const Eigen::Vector3d high = some.rowwise().maxCoeff();
    const Eigen::Vector3d middle = (low + high) / 2;
    const Eigen::Vector3f rounded = middle.cast<float>();
    const Eigen::Vector3f rest = (middle - rounded.cast<double>()).cast<float>();
    const Eigen::Vector3f half = ((high - low) / 2 * (1 + 1e-6)).cast<float>();
    for (const auto& part : {rounded, rest, half}) boxes.insert(boxes.end(), part.begin(), part.end());
  }
  return boxes;
}

std::shared_ptr<const Plan> make_plan(KernelKind kind, const FieldProblem& problem) {
  auto plan = std::make_shared<Plan>();
  plan->kind = kind;
  plan->shells = pack_for(kind, problem);
  plan->columns = static_cast<int>(problem.coefficients.cols());
  plan->density = problem.weights != nullptr;
  const PackedLayout& layout = plan->shells.layout;
  if (problem.lattice != nullptr) {
    set_lattice(*problem.lattice, plan->points);
  } else {
    plan->points.kind = PlaceKind::scattered;
    plan->points.place_stride = static_cast<std::size_t>(problem.points_bohr->cols());
    plan->places = split_places(*problem.points_bohr);
    if (kind == KernelKind::range_limited) {
      plan->boxes = boxes_around(*problem.points_bohr, brick_points(layout.columns_per_pass));
    }
  }
  if (kind == KernelKind::constant) {
    plan->passes_per_launch = (constant_memory_words - layout.first_coefficient) / layout.words_per_pass;
    plan->content = new_constant_contents(layout.pass_count / plan->passes_per_launch + 1);
  }
  return plan;
}

template <class T>
DeviceBuffer<T> copy_to_device(const std::vector<T>& values, const Stream& stream) {
  if (values.empty()) return {};
  DeviceBuffer<T> copy(stream, values.size());
  copy.copy_from(values, stream);
  return copy;
}

class PointwiseDeviceJob final : public DeviceJob {
 public:
  PointwiseDeviceJob(std::shared_ptr<const Plan> plan, const Stream& stream)
      : plan_(std::move(plan)),
        words_(copy_to_device(plan_->shells.words, stream)),
        places_(copy_to_device(plan_->places, stream)),
        boxes_(copy_to_device(plan_->boxes, stream)) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    if (plan_->slab_points(slab.count) == 0 || (plan_->columns == 0 && !plan_->density)) return;
    stream.device().make_current();
    PointSet points = plan_->points;
    points.first = slab.first;
    points.count = slab.count;
    points.places = places_.device_data();
    points.boxes = boxes_.device_data();
    const FieldOutput output{out, field_stride, 0, plan_->columns, plan_->density, false};
    const PackedLayout& layout = plan_->shells.layout;
    const Word* words = words_.device_data();
    switch (plan_->kind) {
      case KernelKind::constant:
        launch_in_parts(points, output, stream);
        break;
      case KernelKind::tiled:
        launch_tiled(layout, words, points, output, stream);
        break;
      case KernelKind::range_limited:
        launch_range_limited(layout, words, points, output, stream);
        break;
      default:
        launch_cached(layout, words, points, output, stream);
    }
  }

 private:
  /// As many passes at once as constant memory has room for.
  void launch_in_parts(const PointSet& points, FieldOutput output, const Stream& stream) {
    PackedLayout layout = plan_->shells.layout;
    const int all = layout.pass_count;
    const auto shells = static_cast<std::size_t>(layout.first_coefficient);
    std::uint64_t content = plan_->content;
    int pass = 0;
    do {
      layout.pass_count = std::min(plan_->passes_per_launch, all - pass);
      output.first_column = pass * layout.columns_per_pass;
      output.add = pass > 0;
      const auto per_pass = static_cast<std::size_t>(layout.words_per_pass);
      with_constant_memory(
          content++, stream,
          [&] {
            if (shells > 0) copy_to_constant_memory(words_.device_data(), shells, 0, stream);
            if (layout.pass_count > 0) {
              copy_to_constant_memory(words_.device_data() + shells + pass * per_pass,
                                      layout.pass_count * per_pass, shells, stream);
            }
          },
          [&] { launch_constant(layout, points, output, stream); });
      pass += layout.pass_count;
    } while (pass < all);
  }

  std::shared_ptr<const Plan> plan_;
  DeviceBuffer<Word> words_;
  DeviceBuffer<float> places_;
  DeviceBuffer<float> boxes_;
};

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

/// Operations for one point and pass that reach beyond `square` of the distance of each centre.
class FlopCount {
 public:
  explicit FlopCount(const Plan& plan) : plan_(plan), layout_(plan.shells.layout) {
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
  /// What the range-limited kernel does for the points of a box (`low`, `high`: bohr, relative to nothing but
  /// the centres' own places).
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
      case PlaceKind::aligned_lattice:
        return 3 * 3 + 5;
      case PlaceKind::lattice:
        return 3 * 7 + 5;
      default:
        return 3 * 3 + 5;
    }
  }
  double pass_flop() const { return plan_.density ? 3.0 * layout_.columns_per_pass : 0; }

  const Plan& plan_;
  const PackedLayout& layout_;
  std::vector<Centre> centres_;
};

/// Bricks of a slab, and how near each comes to a centre: on the host, in double precision.
class Bricks {
 public:
  Bricks(const Plan& plan, Slab slab) : plan_(plan), points_(plan.points), slab_(slab) {
    const int columns = plan.shells.layout.columns_per_pass;
    if (points_.kind == PlaceKind::scattered) {
      width_ = {brick_points(columns), 1, 1};
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

  /// Calls `visit(points, least_square)` for a brick: the slab's points in it, and the function that
  /// FlopCount::screened takes.
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

  const Plan& plan_;
  const PointSet& points_;
  Slab slab_;
  std::array<int, 3> width_{}, size_{}, first_{}, count_{};
};

/// At most so many bricks are looked at to count operations, evenly spread.
constexpr long long most_sampled_bricks = 512;

double screened_flop(const Plan& plan, Slab slab) {
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

class PointwiseJob final : public KernelJob {
 public:
  PointwiseJob(KernelKind kind, const FieldProblem& problem) : plan_(make_plan(kind, problem)) {}

  KernelKind kind() const override { return plan_->kind; }
  std::size_t device_bytes() const override {
    return plan_->shells.bytes() + (plan_->places.size() + plan_->boxes.size()) * sizeof(float);
  }
  double flop(Slab slab) const override {
    const auto points = static_cast<double>(plan_->slab_points(slab.count));
    if (points == 0 || plan_->columns == 0) return 0;
    const int passes = plan_->shells.layout.pass_count;
    if (plan_->kind == KernelKind::range_limited) return passes * screened_flop(*plan_, slab);
    return passes * points * FlopCount(*plan_).unscreened();
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream) const override {
    stream.device().make_current();
    return std::make_unique<PointwiseDeviceJob>(plan_, stream);
  }

 private:
  std::shared_ptr<const Plan> plan_;
};

}  // namespace

std::unique_ptr<KernelJob> make_pointwise_job(KernelKind kind, const FieldProblem& problem) {
  if (kind == KernelKind::generated || kind == KernelKind::separable) {
    throw Error(fmt::format("The kernel \"{}\" does not compute point by point.", to_string(kind)));
  }
  return std::make_unique<PointwiseJob>(kind, problem);
}

}  // namespace isolume::gpu
