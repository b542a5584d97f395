#include "core/anatomy/currents.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/anatomy/parts.h"
#include "core/base/error.h"
#include "core/dispatch/memory.h"
#include "core/volumes/line_plan.h"

namespace isolume::anatomy {
namespace {

using Eigen::Vector3d;

int wrapped(int index, int count) {
  const int rest = index % count;
  return rest < 0 ? rest + count : rest;
}

/// The four nodes along an axis that a point is spread to, and the values and slopes of the cubic B-splines there.
struct SplineWeights {
  std::array<std::size_t, 4> nodes{};
  std::array<double, 4> values{}, slopes{};

  /// `place`: in nodes, of which there are `count`.
  SplineWeights(double place, int count) {
    const double floor = std::floor(place), t = place - floor, s = 1 - t;
    int node = wrapped(static_cast<int>(floor) - 1, count);
    for (std::size_t& each : nodes) {
      each = static_cast<std::size_t>(node);
      node = node + 1 < count ? node + 1 : 0;
    }
    values = {s * s * s / 6, (4 - 6 * t * t + 3 * t * t * t) / 6, (4 - 6 * s * s + 3 * s * s * s) / 6,
              t * t * t / 6};
    slopes = {-s * s / 2, (-4 * t + 3 * t * t) / 2, (4 * s - 3 * s * s) / 2, t * t / 2};
  }
};

void require_surface(const Surface& surface) {
  if (surface.empty()) throw Error("A surface has no triangles. Choose another one.");
  if (!std::ranges::all_of(surface.points, [](const Vector3d& each) { return each.allFinite(); }))
    throw Error("A surface has a point that is not finite (NaN or infinite). Choose another one.");
}

constexpr double nodes_per_width = 2;
/// Widths beyond which the kernel is below 2e-8.
constexpr double reach = 6;

}  // namespace

CurrentsDistance::CurrentsDistance(const Surface& moving, const Surface& target, double width_mm,
                                   CurrentsMethod method)
    : triangles_(moving.triangles), width_(width_mm), method_(method) {
  if (!(width_mm > 0))
    throw Error(fmt::format("The kernel width is {} mm. Choose a positive one.", width_mm));
  require_surface(moving);
  require_surface(target);
  target_ = current_of(target.points, target.triangles);
  const Current start = current_of(moving.points, moving.triangles);
  if (method_ == CurrentsMethod::automatic) {
    constexpr double few_pairs = 1e6;
    const auto of_moving = static_cast<double>(triangles_.size());
    const bool are_few = of_moving * (of_moving + static_cast<double>(target.triangles.size())) < few_pairs;
    method_ = are_few ? CurrentsMethod::pairs : CurrentsMethod::mesh;
  }
  const Current none;
  if (method_ == CurrentsMethod::pairs) {
    const Current all = target_;
    target_ = none;
    const double of_target = by_pairs(all, nullptr);
    scale_ = of_target + by_pairs(start, nullptr);
    target_ = all;
    target_square_ = of_target;
    return;
  }
  make_mesh(start);
  spread(start, spread_);
  scale_ = apply_kernel();
  spread(target_, spread_);
  scale_ += apply_kernel();
  spread_target_ = spread_;
}

CurrentsDistance::Current CurrentsDistance::current_of(
    std::span<const Vector3d> points, std::span<const std::array<std::uint32_t, 3>> triangles) const {
  Current current{.centres = std::vector<Vector3d>(triangles.size()),
                  .normals = std::vector<Vector3d>(triangles.size())};
  for_parts(triangles.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vector3d &a = points[triangles[i][0]], &b = points[triangles[i][1]], &c = points[triangles[i][2]];
      current.centres[i] = (a + b + c) / 3;
      current.normals[i] = (b - a).cross(c - a) / 2;
    }
  });
  return current;
}

double CurrentsDistance::measure(std::span<const Vector3d> points, std::vector<Vector3d>* gradient) {
  const Current moving = current_of(points, triangles_);
  std::vector<Answer> answers;
  if (gradient != nullptr) answers.resize(triangles_.size());
  std::vector<Answer>* const wanted = gradient != nullptr ? &answers : nullptr;
  const double square = method_ == CurrentsMethod::pairs ? by_pairs(moving, wanted) : by_mesh(moving, wanted);
  if (gradient == nullptr) return square;
  // d n / d a = (b - c) x / 2 in the product with a vector, and d c / d a = 1 / 3; each pair counts twice.
  gradient->assign(points.size(), Vector3d::Zero());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const Vector3d across =
          points[triangles_[i][(corner + 1) % 3]] - points[triangles_[i][(corner + 2) % 3]];
      (*gradient)[triangles_[i][corner]] += across.cross(answers[i].sum) + 2.0 / 3 * answers[i].slope;
    }
  }
  return square;
}

double CurrentsDistance::by_pairs(const Current& moving, std::vector<Answer>* answers) const {
  const double per_square = 1 / (width_ * width_);
  std::vector<double> parts(moving.centres.size());
  constexpr std::size_t at_once = 16;
  using Parts = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Parts(0, parts.size(), at_once), [&](const Parts& range) {
    for (std::size_t f = range.begin(); f != range.end(); ++f) {
      Vector3d sum = Vector3d::Zero(), slope = Vector3d::Zero(), of_target = Vector3d::Zero();
      const auto add = [&](const Current& other, double sign, Vector3d& to) {
        for (std::size_t g = 0; g < other.centres.size(); ++g) {
          const Vector3d apart = moving.centres[f] - other.centres[g];
          const double kernel = sign * std::exp(-0.5 * per_square * apart.squaredNorm());
          to += kernel * other.normals[g];
          slope -= kernel * per_square * moving.normals[f].dot(other.normals[g]) * apart;
        }
      };
      add(moving, 1, sum);
      add(target_, -1, of_target);
      parts[f] = moving.normals[f].dot(sum + 2 * of_target);
      if (answers != nullptr) (*answers)[f] = {sum + of_target, slope};
    }
  });
  double all = target_square_;
  for (const double each : parts) all += each;
  return std::max(all, 0.0);
}

/// Nodes over both surfaces and beyond by the reach of the kernel, since the mesh is periodic.
void CurrentsDistance::make_mesh(const Current& moving) {
  spacing_ = width_ / nodes_per_width;
  Eigen::AlignedBox3d box;
  for (const Current* each : {&moving, static_cast<const Current*>(&target_)}) {
    for (const Vector3d& centre : each->centres) box.extend(centre);
  }
  origin_ = box.min();
  double nodes = 1;
  std::array<double, 3> lengths{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    lengths[axis] = std::ceil(box.sizes()[static_cast<int>(axis)] / spacing_ + reach * nodes_per_width) + 4;
    nodes *= lengths[axis];
  }
  constexpr double numbers_per_node = 13;
  dispatch::require_memory("The mesh of the surfaces", numbers_per_node * sizeof(float) * nodes,
                           "Raise the kernel width.");
  for (std::size_t axis = 0; axis < 3; ++axis)
    counts_[axis] = volumes::next_transform_count(static_cast<int>(lengths[axis]));
  transform_.emplace(counts_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // The Gaussian's transform along one axis per node, without what spreading and reading by splines do.
    const auto count = static_cast<std::size_t>(counts_[axis]);
    factors_[axis].resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      const double wave = 2 * std::numbers::pi * static_cast<double>(std::min(k, count - k)) /
                          static_cast<double>(count);  // per node
      const double sinc = k == 0 ? 1 : std::sin(wave / 2) / (wave / 2);
      const double width = width_ / spacing_;
      factors_[axis][k] = static_cast<float>(std::sqrt(2 * std::numbers::pi) * width *
                                             std::exp(-0.5 * std::pow(width * wave, 2)) / std::pow(sinc, 8));
    }
    modes_.push_back(transform_->make_modes());
    field_[axis].resize(volumes::point_count(counts_));
  }
}

/// Each plane of nodes sums the triangles that reach it, in the order of their first plane and their number.
void CurrentsDistance::spread(const Current& current, std::array<FieldValues, 3>& to) const {
  const auto [nx, ny, nz] = counts_;
  const std::size_t per_plane = static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  std::vector<std::size_t> first_of(static_cast<std::size_t>(nz) + 1), order(current.centres.size());
  const auto plane_of = [&](std::size_t i) {
    return static_cast<std::size_t>(
        wrapped(static_cast<int>(std::floor((current.centres[i][2] - origin_[2]) / spacing_)) - 1, nz));
  };
  for (std::size_t i = 0; i < order.size(); ++i) ++first_of[plane_of(i) + 1];
  for (std::size_t z = 0; z + 1 < first_of.size(); ++z) first_of[z + 1] += first_of[z];
  std::vector<std::size_t> next(first_of);
  for (std::size_t i = 0; i < order.size(); ++i) order[next[plane_of(i)]++] = i;
  for (FieldValues& each : to) each.resize(per_plane * static_cast<std::size_t>(nz));
  using Planes = tbb::blocked_range<int>;
  handover::parallel_for(Planes(0, nz), [&](const Planes& range) {
    std::vector<double> sums;
    for (int z = range.begin(); z != range.end(); ++z) {
      sums.assign(3 * per_plane, 0);
      for (int across = 3; across >= 0; --across) {
        const auto plane = static_cast<std::size_t>(wrapped(z - across, nz));
        for (std::size_t k = first_of[plane]; k < first_of[plane + 1]; ++k) {
          const std::size_t i = order[k];
          const Vector3d place = (current.centres[i] - origin_) / spacing_;
          const SplineWeights x(place[0], nx), y(place[1], ny), of_z(place[2], nz);
          const Vector3d normal = of_z.values[static_cast<std::size_t>(across)] * current.normals[i];
          for (std::size_t b = 0; b < 4; ++b) {
            double* const row = sums.data() + y.nodes[b] * static_cast<std::size_t>(nx);
            for (std::size_t a = 0; a < 4; ++a) {
              const double weight = x.values[a] * y.values[b];
              for (std::size_t axis = 0; axis < 3; ++axis)
                row[axis * per_plane + x.nodes[a]] += weight * normal[static_cast<int>(axis)];
            }
          }
        }
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::transform(
            sums.begin() + static_cast<std::ptrdiff_t>(axis * per_plane),
            sums.begin() + static_cast<std::ptrdiff_t>((axis + 1) * per_plane),
            to[axis].begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(z) * per_plane),
            [](double each) { return static_cast<float>(each); });
      }
    }
  });
}

void CurrentsDistance::multiply(const volumes::ModePlane& plane) const {
  for (int kz = 0; kz < plane.planes; ++kz) {
    const float across =
        factors_[1][static_cast<std::size_t>(plane.ky)] * factors_[2][static_cast<std::size_t>(kz)];
    for (std::size_t field = 0; field < plane.fields.size(); ++field) {
      float* const row = plane.row(field, kz);
      for (float* const part : {row, row + plane.row_length}) {
        for (int k = 0; k < plane.row_count; ++k)
          part[k] *= across * factors_[0][static_cast<std::size_t>(k)];
      }
    }
  }
}

/// Makes field_ of spread_; returns the sum of their product.
double CurrentsDistance::apply_kernel() {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    field_[axis] = spread_[axis];
    float* const values = field_[axis].data();
    transform_->filter(std::span(&values, 1), std::span(modes_).subspan(axis, 1),
                       [this](const volumes::ModePlane& plane) { multiply(plane); });
    sum += sum_of(field_[axis].size(), [&](std::size_t i) {
      return static_cast<double>(spread_[axis][i]) * static_cast<double>(field_[axis][i]);
    });
  }
  return std::max(sum, 0.0);
}

double CurrentsDistance::by_mesh(const Current& moving, std::vector<Answer>* answers) {
  spread(moving, spread_);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < spread_[axis].size(); ++i) spread_[axis][i] -= spread_target_[axis][i];
  }
  const double square = apply_kernel();
  if (answers == nullptr) return square;
  const auto [nx, ny, nz] = counts_;
  for_parts(answers->size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vector3d place = (moving.centres[i] - origin_) / spacing_;
      const SplineWeights x(place[0], nx), y(place[1], ny), z(place[2], nz);
      const Vector3d& normal = moving.normals[i];
      Answer answer{Vector3d::Zero(), Vector3d::Zero()};
      for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t b = 0; b < 4; ++b) {
          const std::size_t row =
              (z.nodes[c] * static_cast<std::size_t>(ny) + y.nodes[b]) * static_cast<std::size_t>(nx);
          Vector3d sum = Vector3d::Zero(), change = Vector3d::Zero();
          for (std::size_t axis = 0; axis < 3; ++axis) {
            const float* const values = field_[axis].data() + row;
            for (std::size_t a = 0; a < 4; ++a) {
              const auto value = static_cast<double>(values[x.nodes[a]]);
              sum[static_cast<int>(axis)] += x.values[a] * value;
              change[static_cast<int>(axis)] += x.slopes[a] * value;
            }
          }
          const double along = normal.dot(sum);
          answer.sum += y.values[b] * z.values[c] * sum;
          answer.slope += Vector3d(y.values[b] * z.values[c] * normal.dot(change),
                                   y.slopes[b] * z.values[c] * along, y.values[b] * z.slopes[c] * along);
        }
      }
      answer.slope /= spacing_;
      (*answers)[i] = answer;
    }
  });
  return square;
}

}  // namespace isolume::anatomy
