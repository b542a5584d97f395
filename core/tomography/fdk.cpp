#include "core/tomography/fdk.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/volumes/transform_kernels.h"

namespace isolume::tomography {
namespace {

using Range = tbb::blocked_range<int>;
constexpr double pi = std::numbers::pi;

double window_at(FilterWindow window, double fraction) {
  switch (window) {
    case FilterWindow::ram_lak:
      return 1;
    case FilterWindow::shepp_logan:
      return fraction == 0 ? 1 : std::sin(pi / 2 * fraction) / (pi / 2 * fraction);
    case FilterWindow::cosine:
      return std::cos(pi / 2 * fraction);
    case FilterWindow::hamming:
      return 0.54 + 0.46 * std::cos(pi * fraction);
    case FilterWindow::hann:
      return 0.5 + 0.5 * std::cos(pi * fraction);
  }
  return 1;
}

/// From the source to the detector, across it.
Eigen::Vector3d forward_of(const View& view, Beam beam) {
  const Eigen::Vector3d normal = view.along.cross(view.up).normalized();
  const double side = beam == Beam::cone ? (view.origin - view.source).dot(normal) : view.source.dot(normal);
  return side < 0 ? Eigen::Vector3d(-normal) : normal;
}

/// How a view is seen in the plane of rotation.
struct Fan {
  Eigen::Vector3d forward;
  double to_axis = 0, to_detector = 0;  ///< from the source; parallel beams: 0
  double factor = 1;                    ///< of lengths on the detector, at the axis
};

Fan fan_of(const View& view, Beam beam) {
  Fan fan{.forward = forward_of(view, beam)};
  if (beam == Beam::parallel) return fan;
  fan.to_axis = -view.source.dot(fan.forward);
  fan.to_detector = (view.origin - view.source).dot(fan.forward);
  fan.factor = fan.to_axis / fan.to_detector;
  return fan;
}

/// Distance from the axis of the ray to a column of the detector, seen from the source to the right, in mm at the axis.
double sideways_at(const View& view, const Fan& fan, Beam beam, double u) {
  const Eigen::Vector3d right = fan.forward.cross(Eigen::Vector3d::UnitZ());
  const Eigen::Vector3d at = view.pixel(u, 0);
  return beam == Beam::cone ? (at - view.source).dot(right) * fan.factor : at.dot(right);
}

}  // namespace

void require_circle(const Geometry& geometry) {
  for (std::size_t i = 0; i < geometry.views.size(); ++i) {
    const View& view = geometry.views[i];
    const bool is_oblique =
        geometry.beam == Beam::parallel && std::abs(view.source.z()) > 0.02 * view.source.norm();
    if (std::abs(view.along.z()) > 0.05 * view.along.norm() || is_oblique) {
      throw Error(fmt::format(
          "In view {}, {} not perpendicular to the z axis. Filtered back projection needs rows of the detector and a "
          "plane of rotation across that axis.",
          i + 1, is_oblique ? "rays are" : "rows of the detector are"));
    }
  }
  if (geometry.beam == Beam::parallel) return;
  double least = std::numeric_limits<double>::infinity(), most = 0, low = least, high = -least;
  for (std::size_t i = 0; i < geometry.views.size(); ++i) {
    const Fan fan = fan_of(geometry.views[i], geometry.beam);
    if (!(fan.to_axis > 0 && fan.to_detector > fan.to_axis))
      throw Error(fmt::format(
          "In view {}, the z axis does not lie between source and detector. Filtered back projection needs a source "
          "that turns about the z axis.",
          i + 1));
    const auto& source = geometry.views[i].source;
    const double radius = std::hypot(source.x(), source.y());
    least = std::min(least, radius);
    most = std::max(most, radius);
    low = std::min(low, source.z());
    high = std::max(high, source.z());
  }
  if (most - least > 0.02 * most || high - low > 0.02 * most) {
    throw Error(fmt::format(
        "The source moves at {:.4g} to {:.4g} mm from the z axis, and {:.4g} mm along it. Filtered back projection "
        "needs a circle about the z axis.",
        least, most, high - low));
  }
}

namespace {

/// Weights of rays that are measured twice, for each view and column of the detector: both have a sum of 1.
class Redundancy {
 public:
  Redundancy(const Geometry& geometry, Remarks& remarks) : geometry_(geometry), arc_(arc_of(geometry)) {
    double low = 0, high = 0;
    for (const View& view : geometry.views) {
      const Fan fan = fan_of(view, geometry.beam);
      const double a = sideways_at(view, fan, geometry.beam, -0.5),
                   b = sideways_at(view, fan, geometry.beam, geometry.columns - 0.5);
      low += std::min(a, b) / static_cast<double>(geometry.views.size());
      high += std::max(a, b) / static_cast<double>(geometry.views.size());
      if (fan.to_axis > 0) radius_ = fan.to_axis;
    }
    const double overlap = std::min(-low, high);
    if (overlap <= 0) {
      remarks.warn(
          "The axis of rotation does not lie on the detector: the middle of the slices is not measured.");
    }
    is_displaced_ = arc_.is_whole && overlap > 0 && std::abs(low + high) > 0.1 * (high - low);
    overlap_ = overlap;
    sign_ = high > -low ? 1 : -1;
    const View& first = geometry.views.front();
    const Fan seen = fan_of(first, geometry.beam);
    missing_columns_ = static_cast<int>(std::ceil(std::abs(low + high) / (first.along.norm() * seen.factor)));
    const bool ascends =
        sideways_at(first, seen, geometry.beam, 1) > sideways_at(first, seen, geometry.beam, 0);
    are_missing_first_ = ascends == (high > -low);
    // Angle of the outermost ray.
    const double half = std::max(-low, high), fan = radius_ > 0 ? std::atan(half / radius_) : 0;
    if (!arc_.is_whole && arc_.length < pi + 2 * fan - 0.02) {
      remarks.warn(fmt::format(
          "The views cover {:.1f}°, and {:.1f}° are needed: shapes along missing directions are blurred.",
          arc_.length * 180 / pi, (pi + 2 * fan) * 180 / pi));
    }
    if (is_displaced_) {
      remarks.add(RemarkKind::assumed,
                  "The detector is displaced sideways: rays that are measured twice are weighted smoothly.");
    } else if (arc_.is_whole && std::abs(low + high) > 0.1 * (high - low)) {
      remarks.warn("The detector is displaced, and misses the axis: slices are not complete.");
    } else if (!arc_.is_whole && overlap > 0 && std::abs(low + high) > 0.1 * (high - low)) {
      remarks.warn(
          "The detector is displaced sideways, which needs views of a whole turn: values far from the axis are wrong.");
    }
  }

  /// Columns that a displaced detector lacks on its short side, whose filtered values are not 0 there.
  int missing_columns() const { return is_displaced_ ? missing_columns_ : 0; }
  bool are_missing_first() const { return are_missing_first_; }
  const ViewArc& arc() const { return arc_; }
  double weight(int view_index, const View& view, const Fan& fan, int u) const {
    const double sideways = sideways_at(view, fan, geometry_.beam, u);
    const double angle = radius_ > 0 ? std::atan(sideways / radius_) : 0;
    if (arc_.is_whole) {
      if (!is_displaced_) return 0.5;
      const double outermost = radius_ > 0 ? std::atan(overlap_ / radius_) : overlap_;
      const double at = sign_ * (radius_ > 0 ? angle : sideways) / outermost;
      return std::abs(at) >= 1 ? (at > 0 ? 1 : 0) : 0.5 + 0.5 * std::sin(pi / 2 * at);
    }
    // Angles grow counter-clockwise, and so does the ray's direction to the left.
    const double left = -angle, turned = arc_.angles[static_cast<std::size_t>(view_index)];
    const double overscan = (arc_.length - pi) / 2;
    const auto rise = [](double part) {
      const double sine = std::sin(pi / 2 * std::clamp(part, 0.0, 1.0));
      return sine * sine;
    };
    const double begin = 2 * (overscan - left), end = 2 * (overscan + left);
    double weight = 1;
    if (begin > 0 && turned < begin) weight = rise(turned / begin);
    if (end > 0 && arc_.length - turned < end) weight = std::min(weight, rise((arc_.length - turned) / end));
    return weight;
  }

 private:
  const Geometry& geometry_;
  ViewArc arc_;
  double radius_ = 0, overlap_ = 0, sign_ = 1;
  int missing_columns_ = 0;
  bool are_missing_first_ = false;
  bool is_displaced_ = false;
};

/// Filters the columns of one or two views at a time, as real and imaginary parts.
class RowFilter {
 public:
  RowFilter(int columns, int rows, const FilterParameters& parameters)
      : columns_(columns),
        rows_(rows),
        plan_(volumes::make_line_plan(volumes::next_transform_count(2 * columns))),
        row_length_((rows + volumes::transform_lanes() - 1) / volumes::transform_lanes() *
                    volumes::transform_lanes()) {
    const std::vector<double> factors = ramp_factors(plan_.count, parameters);
    for (const double each : factors) factors_.push_back(static_cast<float>(each / plan_.count));
  }

  /// `pair`: one or two views; both have column u at u * stride.
  void run(std::span<float* const> pair, std::size_t stride) const {
    thread_local FieldValues memory;
    const auto row = static_cast<std::size_t>(2 * row_length_);
    memory.assign(static_cast<std::size_t>(plan_.count) * row, 0.F);
    for (std::size_t part = 0; part < pair.size(); ++part) {
      for (int u = 0; u < columns_; ++u)
        std::copy_n(pair[part] + static_cast<std::size_t>(u) * stride, rows_, at(memory, u, part));
    }
    volumes::transform_columns(plan_, false, memory.data(), row, row_length_);
    for (int k = 0; k < plan_.count; ++k) {
      const float factor = factors_[static_cast<std::size_t>(std::min(k, plan_.count - k))];
      float* mode = at(memory, k, 0);
      for (std::size_t i = 0; i < row; ++i) mode[i] *= factor;
    }
    volumes::transform_columns(plan_, true, memory.data(), row, row_length_);
    for (std::size_t part = 0; part < pair.size(); ++part) {
      for (int u = 0; u < columns_; ++u)
        std::copy_n(at(memory, u, part), rows_, pair[part] + static_cast<std::size_t>(u) * stride);
    }
  }

 private:
  float* at(FieldValues& memory, int u, std::size_t part) const {
    return memory.data() + (2 * static_cast<std::size_t>(u) + part) * static_cast<std::size_t>(row_length_);
  }

  int columns_, rows_;
  volumes::LinePlan plan_;
  int row_length_;
  std::vector<float> factors_;
};

/// Blocks of columns of voxels whose sums stay in a cache of the second level.
constexpr int block_columns = 16, block_rows = 8;

void project_columns(const Filtered& filtered, const std::vector<ViewMatrix>& matrices, const Region& region,
                     std::span<float> values, const jobs::Progress& progress) {
  const Projections& projections = filtered.projections;
  const auto [nx, ny, nz] = region.count;
  const int wide = (nx + block_columns - 1) / block_columns, high = (ny + block_rows - 1) / block_rows;
  const auto stride = static_cast<std::size_t>(padded_column(nz));
  std::atomic<int> done = 0;
  handover::parallel_for(Range(0, wide * high, 1), [&, nx = nx, ny = ny, nz = nz](const Range& part) {
    thread_local FieldValues sums;
    thread_local std::vector<ColumnStep<const float>> steps;
    for (int block = part.begin(); block != part.end(); ++block) {
      const int x0 = block % wide * block_columns, y0 = block / wide * block_rows;
      const int across = std::min(block_columns, nx - x0), down = std::min(block_rows, ny - y0);
      sums.assign(stride * static_cast<std::size_t>(across * down), 0.F);
      for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (progress.cancelled()) return;
        const ViewMatrix& matrix = matrices[i];
        steps.clear();
        for (int y = 0; y < down; ++y) {
          for (int x = 0; x < across; ++x) {
            const Eigen::Vector3d at = matrix * Eigen::Vector4d(region.first[0] + x0 + x,
                                                                region.first[1] + y0 + y, region.first[2], 1);
            ColumnStep<const float> step;
            const int columns = projections.geometry.columns;
            const double u = at[0] / at[2];
            step.near = {projections.column(static_cast<int>(i), 0),
                         projections.column(static_cast<int>(i), 0)};
            step.first = -2;  // nothing, if the ray misses the detector
            step.step = 0;
            if (at[2] > 0 && u > -1 && u < columns) {
              const double cell = std::floor(u), fraction = u - cell;
              const double factor = filtered.distance_factors[i] / at[2], weight = factor * factor;
              const auto column = [&](double number) {
                return projections.column(static_cast<int>(i),
                                          std::clamp(static_cast<int>(number), 0, columns - 1));
              };
              step.near = {column(cell), column(cell + 1)};
              step.weights = {cell >= 0 ? static_cast<float>(weight * (1 - fraction)) : 0.F,
                              cell + 1 < columns ? static_cast<float>(weight * fraction) : 0.F};
              step.first = static_cast<float>(at[1] / at[2]);
              step.step = static_cast<float>(matrix(1, 2) / at[2]);
            }
            steps.push_back(step);
          }
        }
        sample_columns(steps, projections.geometry.rows, sums.data(), stride, nz);
      }
      for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < down; ++y) {
          float* to =
              values.data() + static_cast<std::size_t>(x0) +
              static_cast<std::size_t>(nx) * (static_cast<std::size_t>(y0 + y) +
                                              static_cast<std::size_t>(z) * static_cast<std::size_t>(ny));
          const float* from = sums.data() + static_cast<std::size_t>(y * across) * stride + z;
          for (int x = 0; x < across; ++x) to[x] = from[static_cast<std::size_t>(x) * stride];
        }
      }
      progress.report(static_cast<double>(++done) / (wide * high));
    }
  });
  progress.check();
}

void project_rows(const Filtered& filtered, const std::vector<ViewMatrix>& matrices, const Region& region,
                  std::span<float> values, const jobs::Progress& progress) {
  constexpr int most = 256;
  const Projections& projections = filtered.projections;
  const auto [nx, ny, nz] = region.count;
  std::atomic<int> done = 0;
  const int lines = ny * nz;
  // Several rows at a time use what is read of a view.
  constexpr int together = 8;
  const int blocks = (lines + together - 1) / together;
  const auto stride = static_cast<std::size_t>(padded_column(nx));
  handover::parallel_for(Range(0, blocks, 1), [&, nx = nx, ny = ny](const Range& part) {
    thread_local FieldValues sums;
    for (int block = part.begin(); block != part.end(); ++block) {
      const int begin = block * together, end = std::min(lines, begin + together);
      sums.assign(stride * together, 0.F);
      for (std::size_t i = 0; i < matrices.size(); ++i) {
        if (progress.cancelled()) return;
        const ViewMatrix& matrix = matrices[i];
        const float* view = projections.column(static_cast<int>(i), 0);
        for (int line = begin; line < end; ++line) {
          for (int x = 0; x < nx; x += most) {
            const Eigen::Vector3d at =
                matrix * Eigen::Vector4d(region.first[0] + x, region.first[1] + line % ny,
                                         region.first[2] + line / ny, 1);
            DetectorRow row{.scale = static_cast<float>(filtered.distance_factors[i])};
            for (int k = 0; k < 3; ++k) {
              row.first[static_cast<std::size_t>(k)] = static_cast<float>(at[k]);
              row.step[static_cast<std::size_t>(k)] = static_cast<float>(matrix(k, 0));
            }
            sample_detector(
                view, projections.geometry.columns, projections.geometry.rows, projections.stride, row,
                sums.data() + static_cast<std::size_t>(line - begin) * stride + static_cast<std::size_t>(x),
                std::min(most, nx - x));
          }
        }
      }
      for (int line = begin; line < end; ++line) {
        std::copy_n(sums.data() + static_cast<std::size_t>(line - begin) * stride, nx,
                    values.data() + static_cast<std::size_t>(line) * static_cast<std::size_t>(nx));
      }
      progress.report(static_cast<double>(++done) / blocks);
    }
  });
  progress.check();
}

}  // namespace

ViewArc arc_of(const Geometry& geometry) {
  const std::size_t count = geometry.views.size();
  if (count < 2) throw Error("One view is not enough. A slice needs projections from at least half a turn.");
  std::vector<double> turned(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector3d forward = forward_of(geometry.views[i], geometry.beam);
    turned[i] = std::atan2(forward.y(), forward.x());
  }
  ViewArc arc{.order = std::vector<int>(count),
              .angles = std::vector<double>(count),
              .shares = std::vector<double>(count)};
  std::iota(arc.order.begin(), arc.order.end(), 0);
  std::ranges::sort(arc.order, {}, [&](int i) { return turned[static_cast<std::size_t>(i)]; });
  // The arc begins after the widest gap.
  const auto angle = [&](std::size_t rank) { return turned[static_cast<std::size_t>(arc.order[rank])]; };
  double widest = angle(0) + 2 * pi - angle(count - 1);
  std::size_t begin = 0;
  for (std::size_t i = 1; i < count; ++i) {
    if (angle(i) - angle(i - 1) > widest * (1 + 1e-9)) {
      widest = angle(i) - angle(i - 1);
      begin = i;
    }
  }
  std::ranges::rotate(arc.order, arc.order.begin() + static_cast<std::ptrdiff_t>(begin));
  const double first = angle(0);
  std::vector<double> ascending(count);
  for (std::size_t i = 0; i < count; ++i)
    ascending[i] = angle(i) < first ? angle(i) + 2 * pi - first : angle(i) - first;
  const double swept = ascending.back();
  if (!(swept > 1e-6))
    throw Error(
        "All views lie at the same angle. A slice needs projections from at least half a turn; add their angles.");
  // A whole turn may lack a few views; its steps are those between views at different angles.
  std::vector<double> steps;
  for (std::size_t i = 1; i < count; ++i) {
    if (ascending[i] - ascending[i - 1] > 1e-6) steps.push_back(ascending[i] - ascending[i - 1]);
  }
  std::ranges::nth_element(steps, steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2));
  constexpr double widest_gap = 0.7 * pi;
  arc.is_whole = 2 * pi - swept < std::min(widest_gap, 3.5 * steps[steps.size() / 2]);
  for (std::size_t i = 0; i < count; ++i) {
    const double before = i > 0 ? ascending[i] - ascending[i - 1]
                                : (arc.is_whole ? 2 * pi - swept : ascending[1] - ascending[0]);
    const double after = i + 1 < count ? ascending[i + 1] - ascending[i]
                                       : (arc.is_whole ? 2 * pi - swept : ascending[i] - ascending[i - 1]);
    const auto view = static_cast<std::size_t>(arc.order[i]);
    arc.shares[view] = (before + after) / 2;
    arc.angles[view] = ascending[i] + (ascending[1] - ascending[0]) / 2;
  }
  arc.length = arc.is_whole ? 2 * pi : std::accumulate(arc.shares.begin(), arc.shares.end(), 0.0);
  return arc;
}

RayPlace ray_place(const View& view, Beam beam, double u) {
  const Fan fan = fan_of(view, beam);
  const double sideways = sideways_at(view, fan, beam, u);
  return {fan.to_axis > 0 ? std::atan(sideways / fan.to_axis) : 0, sideways};
}

std::vector<double> ramp_factors(int count, const FilterParameters& parameters) {
  if (!(parameters.cutoff > 0 && parameters.cutoff <= 1))
    throw Error("The cut-off of the filter has to lie above 0 and not above 1.");
  const auto size = static_cast<std::size_t>(count);
  std::vector<double> cosines(size), factors(size / 2 + 1);
  for (std::size_t i = 0; i < size; ++i) cosines[i] = std::cos(2 * pi * static_cast<double>(i) / count);
  for (std::size_t k = 0; k < factors.size(); ++k) {
    double sum = 0.25;
    for (std::size_t n = 1; 2 * n < size; n += 2) {
      const double offset = pi * static_cast<double>(n);
      sum -= 2 / (offset * offset) * cosines[k * n % size];
    }
    const double fraction = 2 * static_cast<double>(k) / count / parameters.cutoff;
    factors[k] = fraction > 1 ? 0 : sum * window_at(parameters.window, fraction);
  }
  return factors;
}

std::vector<int> short_scan(const Geometry& geometry) {
  require_valid(geometry);
  require_circle(geometry);
  const ViewArc arc = arc_of(geometry);
  double fan = 0;
  for (const View& view : geometry.views) {
    const Fan seen = fan_of(view, geometry.beam);
    if (seen.to_axis <= 0) continue;
    for (const double u : {-0.5, geometry.columns - 0.5})
      fan = std::max(fan, std::atan(std::abs(sideways_at(view, seen, geometry.beam, u)) / seen.to_axis));
  }
  std::vector<int> chosen;
  for (const int view : arc.order) {
    if (arc.angles[static_cast<std::size_t>(view)] <=
        pi + 2 * fan + 0.5 * arc.shares[static_cast<std::size_t>(view)])
      chosen.push_back(view);
  }
  return chosen;
}

Region Region::slice(const grid::Grid& grid, int axis, int index) {
  Region region = whole(grid);
  region.first[static_cast<std::size_t>(axis)] = index;
  region.count[static_cast<std::size_t>(axis)] = 1;
  return region;
}

Filtered filter(const Projections& projections, const FilterParameters& parameters,
                const jobs::Progress& progress) {
  const Geometry& geometry = projections.geometry;
  require_valid(geometry);
  require_circle(geometry);
  Filtered filtered;
  const Redundancy redundancy(geometry, filtered.remarks);
  const int before = redundancy.are_missing_first() ? redundancy.missing_columns() : 0;
  Geometry wider = geometry;
  wider.columns += redundancy.missing_columns();
  for (View& view : wider.views) view.origin -= before * view.along;
  filtered.projections = Projections(std::move(wider));
  for (const View& view : geometry.views)
    filtered.distance_factors.push_back(fan_of(view, geometry.beam).factor);
  const RowFilter row_filter(filtered.projections.geometry.columns, geometry.rows, parameters);
  const int views = static_cast<int>(geometry.views.size());
  handover::parallel_for(Range(0, (views + 1) / 2, 1), [&](const Range& part) {
    for (int pair = part.begin(); pair != part.end(); ++pair) {
      if (progress.cancelled()) return;
      std::array<float*, 2> columns{};
      const int count = std::min(2, views - 2 * pair);
      for (int k = 0; k < count; ++k) {
        const int i = 2 * pair + k;
        const View& view = geometry.views[static_cast<std::size_t>(i)];
        const Fan fan = fan_of(view, geometry.beam);
        const double pitch = view.along.norm() * fan.factor;
        const double share = redundancy.arc().shares[static_cast<std::size_t>(i)] / pitch;
        columns[static_cast<std::size_t>(k)] = filtered.projections.column(i, 0);
        for (int u = 0; u < geometry.columns; ++u) {
          const float* from = projections.column(i, u);
          float* to = filtered.projections.column(i, before + u);
          const double weight = share * redundancy.weight(i, view, fan, u);
          if (geometry.beam == Beam::parallel) {
            for (int v = 0; v < geometry.rows; ++v) to[v] = static_cast<float>(weight) * from[v];
            continue;
          }
          // The cosine of the angle between ray and forward direction.
          const Eigen::Vector3d ray = view.pixel(u, 0) - view.source;
          const auto scale = static_cast<float>(weight * fan.to_detector);
          const auto constant = static_cast<float>(ray.squaredNorm()),
                     linear = static_cast<float>(2 * ray.dot(view.up)),
                     square = static_cast<float>(view.up.squaredNorm());
          for (int v = 0; v < geometry.rows; ++v) {
            const auto at = static_cast<float>(v);
            to[v] = scale / std::sqrt(constant + at * (linear + at * square)) * from[v];
          }
        }
      }
      row_filter.run(std::span<float* const>(columns).first(static_cast<std::size_t>(count)),
                     filtered.projections.stride);
    }
  });
  progress.check();
  return filtered;
}

void back_project(const Filtered& filtered, const grid::Grid& grid, const Region& region,
                  std::span<float> values, const jobs::Progress& progress) {
  const Geometry& geometry = filtered.projections.geometry;
  std::vector<ViewMatrix> matrices;
  for (const View& view : geometry.views) matrices.push_back(matrix_of(view, geometry.beam, grid));
  // Points of a column of voxels that project on a column of the detector have the same u and distance.
  const auto is_upright = [](const ViewMatrix& matrix) {
    const double small = 1e-9 * matrix.row(2).norm();
    return std::abs(matrix(0, 2)) < 1e-6 && std::abs(matrix(2, 2)) <= small;
  };
  constexpr int least_column = 8;
  if (region.count[2] >= least_column && std::ranges::all_of(matrices, is_upright)) {
    project_columns(filtered, matrices, region, values, progress);
  } else {
    project_rows(filtered, matrices, region, values, progress);
  }
}

}  // namespace isolume::tomography
