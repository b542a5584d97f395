#include "core/multipoles/translations.h"

#include <array>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

namespace isolume::multipoles {
namespace {

using Eigen::Vector3d;

/// Charges of both signs in a ball of radius 1 about `centre`, the outermost on its surface, as a tree that is one
/// leaf.
struct Ball {
  std::vector<double> x, y, z, charge;
  Vector3d centre;
  PointTree tree;

  explicit Ball(const Vector3d& at, int count = 21) : centre(at) {
    for (int i = 0; i < count; ++i) {
      const double t = i, height = std::sin(7 * t * t), across = std::sqrt(1 - height * height);
      const double radius = i == 0 ? 1 : std::cbrt(std::fmod(0.618 * t, 1));
      const Vector3d from = radius * Vector3d(across * std::cos(2 * t), across * std::sin(2 * t), height);
      x.push_back(at.x() + from.x());
      y.push_back(at.y() + from.y());
      z.push_back(at.z() + from.z());
      charge.push_back(i % 3 == 0 ? -1.5 : 1 + 0.1 * t);
    }
    tree = build_point_tree({x, y, z, charge}, Frame(), static_cast<std::uint32_t>(count));
  }
  PointSpan points() const { return {tree, 0, static_cast<std::uint32_t>(x.size())}; }
  double all_charge() const {
    double sum = 0;
    for (const double value : charge) sum += std::abs(value);
    return sum;
  }
};

struct At {
  std::vector<double> potential, x, y, z;
  explicit At(std::size_t count) : potential(count), x(count), y(count), z(count) {}
  FieldSums sums() { return {potential.data(), x.data(), y.data(), z.data()}; }
};

/// One by one.
At exact(const Ball& sources, const Ball& targets) {
  At sums(targets.x.size());
  for (std::size_t i = 0; i < targets.x.size(); ++i) {
    for (std::size_t j = 0; j < sources.x.size(); ++j) {
      const Vector3d to(sources.x[j] - targets.x[i], sources.y[j] - targets.y[i],
                        sources.z[j] - targets.z[i]);
      const double part = sources.charge[j] / to.norm(), slope = part / to.squaredNorm();
      sums.potential[i] += part;
      sums.x[i] += slope * to.x();
      sums.y[i] += slope * to.y();
      sums.z[i] += slope * to.z();
    }
  }
  return sums;
}

double largest_difference(const std::vector<double>& one, const std::vector<double>& other) {
  double largest = 0;
  for (std::size_t i = 0; i < one.size(); ++i) largest = std::max(largest, std::abs(one[i] - other[i]));
  return largest;
}

constexpr double unit = 0.8;

/// With the errors of what an expansion of this order gives.
struct Errors {
  double potential, gradient;
};
template <class Real>
Errors far_errors(const Ball& sources, const Ball& targets, int order) {
  const Harmonics harmonics(order);
  Workspace workspace(harmonics);
  std::vector<double> moments(harmonics.size()), field(harmonics.size());
  moments_of_points(harmonics, sources.points(), sources.centre, 1, moments.data(), workspace);
  const std::vector<Real> values(moments.begin(), moments.end());
  const Expansion<Real> source{values.data(), targets.centre - sources.centre, 1};
  add_far_field(harmonics, std::span(&source, 1), unit, field.data(), workspace);
  At found(targets.x.size());
  add_field_at_points(harmonics, field.data(), targets.centre, unit, targets.points(), found.sums(),
                      workspace);
  // The tree's points are in another order.
  At expected = exact(sources, targets);
  At ordered = expected;
  for (std::size_t i = 0; i < targets.x.size(); ++i) {
    const std::uint32_t from = targets.tree.original[i];
    ordered.potential[i] = expected.potential[from];
    ordered.x[i] = expected.x[from];
    ordered.y[i] = expected.y[from];
    ordered.z[i] = expected.z[from];
  }
  return {largest_difference(found.potential, ordered.potential),
          std::max({largest_difference(found.x, ordered.x), largest_difference(found.y, ordered.y),
                    largest_difference(found.z, ordered.z)})};
}

class FarField : public ::testing::TestWithParam<std::array<double, 3>> {
 protected:
  const Vector3d way = Vector3d(GetParam().data()).normalized();
};

TEST_P(FarField, ErrorFallsGeometricallyWithTheOrder) {
  const Ball sources(Vector3d(0.1, -0.2, 0.3));
  for (const double distance : {3.0, 5.0}) {
    const Ball targets(sources.centre + distance * way);
    for (int order = 0; order <= 24; order += 3) {
      const Errors found = far_errors<double>(sources, targets, order);
      // What is left out of either series falls with 1 / (distance - 1); both at once cost twice as much.
      const double ratio = 1 / (distance - 1), left = std::pow(ratio, order + 1) / (1 - ratio);
      const double bound = 2 * sources.all_charge() * left / (distance - 2) + 1e-13;
      EXPECT_LT(found.potential, bound) << "order " << order;
      EXPECT_LT(found.gradient, (order + 2) * bound / (distance - 2)) << "order " << order;
      if (order > Harmonics::highest_order<float>) continue;
      const Errors single = far_errors<float>(sources, targets, order);
      EXPECT_LT(single.potential, bound + 1e-6 * sources.all_charge()) << "order " << order;
      EXPECT_LT(single.gradient, (order + 2) * (bound + 1e-6 * sources.all_charge()) / (distance - 2));
    }
    EXPECT_GT(far_errors<double>(sources, targets, 2).potential, 1e-6) << "the balls are too easy a test";
  }
}

TEST_P(FarField, MovesWithoutLoss) {
  const int order = 9;
  const Harmonics harmonics(order);
  Workspace workspace(harmonics);
  const Ball ball(Vector3d(0.1, -0.2, 0.3));
  const Vector3d other = ball.centre + 0.7 * way;
  // Moments about another centre, moved there or from the start, and twice as they are two parts' sum.
  std::vector<double> here(harmonics.size()), there(harmonics.size()), moved(harmonics.size());
  moments_of_points(harmonics, ball.points(), ball.centre, 0.9, here.data(), workspace);
  moments_of_points(harmonics, ball.points(), other, 1.3, there.data(), workspace);
  const Expansion<double> part{here.data(), other - ball.centre, 0.9};
  sum_moments(harmonics, std::array{part, part}, 1.3, moved.data(), workspace);
  for (double& value : there) value *= 2;
  EXPECT_LT(largest_difference(moved, there), 1e-12 * ball.all_charge());
  // A field about another centre has the same values: any coefficients make one.
  std::vector<double> field(harmonics.size()), elsewhere(harmonics.size());
  for (int n = 0; n <= order; ++n) {
    for (int m = 0; m <= n; ++m) {
      field[Harmonics::index(n, m)] = std::sin(n + 3 * m);
      field[harmonics.terms() + Harmonics::index(n, m)] = m == 0 ? 0 : std::cos(2 * n + m);
    }
  }
  const ExpansionPlace place{elsewhere.data(), other - ball.centre, 0.6};
  move_field(harmonics, field.data(), 2, std::span(&place, 1), workspace);
  At before(ball.x.size()), after(ball.x.size());
  add_field_at_points(harmonics, field.data(), ball.centre, 2, ball.points(), before.sums(), workspace);
  add_field_at_points(harmonics, elsewhere.data(), other, 0.6, ball.points(), after.sums(), workspace);
  EXPECT_LT(largest_difference(before.potential, after.potential), 1e-12);
  EXPECT_LT(largest_difference(before.x, after.x), 1e-11);
  EXPECT_LT(largest_difference(before.z, after.z), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Ways, FarField,
                         ::testing::Values(std::array{0.0, 0.0, 1.0}, std::array{0.0, 0.0, -1.0},
                                           std::array{1.0, 0.0, 0.0}, std::array{0.0, -1.0, 0.0},
                                           std::array{1.0, 2.0, -1.0}, std::array{-0.3, 0.2, 0.9},
                                           std::array{-1.0, -1.0, -1.0}, std::array{1e-9, 0.0, 1.0}));

}  // namespace
}  // namespace isolume::multipoles
