#include "core/electrostatics/poisson_boltzmann/solvent_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

#include <Eigen/Geometry>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using Indices = tbb::blocked_range<std::size_t>;

/// Balls that touch from within, or circles that pass through a corner, are told apart no finer than this, in angstrom.
constexpr double touching = 1e-9;
constexpr double turn = 2 * std::numbers::pi;

/// What is left of a circle, in parts of rising angle from 0 to a turn.
class Exposed {
 public:
  bool none() const { return parts_.empty(); }
  bool all() const {
    return parts_.size() == 1 && parts_.front().first <= 0 && parts_.front().second >= turn;
  }
  /// Takes away the angles within `half` of `middle`.
  void cover(double middle, double half) {
    double low = std::fmod(middle - half, turn);
    if (low < 0) low += turn;
    const double high = low + 2 * half;
    take(low, std::min(high, turn));
    if (high > turn) take(0, high - turn);
  }
  void cover_all() { parts_.clear(); }
  /// Those that meet at angle 0 as one, which ends beyond a turn.
  std::vector<std::pair<double, double>> joined() const {
    auto parts = parts_;
    if (parts.size() > 1 && parts.front().first <= 0 && parts.back().second >= turn) {
      parts.back().second += parts.front().second;
      parts.erase(parts.begin());
    }
    return parts;
  }

 private:
  void take(double low, double high) {
    std::vector<std::pair<double, double>> left;
    for (const auto& [first, last] : parts_) {
      if (high <= first || low >= last) {
        left.emplace_back(first, last);
        continue;
      }
      if (first < low) left.emplace_back(first, low);
      if (high < last) left.emplace_back(high, last);
    }
    parts_ = std::move(left);
  }

  std::vector<std::pair<double, double>> parts_{{0.0, turn}};
};

/// Balls by cubes that are no smaller than what two of them may be apart to meet; none so small that there are more
/// cubes than balls.
class BallCells {
 public:
  BallCells(const std::vector<SolventSurface::Ball>& balls, double side) : side_(side) {
    Vector3d low = balls.front().centre, high = low;
    for (const auto& ball : balls) {
      low = low.cwiseMin(ball.centre).eval();
      high = high.cwiseMax(ball.centre).eval();
    }
    low_ = low;
    const auto cells = [&] { return ((high - low) / side_).array().floor() + 1; };
    while (cells().prod() > 4.0 * static_cast<double>(balls.size()) + 64) side_ *= 1.26;
    for (int axis = 0; axis < 3; ++axis) counts_[axis] = static_cast<int>(cells()[axis]);
    first_.assign(static_cast<std::size_t>(counts_.prod()) + 1, 0);
    for (const auto& ball : balls) ++first_[cell(place_of(ball.centre)) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    members_.resize(balls.size());
    auto next = first_;
    for (std::size_t i = 0; i < balls.size(); ++i)
      members_[next[cell(place_of(balls[i].centre))]++] = static_cast<std::uint32_t>(i);
  }
  template <class Use>
  void around(const Vector3d& place, const Use& use) const {
    const Eigen::Vector3i at = place_of(place);
    for (int k = std::max(at.z() - 1, 0); k <= std::min(at.z() + 1, counts_.z() - 1); ++k) {
      for (int j = std::max(at.y() - 1, 0); j <= std::min(at.y() + 1, counts_.y() - 1); ++j) {
        for (int i = std::max(at.x() - 1, 0); i <= std::min(at.x() + 1, counts_.x() - 1); ++i) {
          const std::size_t in = cell({i, j, k});
          for (std::size_t n = first_[in]; n < first_[in + 1]; ++n) use(members_[n]);
        }
      }
    }
  }

 private:
  Eigen::Vector3i place_of(const Vector3d& place) const {
    const Eigen::Vector3i at = ((place - low_) / side_).array().floor().cast<int>();
    return at.cwiseMax(0).cwiseMin(counts_ - Eigen::Vector3i::Ones());
  }
  std::size_t cell(const Eigen::Vector3i& at) const {
    return static_cast<std::size_t>(at.x()) +
           static_cast<std::size_t>(counts_.x()) *
               (static_cast<std::size_t>(at.y()) + static_cast<std::size_t>(counts_.y()) * at.z());
  }

  double side_;
  Vector3d low_;
  Eigen::Vector3i counts_{1, 1, 1};
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> members_;
};

}  // namespace

SolventSurface::SolventSurface(const structures::Charges& charges, double probe,
                               const jobs::Progress& progress)
    : probe_(probe) {
  take_balls(charges);
  if (balls_.empty()) return;
  find_neighbours(progress);
  find_arcs(progress);
}

void SolventSurface::take_balls(const structures::Charges& charges) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (charges.radius[i] > 0) order.push_back(i);
  }
  // Of several at one place the largest is seen, once.
  const auto key = [&](std::size_t i) {
    return std::tuple(charges.x[i], charges.y[i], charges.z[i], -charges.radius[i]);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (const std::size_t i : order) {
    const Ball ball{charges.place(i), charges.radius[i]};
    if (balls_.empty() || balls_.back().centre != ball.centre) balls_.push_back(ball);
  }
}

void SolventSurface::find_neighbours(const jobs::Progress& progress) {
  double largest = 0;
  for (const Ball& ball : balls_) largest = std::max(largest, ball.radius);
  const BallCells cells(balls_, 2 * (largest + probe_) + touching);
  std::vector<std::vector<std::uint32_t>> of(balls_.size());
  handover::parallel_for(Indices(0, balls_.size()), [&](const Indices& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      progress.check();
      const Ball& ball = balls_[i];
      std::vector<std::pair<double, std::uint32_t>> found;
      cells.around(ball.centre, [&](std::uint32_t j) {
        const double distance = (balls_[j].centre - ball.centre).norm();
        if (j != i && distance < ball.radius + balls_[j].radius + 2 * probe_)
          found.emplace_back(distance - balls_[j].radius, j);
      });
      // What covers most comes first.
      std::ranges::sort(found);
      for (const auto& [distance, j] : found) of[i].push_back(j);
    }
  });
  first_neighbour_.assign(1, 0);
  for (const auto& each : of) first_neighbour_.push_back(first_neighbour_.back() + each.size());
  neighbours_.reserve(first_neighbour_.back());
  for (const auto& each : of) neighbours_.insert(neighbours_.end(), each.begin(), each.end());
}

std::vector<SolventSurface::Arc> SolventSurface::arcs_of(std::size_t ball) const {
  std::vector<Arc> found;
  const Ball& one = balls_[ball];
  const double radius = one.radius + probe_;
  const std::size_t first = first_neighbour_[ball], end = first_neighbour_[ball + 1];
  for (std::size_t n = first; n < end; ++n) {
    const std::size_t other = neighbours_[n];
    if (other < ball) continue;
    const Ball& two = balls_[other];
    const Vector3d between = two.centre - one.centre;
    const double distance = between.norm(), other_radius = two.radius + probe_;
    if (distance <= std::abs(radius - other_radius) + touching) continue;  // one lies in the other
    Arc arc;
    arc.axis = between / distance;
    const double along =
        (distance * distance + radius * radius - other_radius * other_radius) / (2 * distance);
    arc.centre = one.centre + along * arc.axis;
    arc.radius = std::sqrt(std::max(0.0, radius * radius - along * along));
    const Vector3d e1 = arc.axis.unitOrthogonal(), e2 = arc.axis.cross(e1);
    Exposed exposed;
    for (std::size_t m = first; m < end && !exposed.none(); ++m) {
      if (m == n) continue;
      const Ball& third = balls_[neighbours_[m]];
      const double third_radius = third.radius + probe_ - touching;
      const Vector3d w = arc.centre - third.centre;
      // Inside of it where 2 radius (w.e1 cos t + w.e2 sin t) < its radius^2 - w^2 - radius^2.
      const double a = w.dot(e1), b = w.dot(e2), most = 2 * arc.radius * std::sqrt(a * a + b * b);
      const double less = third_radius * third_radius - w.squaredNorm() - arc.radius * arc.radius;
      if (less <= -most) continue;
      if (less >= most) {
        exposed.cover_all();
      } else {
        exposed.cover(std::atan2(b, a) + std::numbers::pi, std::numbers::pi - std::acos(less / most));
      }
    }
    const bool circle = exposed.all();
    for (const auto& [low, high] : exposed.joined()) {
      const double middle = (low + high) / 2, half = circle ? std::numbers::pi : (high - low) / 2;
      arc.along = std::cos(middle) * e1 + std::sin(middle) * e2;
      arc.across = arc.axis.cross(arc.along);
      arc.cosine = circle ? -1 : std::cos(half);
      arc.sine = circle ? 0 : std::sin(half);
      // Of more than half a circle, around the circle's centre.
      arc.middle = arc.cosine < 0 ? arc.centre : (arc.centre + arc.radius * arc.cosine * arc.along).eval();
      arc.reach = arc.cosine < 0 ? arc.radius : arc.radius * std::max(arc.sine, 1 - arc.cosine);
      found.push_back(arc);
    }
  }
  return found;
}

void SolventSurface::find_arcs(const jobs::Progress& progress) {
  std::vector<std::vector<Arc>> of(balls_.size());
  handover::parallel_for(Indices(0, balls_.size()), [&](const Indices& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      progress.check();
      of[i] = arcs_of(i);
    }
  });
  for (const auto& each : of) arcs_.insert(arcs_.end(), each.begin(), each.end());
}

void SolventSurface::prepare(double deepest) {
  if (deepest <= deepest_ || arcs_.empty()) return;
  deepest_ = deepest;
  const double within = probe_ + deepest;
  Vector3d low = arcs_.front().middle, high = low;
  for (const Arc& arc : arcs_) {
    low = low.cwiseMin(arc.middle - Vector3d::Constant(arc.reach + within)).eval();
    high = high.cwiseMax(arc.middle + Vector3d::Constant(arc.reach + within)).eval();
  }
  low_ = low;
  side_ = std::max(1.0, within / 2);
  const auto cells = [&] { return ((high - low) / side_).array().floor() + 1; };
  while (cells().prod() > 64.0 * static_cast<double>(arcs_.size()) + 64) side_ *= 1.26;
  for (int axis = 0; axis < 3; ++axis)
    cells_[static_cast<std::size_t>(axis)] = static_cast<int>(cells()[axis]);
  const auto range = [&](const Arc& arc, int axis, bool upper) {
    const double reach = arc.reach + within;
    const double at = (arc.middle[axis] + (upper ? reach : -reach) - low_[axis]) / side_;
    return std::clamp(static_cast<int>(std::floor(at)), 0, cells_[static_cast<std::size_t>(axis)] - 1);
  };
  const auto for_cells = [&](const auto& use) {
    for (std::size_t arc = 0; arc < arcs_.size(); ++arc) {
      for (int k = range(arcs_[arc], 2, false); k <= range(arcs_[arc], 2, true); ++k) {
        for (int j = range(arcs_[arc], 1, false); j <= range(arcs_[arc], 1, true); ++j) {
          for (int i = range(arcs_[arc], 0, false); i <= range(arcs_[arc], 0, true); ++i) {
            const Vector3d from = low_ + side_ * Vector3d(i, j, k), to = from + Vector3d::Constant(side_);
            const Vector3d& middle = arcs_[arc].middle;
            const Vector3d beyond = (from - middle).cwiseMax(middle - to).cwiseMax(0);
            if (beyond.norm() > arcs_[arc].reach + within) continue;
            use(arc, static_cast<std::size_t>(i) +
                         static_cast<std::size_t>(cells_[0]) *
                             (static_cast<std::size_t>(j) + static_cast<std::size_t>(cells_[1]) * k));
          }
        }
      }
    }
  };
  first_in_cell_.assign(static_cast<std::size_t>(cells_[0]) * cells_[1] * cells_[2] + 1, 0);
  for_cells([&](std::size_t, std::size_t cell) { ++first_in_cell_[cell + 1]; });
  std::partial_sum(first_in_cell_.begin(), first_in_cell_.end(), first_in_cell_.begin());
  dispatch::require_memory("The solvent-excluded surface", first_in_cell_.back() * sizeof(std::uint32_t),
                           "Take a smaller probe.");
  in_cell_.resize(first_in_cell_.back());
  auto next = first_in_cell_;
  for_cells(
      [&](std::size_t arc, std::size_t cell) { in_cell_[next[cell]++] = static_cast<std::uint32_t>(arc); });
}

bool SolventSurface::covered(const Vector3d& place, std::size_t ball) const {
  for (std::size_t n = first_neighbour_[ball]; n < first_neighbour_[ball + 1]; ++n) {
    const Ball& other = balls_[neighbours_[n]];
    const double radius = other.radius + probe_ - touching;
    if (radius > 0 && (other.centre - place).squaredNorm() < radius * radius) return true;
  }
  return false;
}

std::size_t SolventSurface::cell_of(const Vector3d& place) const {
  const Vector3d at = (place - low_) / side_;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(at[axis] >= 0 && at[axis] < cells_[static_cast<std::size_t>(axis)])) return SIZE_MAX;
  }
  return static_cast<std::size_t>(at.x()) +
         static_cast<std::size_t>(cells_[0]) *
             (static_cast<std::size_t>(at.y()) +
              static_cast<std::size_t>(cells_[1]) * static_cast<std::size_t>(at.z()));
}

double SolventSurface::signed_distance(const Vector3d& place, std::size_t closest, double distance,
                                       double deepest) const {
  if (distance <= -deepest) return -deepest;  // nowhere is the surface nearer than the ball's
  const Ball& ball = balls_[closest];
  const Vector3d out = place - ball.centre;
  const double length = out.norm();
  // Nothing of the probe's surface is nearer than that of the nearest ball, if it is there.
  if (length > 0 && !covered(ball.centre + (ball.radius + probe_) / length * out, closest)) return distance;
  double best = (probe_ + deepest) * (probe_ + deepest), within = probe_ + deepest;
  const std::size_t cell = arcs_.empty() ? SIZE_MAX : cell_of(place);
  if (cell == SIZE_MAX) return -deepest;
  for (std::size_t n = first_in_cell_[cell]; n < first_in_cell_[cell + 1]; ++n) {
    const Arc& arc = arcs_[in_cell_[n]];
    const double far = arc.reach + within;
    if ((place - arc.middle).squaredNorm() >= far * far) continue;
    const Vector3d v = place - arc.centre;
    const double height = v.dot(arc.axis), a = v.dot(arc.along), b = std::abs(v.dot(arc.across));
    const double across = std::sqrt(a * a + b * b);
    double squared = height * height;
    if (a >= arc.cosine * across) {
      squared += (across - arc.radius) * (across - arc.radius);
    } else {
      const double da = a - arc.radius * arc.cosine, db = b - arc.radius * arc.sine;
      squared += da * da + db * db;
    }
    if (squared < best) {
      best = squared;
      within = std::sqrt(best);
    }
  }
  return std::max(probe_ - within, -deepest);
}

}  // namespace isolume::electrostatics
