#include "core/nbody/forces/taylor.h"

#include <memory>

#include <gtest/gtest.h>

#include "core/nbody/forces/octree.h"
#include "tests/core/nbody/distributions.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;

constexpr double softening = 0.3;

struct Pull {
  double potential = 0;
  Vector3d acceleration = {0, 0, 0};
};

/// Of all bodies of the tree, one by one.
Pull exact(const SortedBodies& bodies, const Vector3d& at) {
  Pull sum;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vector3d to = bodies.place(i) - at;
    const double distance = std::sqrt(to.squaredNorm() + softening * softening);
    sum.potential -= bodies.mass(i) / distance;
    sum.acceleration += bodies.mass(i) / std::pow(distance, 3) * to;
  }
  return sum;
}

Pull by_taylor(const Taylor& taylor, const Vector3d& from_place) {
  Targets targets;
  targets.count = 1;
  targets.x[0] = static_cast<float>(from_place.x());
  targets.y[0] = static_cast<float>(from_place.y());
  targets.z[0] = static_cast<float>(from_place.z());
  add_taylor(targets, taylor);
  return {targets.potential[0], {targets.ax[0], targets.ay[0], targets.az[0]}};
}

/// The root of a tree, which is in [-1, 1], acts at a place so many times as far away.
class TaylorOfACell : public ::testing::TestWithParam<double> {
 protected:
  static Octree make_tree() {
    ForceSeconds seconds;
    return build_octree(testing::joined(testing::on_a_line(9), testing::scaled(testing::plummer(60), 40, 1)),
                        5, seconds);
  }
  const Octree tree = make_tree();
  const Vector3d place = GetParam() * Vector3d(0.6, -0.5, 0.62);

  Taylor taylor(double length) const {
    auto cells = std::make_unique<CellSources>();
    const Cell& cell = tree.cells[0];
    const Eigen::Vector3f from = (cell.centre_of_mass - place).cast<float>();
    cells->count = 1;
    cells->x[0] = from.x();
    cells->y[0] = from.y();
    cells->z[0] = from.z();
    cells->mass[0] = static_cast<float>(cell.mass);
    cells->radius[0] = static_cast<float>(cell.radius);
    const CellMoments moments = cell_moments(tree)[0];
    for (std::size_t i = 0; i < CellMoments::count; ++i) cells->moments[i][0] = moments.values[i];
    Taylor result;
    result.length = length;
    add_distant_cells(result, *cells, static_cast<float>(softening * softening));
    return result;
  }
};

TEST_P(TaylorOfACell, IsNearWhatItsBodiesExertOneByOne) {
  const Taylor sum = taylor(0.7);
  const Taylor elsewhere = moved(sum, {0.1, 0.3, -0.2}, 0.4);
  for (const Vector3d& from : {Vector3d(0, 0, 0), Vector3d(0.4, 0.1, -0.3), Vector3d(-0.2, -0.6, 0.3)}) {
    const Pull expected = exact(tree.bodies, place + from);
    // Terms of sixth order of both lengths together are left out, 1.5 / distance each; and there is rounding.
    const double order6 = std::pow(1.5 / GetParam(), 6), tolerance = 0.5 * order6 + 3e-7;
    for (const Pull& found : {by_taylor(sum, from), by_taylor(elsewhere, from - Vector3d(0.1, 0.3, -0.2))}) {
      EXPECT_NEAR(found.potential / expected.potential, 1, tolerance);
      EXPECT_LT((found.acceleration - expected.acceleration).norm() / expected.acceleration.norm(),
                4 * GetParam() * tolerance);
    }
  }
}

/// What fills up the last vector weighs nothing, though without a distance, and with hardly any softening, its inverse is large.
TEST(Taylor, OfOneCellIsANumberWithTheLeastSoftening) {
  for (const float least : {0.0F, 1e-30F, 1e-18F, 1e-12F}) {
    CellSources cells;
    cells.count = 1;
    cells.x[0] = 2;
    cells.mass[0] = 0.5F;
    Taylor taylor;
    add_distant_cells(taylor, cells, least);
    const Pull found = by_taylor(taylor, {0, 0, 0});
    EXPECT_NEAR(found.potential, -0.25, 1e-7) << least;
    EXPECT_NEAR(found.acceleration.x(), 0.125, 1e-7) << least;
  }
}

INSTANTIATE_TEST_SUITE_P(Distances, TaylorOfACell, ::testing::Values(3.0, 6.0, 12.0, 24.0, 48.0));

}  // namespace
}  // namespace isolume::nbody
