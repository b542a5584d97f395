#include "core/electrostatics/surfaces/field_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>
#include <tuple>

#include <Eigen/Geometry>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/surfaces/residues.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

/// Closer to a charge, the gradient would involve grid points at which its potential is infinite, or is that of a
/// spread charge.
constexpr double spacings_of_charges = 2.5;

/// The direction of E, where there is one.
class FieldDirection {
 public:
  explicit FieldDirection(const grid::ScalarField& potential) : potential_(potential) {
    const auto& grid = potential.grid;
    const double scale = grid::shown_per_unit(grid.unit);
    origin_ = scale * grid.origin;
    spacing_ = scale * grid.step.diagonal();
    const auto& n = grid.dimensions;
    last_ = Vector3d(n[0] - 2, n[1] - 2, n[2] - 2);
  }
  double shortest_step() const { return spacing_.minCoeff(); }

  bool inside(const Vector3d& place) const {
    const Vector3d index = index_of(place);
    return (index.array() >= 1).all() && (index.array() <= last_.array()).all();
  }
  double potential_at(const Vector3d& place) const {
    return grid::interpolate_at_index(potential_, index_of(place));
  }
  /// A unit vector; nothing outside the grid, and where there is no field.
  std::optional<Vector3d> at(const Vector3d& place) const {
    if (!inside(place)) return std::nullopt;
    const Vector3d index = index_of(place);
    const Eigen::Array3d low = index.array().floor().min(last_.array() - 1);
    const Vector3d part = index - low.matrix();
    Vector3d gradient = Vector3d::Zero();
    for (int corner = 0; corner < 8; ++corner) {
      double weight = 1;
      std::array<int, 3> at{};
      for (int axis = 0; axis < 3; ++axis) {
        const int upper = (corner >> axis) & 1;
        weight *= upper != 0 ? part[axis] : 1 - part[axis];
        at[static_cast<std::size_t>(axis)] = static_cast<int>(low[axis]) + upper;
      }
      if (weight != 0) gradient += weight * central_difference(at);
    }
    const double size = gradient.norm();
    if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
    return -gradient / size;
  }

 private:
  Vector3d index_of(const Vector3d& place) const { return (place - origin_).cwiseQuotient(spacing_); }
  Vector3d central_difference(const std::array<int, 3>& at) const {
    const auto [i, j, k] = at;
    const auto difference = [](float after, float before) {
      return static_cast<double>(after) - static_cast<double>(before);
    };
    return Vector3d(difference(potential_.at(i + 1, j, k), potential_.at(i - 1, j, k)),
                    difference(potential_.at(i, j + 1, k), potential_.at(i, j - 1, k)),
                    difference(potential_.at(i, j, k + 1), potential_.at(i, j, k - 1)))
        .cwiseQuotient(2 * spacing_);
  }

  const grid::ScalarField& potential_;
  Vector3d origin_, spacing_, last_;
};

struct Step {
  Vector3d place;
  double error;
};

/// Fifth-order step with the difference to the fourth-order one; nothing where it leaves the field.
std::optional<Step> dormand_prince(const FieldDirection& field, const Vector3d& from, double length) {
  static constexpr double a[6][6] = {
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double e[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  std::array<Vector3d, 7> slopes;
  Vector3d place = from;
  for (int stage = 0; stage < 7; ++stage) {
    if (stage > 0) {
      place = from;
      for (int before = 0; before < stage; ++before)
        place += length * a[stage - 1][before] * slopes[static_cast<std::size_t>(before)];
    }
    const auto slope = field.at(place);
    if (!slope) return std::nullopt;
    slopes[static_cast<std::size_t>(stage)] = *slope;
  }
  Vector3d error = Vector3d::Zero();
  for (std::size_t stage = 0; stage < 7; ++stage) error += length * e[stage] * slopes[stage];
  return Step{place, error.norm()};
}

struct Traced {
  std::vector<Vector3d> places;
  LineEnd end = LineEnd::length;
};

/// Traces from a point along E (sign 1) or against it; the result does not contain the starting point.
Traced trace(const FieldDirection& field, const NearestAtoms& charged, const Vector3d& from, double sign,
             const FieldLineOptions& options) {
  const double h = field.shortest_step(), longest = h / 2, shortest = h / 256, allowed = options.error * h;
  Traced traced;
  Vector3d place = from;
  double step = longest, length = 0;
  while (length < options.longest_angstrom) {
    const auto next = dormand_prince(field, place, sign * step);
    if (!next || next->error > allowed) {
      if (step > shortest) {
        step = std::max(shortest, step / 2);
        continue;
      }
      if (!next) {
        traced.end = field.inside(place + sign * step * field.at(place).value_or(Vector3d::Zero()))
                         ? LineEnd::no_field
                         : LineEnd::box;
        return traced;
      }
    }
    // Oscillation between two cells: a minimum, maximum or saddle of the map.
    if ((next->place - place).norm() < step / 4) {
      traced.end = LineEnd::no_field;
      return traced;
    }
    place = next->place;
    length += step;
    traced.places.push_back(place);
    if (charged.at(place) != NearestAtoms::none) {
      traced.end = LineEnd::charge;
      return traced;
    }
    const double growth = 0.9 * std::pow(allowed / std::max(next->error, 1e-12 * allowed), 0.2);
    step = std::clamp(step * std::clamp(growth, 0.3, 3.0), shortest, longest);
  }
  return traced;
}

FieldLine line_through(const FieldDirection& field, const NearestAtoms& charged, const Vector3d& place,
                       const FieldLineOptions& options) {
  FieldLine line;
  if (!field.at(place)) return line;
  const auto before = trace(field, charged, place, -1, options);
  const auto after = trace(field, charged, place, 1, options);
  const auto add = [&](const Vector3d& each) {
    line.places.push_back(each.cast<float>());
    line.potential.push_back(static_cast<float>(field.potential_at(each)));
  };
  std::for_each(before.places.rbegin(), before.places.rend(), add);
  add(place);
  std::ranges::for_each(after.places, add);
  line.start = before.end;
  line.end = after.end;
  return line;
}

/// Only the charges, as points.
structures::Charges points_of(const structures::Charges& charges) {
  structures::Charges points;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (charges.charge[i] == 0) continue;
    points.x.push_back(charges.x[i]);
    points.y.push_back(charges.y[i]);
    points.z.push_back(charges.z[i]);
    points.charge.push_back(charges.charge[i]);
    points.radius.push_back(0);
  }
  return points;
}

Vector3d point_of(const surfaces::Mesh& mesh, std::size_t i) {
  return Eigen::Map<const Eigen::Vector3f>(&mesh.points[3 * i]).cast<double>();
}

double area_of(const surfaces::Mesh& mesh) {
  double area = 0;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const Vector3d a = point_of(mesh, mesh.triangles[t]);
    area +=
        (point_of(mesh, mesh.triangles[t + 1]) - a).cross(point_of(mesh, mesh.triangles[t + 2]) - a).norm() /
        2;
  }
  return area;
}

}  // namespace

/// Goes through the points in random order and selects those that are not too close to one already selected.
std::vector<Vector3d> spread_over(const surfaces::Mesh& surface, std::size_t count) {
  std::vector<Vector3d> taken;
  if (count == 0 || surface.point_count() == 0) return taken;
  // Random sequential discs cover about 0.55 of a plane; each has half of the minimum distance as its radius.
  const double apart = std::sqrt(0.55 * area_of(surface) / static_cast<double>(count) * 4 / std::numbers::pi);
  if (!(apart > 0)) return taken;
  std::vector<std::uint32_t> order(surface.point_count());
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  using Cell = std::tuple<int, int, int>;
  std::map<Cell, std::vector<Vector3d>> cells;
  const auto cell_of = [apart](const Vector3d& place) {
    return Eigen::Vector3i((place / apart).array().floor().cast<int>());
  };
  for (const std::uint32_t each : order) {
    if (taken.size() == count) break;
    const Vector3d place = point_of(surface, each);
    const Eigen::Vector3i at = cell_of(place);
    bool free = true;
    for (int n = 0; n < 27 && free; ++n) {
      const auto found = cells.find({at.x() + n % 3 - 1, at.y() + n / 3 % 3 - 1, at.z() + n / 9 - 1});
      if (found == cells.end()) continue;
      free = std::ranges::none_of(found->second,
                                  [&](const Vector3d& other) { return (other - place).norm() < apart; });
    }
    if (!free) continue;
    taken.push_back(place);
    cells[{at.x(), at.y(), at.z()}].push_back(place);
  }
  return taken;
}

std::vector<FieldLine> field_lines(const grid::ScalarField& potential, const structures::Charges& charges,
                                   const std::vector<Vector3d>& places_angstrom,
                                   const FieldLineOptions& options, const jobs::Progress& progress) {
  const auto& n = potential.grid.dimensions;
  if (std::min({n[0], n[1], n[2]}) < 4) return {};
  const FieldDirection field(potential);
  const NearestAtoms charged(points_of(charges), spacings_of_charges * field.shortest_step());
  std::vector<FieldLine> lines(places_angstrom.size());
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, lines.size(), 1), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end() && !progress.cancelled(); ++i)
      lines[i] = line_through(field, charged, places_angstrom[i], options);
  });
  progress.check();
  std::erase_if(lines, [](const FieldLine& line) { return line.places.size() < 2; });
  return lines;
}

}  // namespace isolume::electrostatics
