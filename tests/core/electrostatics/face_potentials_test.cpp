#include "core/electrostatics/poisson_boltzmann/face_potentials.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/philox.h"
#include "core/electrostatics/sums/units.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using structures::Charges;

/// In a box, its corners included, of either sign.
Charges charges_in(const Vector3d& box, int count) {
  Charges charges;
  for (int i = 0; i < count; ++i) {
    Random random(5, static_cast<std::uint64_t>(i));
    const auto along = [&](int axis) { return box[axis] * (i < 8 ? i >> axis & 1 : random.uniform()); };
    structures::add_atom(charges, {along(0), along(1), along(2)}, random.uniform() - 0.45, random.uniform(),
                         {});
  }
  return charges;
}

struct Sum {
  double value = 0;
  double may_be_off = 0;  ///< by the header's bound, and single precision
};
/// In double precision, `distance` from the nearest charge or less.
Sum sum_at(const Vector3d& place, const Charges& charges, double permittivity, double kappa,
           double distance) {
  Sum sum;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double r = (place - charges.place(i)).norm(), s = charges.radius[i];
    const double alone = coulomb_constant(PotentialUnit::kt_per_e, 298.15) / permittivity *
                         charges.charge[i] * std::exp(kappa * s) / ((1 + kappa * s) * r);
    sum.value += alone * std::exp(-kappa * r);
    sum.may_be_off += std::abs(alone) * (6e-4 * std::pow(distance / r, 6) + 1e-6);
  }
  return sum;
}

grid::Grid grid_from(double low, const Vector3d& step, const std::array<int, 3>& dimensions) {
  grid::Grid grid;
  grid.unit = grid::LengthUnit::angstrom;
  grid.origin = Vector3d::Constant(low);
  grid.step = step.asDiagonal();
  grid.dimensions = dimensions;
  return grid;
}

/// As many charges as are summed one by one, and more; near the faces, which are computed at all points, and far from them, where few are.
TEST(FacePotentials, AreTheSumsOfAllCharges) {
  const Vector3d box(20, 31, 17);
  for (const auto& [count, margin, spacing] :
       {std::tuple(40, 6.0, 1.1), std::tuple(3000, 4.0, 0.9), std::tuple(3000, 12.0, 0.75),
        std::tuple(3000, 40.0, 3.1), std::tuple(3000, 88.0, 6.8)}) {
    const Charges charges = charges_in(box, count);
    auto grid = grid_from(-margin, spacing * Vector3d(1, 1.04, 0.97), {});
    for (int axis = 0; axis < 3; ++axis) {
      grid.dimensions[static_cast<std::size_t>(axis)] =
          static_cast<int>(std::ceil((box[axis] + 2 * margin) / grid.step(axis, axis))) + 1;
    }
    PotentialOptions options;
    options.solute_dielectric = 3;  // which is not asked for
    options.dielectric = Dielectric::distance;
    for (const double salt : {0.0, 0.3}) {
      const auto found = debye_hueckel_faces(grid, charges, options, 78, salt, {});
      const double kappa = inverse_debye_length(salt, 78, 298.15);
      const Extents e{grid.dimensions[0], grid.dimensions[1], grid.dimensions[2]};
      ASSERT_EQ(found.size(), face_points(e));
      std::size_t next = 0;
      double largest = 0;
      for_faces(e, [&](int i, int j, int k) {
        const std::size_t n = next++;
        if (n % 7 != 0 && i != 0 && j != 0) return;
        const auto [expected, may_be_off] = sum_at(grid.position(i, j, k), charges, 78, kappa, margin);
        largest = std::max(largest, std::abs(expected) / may_be_off);
        ASSERT_NEAR(found[n], expected, may_be_off)
            << count << ", " << margin << ", " << salt << ": " << i << ' ' << j << ' ' << k;
      });
      if (salt == 0) {
        EXPECT_GT(largest, 30) << "what may be left is no small part";
      }
    }
  }
}

/// Those next to a face, where errors are largest, do not hide among others; nor is a sum that is too large for a charge refused.
TEST(FacePotentials, FewChargesNextToAFaceAreSeen) {
  Charges charges = charges_in({20, 20, 20}, 3000);
  for (double& charge : charges.charge) charge = 0;
  const auto grid = grid_from(-40, Vector3d::Constant(5), {21, 21, 21});
  for (const double charge : {1.0, 9e5}) {
    for (int i = 0; i < 10; ++i) {
      charges.z[100 + static_cast<std::size_t>(i)] = 0;
      charges.charge[100 + static_cast<std::size_t>(i)] = charge;
    }
    const auto found = debye_hueckel_faces(grid, charges, PotentialOptions(), 78, 0, {});
    std::size_t next = 0;
    for_faces({21, 21, 21}, [&](int i, int j, int k) {
      const auto [expected, may_be_off] = sum_at(grid.position(i, j, k), charges, 78, 0, 40);
      ASSERT_NEAR(found[next++], expected, may_be_off) << i << ' ' << j << ' ' << k;
    });
  }
}

TEST(FacePotentials, AreTheSameOnAnyNumberOfThreads) {
  const Charges charges = charges_in({20, 31, 17}, 3000);
  const auto grid = grid_from(-30, Vector3d::Constant(2.5), {33, 37, 32});
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 2, 3}) {
    PotentialOptions options;
    options.threads = threads;
    tbb::task_arena(threads).execute(
        [&] { found.push_back(debye_hueckel_faces(grid, charges, options, 78, 0.1, {})); });
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST(FacePotentials, OfManyAtomsWithoutChargeAreNothing) {
  Charges charges = charges_in({20, 20, 20}, 3000);
  for (double& charge : charges.charge) charge = 0;
  const auto grid = grid_from(-40, Vector3d::Constant(10), {11, 11, 11});
  for (const double value : debye_hueckel_faces(grid, charges, PotentialOptions(), 78, 0.1, {}))
    EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace isolume::electrostatics
