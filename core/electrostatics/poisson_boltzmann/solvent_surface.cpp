#include "core/electrostatics/poisson_boltzmann/solvent_surface.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include <Eigen/Geometry>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/electrostatics/poisson_boltzmann/circle_cuts.h"
#include "core/electrostatics/poisson_boltzmann/exposed_circle.h"
#include "core/electrostatics/poisson_boltzmann/exposed_directions.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using Indices = tbb::blocked_range<std::size_t>;
using Ball = SolventSurface::Ball;
using Arc = SolventSurface::Arc;

/// Tolerance in angstrom for balls that touch from within, or circles that pass through a corner.
constexpr double touching = 1e-9;

/// Balls in a grid of cubes, two of which are as long as the reach: balls within reach of a point are in its cube, or
/// at most two cubes away. Cubes are large enough for their number not to exceed that of the balls by far.
class BallCells {
 public:
  BallCells(const std::vector<Ball>& balls, double reach) : side_(reach / layers) {
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
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const Vector3d& at = balls[i].centre;
      members_[next[cell(place_of(at))]++] = {at.x(), at.y(), at.z(), balls[i].radius,
                                              static_cast<std::uint32_t>(i)};
    }
  }
  struct Member {
    double x, y, z, radius;
    std::uint32_t ball;
  };
  template <class Use>
  void around(const Vector3d& place, const Use& use) const {
    const Eigen::Vector3i at = place_of(place);
    const Eigen::Vector3i low = (at.array() - layers).cwiseMax(0),
                          high = (at.array() + layers).min(counts_.array() - 1);
    for (int k = low.z(); k <= high.z(); ++k) {
      for (int j = low.y(); j <= high.y(); ++j) {
        // Those along x are contiguous.
        const std::size_t from = first_[cell({low.x(), j, k})], end = first_[cell({high.x(), j, k}) + 1];
        use(std::span(members_).subspan(from, end - from));
      }
    }
  }

 private:
  static constexpr int layers = 2;

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
  std::vector<Member> members_;
};

/// Concatenates the results for all balls: `find(ball, into)` appends to `into`. In batches, so that little of a
/// large molecule is held twice.
template <class Value, class Find>
std::vector<Value> gathered(std::size_t balls, const jobs::Progress& progress, const Find& find) {
  constexpr std::size_t together = 128, in_a_turn = 1024 * together;
  std::vector<Value> all;
  for (std::size_t first = 0; first < balls; first += in_a_turn) {
    const std::size_t end = std::min(first + in_a_turn, balls);
    std::vector<std::vector<Value>> parts((end - first + together - 1) / together);
    handover::parallel_for(Indices(0, parts.size(), 1), [&](const Indices& range) {
      for (std::size_t part = range.begin(); part != range.end(); ++part) {
        progress.check();
        const std::size_t begin = first + part * together;
        for (std::size_t ball = begin; ball < std::min(begin + together, end); ++ball)
          find(ball, parts[part]);
      }
    });
    std::size_t count = all.size();
    for (const auto& part : parts) count += part.size();
    constexpr double room = 1.05;  // for the rest, which has about as much per ball
    if (count > all.capacity())
      all.reserve(end == balls
                      ? count
                      : static_cast<std::size_t>(room * static_cast<double>(count) *
                                                 static_cast<double>(balls) / static_cast<double>(end)));
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace

SolventSurface::SolventSurface(const structures::Charges& charges) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (charges.radius[i] > 0) order.push_back(i);
  }
  // Of several coincident balls only the largest counts.
  const auto key = [&](std::size_t i) {
    return std::tuple(charges.z[i], charges.y[i], charges.x[i], -charges.radius[i]);
  };
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  for (const std::size_t i : order) {
    const Ball ball{charges.place(i), charges.radius[i]};
    if (balls_.empty() || balls_.back().centre != ball.centre) balls_.push_back(ball);
  }
  for (const Ball& ball : balls_) largest_ = std::max(largest_, ball.radius);
}

SolventSurface::SolventSurface(const structures::Charges& charges, double probe,
                               const jobs::Progress& progress)
    : SolventSurface(charges) {
  probe_ = probe;
  if (balls_.empty()) return;
  find_neighbours(progress);
  find_arcs(progress);
}

std::span<const Ball> SolventSurface::balls_at(double height, double reach) const {
  const double away = largest_ + reach;
  const auto z = [](const Ball& ball) { return ball.centre.z(); };
  const auto first = std::ranges::lower_bound(balls_, height - away, {}, z),
             last = std::ranges::upper_bound(balls_, height + away, {}, z);
  return {first, last};
}

std::span<const std::uint32_t> SolventSurface::neighbours_of(std::size_t ball) const {
  return std::span(neighbours_)
      .subspan(first_neighbour_[ball], first_neighbour_[ball + 1] - first_neighbour_[ball]);
}

void SolventSurface::find_neighbours(const jobs::Progress& progress) {
  const BallCells cells(balls_, 2 * (largest_ + probe_) + touching);
  first_neighbour_.assign(balls_.size() + 1, 0);
  neighbours_ =
      gathered<std::uint32_t>(balls_.size(), progress, [&](std::size_t i, std::vector<std::uint32_t>& into) {
        const Ball& ball = balls_[i];
        struct Near {
          double squared, radius;
          std::uint32_t ball;
        };
        static thread_local std::vector<Near> near;  // kept between calls to avoid clearing it
        std::size_t count = 0;
        cells.around(ball.centre, [&](std::span<const BallCells::Member> others) {
          if (near.size() < count + others.size()) near.resize(2 * (count + others.size()));
          for (const auto& other : others) {
            const double x = other.x - ball.centre.x(), y = other.y - ball.centre.y(),
                         z = other.z - ball.centre.z(), squared = x * x + y * y + z * z;
            const double most = ball.radius + other.radius + 2 * probe_;
            // Without a branch, which would often be mispredicted.
            near[count] = {squared, other.radius, other.ball};
            count += static_cast<std::size_t>(squared < most * most);
          }
        });
        // The size of the part that it leaves exposed, as an integer in the upper bits, so that the ball that covers
        // most comes first.
        static thread_local std::vector<std::uint64_t> found;
        found.clear();
        for (const Near& each : std::span(near).first(count)) {
          const auto alone = static_cast<float>(std::sqrt(each.squared) + (largest_ - each.radius));
          if (each.ball != i)
            found.push_back(std::uint64_t{std::bit_cast<std::uint32_t>(alone)} << 32 | each.ball);
        }
        constexpr std::ptrdiff_t first = 12;
        if (std::ssize(found) > first) std::ranges::nth_element(found, found.begin() + first);
        std::sort(found.begin(), found.begin() + std::min(first, std::ssize(found)));
        for (const std::uint64_t each : found) into.push_back(static_cast<std::uint32_t>(each));
        first_neighbour_[i + 1] = found.size();
      });
  std::partial_sum(first_neighbour_.begin(), first_neighbour_.end(), first_neighbour_.begin());
}

void SolventSurface::find_arcs(const jobs::Progress& progress) {
  arcs_ = gathered<Arc>(balls_.size(), progress, [&](std::size_t one, std::vector<Arc>& into) {
    static thread_local ExposedCircle exposed;
    static thread_local ExposedDirections free;
    static thread_local BallsAround others;
    static thread_local std::vector<double> from, to;
    const auto neighbours = neighbours_of(one);
    const double radius = balls_[one].radius + probe_;
    others.clear();
    for (const std::uint32_t each : neighbours)
      others.add(balls_[each].centre - balls_[one].centre, balls_[each].radius + probe_ - touching);
    free.find(radius, others);
    if (free.none()) return;  // as for most balls of a large molecule
    others.fill_up();
    from.resize(others.size());
    to.resize(others.size());
    for (std::size_t n = 0; n < neighbours.size(); ++n) {
      const std::uint32_t two = neighbours[n];
      if (two < one) continue;
      const Vector3d between = balls_[two].centre - balls_[one].centre;
      const double distance = between.norm(), other_radius = balls_[two].radius + probe_;
      if (distance <= std::abs(radius - other_radius) + touching) continue;  // one lies inside the other
      Arc arc;
      arc.axis = between / distance;
      const double along =
          (distance * distance + radius * radius - other_radius * other_radius) / (2 * distance);
      if (!free.may_reach(arc.axis, along / radius)) continue;
      const Vector3d centre = along * arc.axis;
      arc.centre = balls_[one].centre + centre;
      arc.radius = std::sqrt(std::max(0.0, radius * radius - along * along));
      const Vector3d e1 = arc.axis.unitOrthogonal(), e2 = arc.axis.cross(e1);
      // The circle lies outside its own two balls, whose cuts are excluded by the tolerance.
      const std::size_t cuts = circle_cuts(others, {centre, e1, e2, arc.radius}, from.data(), to.data());
      if (cuts == covers_all) continue;
      exposed.expose_all();
      for (std::size_t cut = 0; cut < cuts && !exposed.none(); ++cut) exposed.cover(from[cut], to[cut]);
      const bool circle = exposed.all();
      for (const auto& [begin, end] : exposed.joined()) {
        const double low = ExposedCircle::angle_of(begin), high = ExposedCircle::angle_of(end);
        const double middle = (low + high) / 2, half = circle ? std::numbers::pi : (high - low) / 2;
        arc.along = std::cos(middle) * e1 + std::sin(middle) * e2;
        arc.across = arc.axis.cross(arc.along);
        arc.cosine = circle ? -1 : std::cos(half);
        arc.sine = circle ? 0 : std::sin(half);
        // For more than half a circle, the circle's centre.
        arc.middle = arc.cosine < 0 ? arc.centre : (arc.centre + arc.radius * arc.cosine * arc.along).eval();
        arc.reach = arc.cosine < 0 ? arc.radius : arc.radius * std::max(arc.sine, 1 - arc.cosine);
        into.push_back(arc);
      }
    }
  });
}

bool SolventSurface::covered(const Vector3d& place, std::size_t ball) const {
  for (const std::uint32_t each : neighbours_of(ball)) {
    const double radius = balls_[each].radius + probe_ - touching;
    if (radius > 0 && (balls_[each].centre - place).squaredNorm() < radius * radius) return true;
  }
  return false;
}

}  // namespace isolume::electrostatics
