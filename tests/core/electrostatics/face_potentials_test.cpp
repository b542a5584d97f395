#include "core/electrostatics/poisson_boltzmann/face_potentials.h"

#include <cmath>
#include <cstdint>
#include <tuple>

#include <gtest/gtest.h>

#include "core/base/philox.h"
#include "core/electrostatics/units.h"

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

/// In double precision.
double sum_at(const Vector3d& place, const Charges& charges, double permittivity, double kappa) {
  double sum = 0;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double r = (place - charges.place(i)).norm(), s = charges.radius[i];
    sum += charges.charge[i] * std::exp(-kappa * (r - s)) / ((1 + kappa * s) * r);
  }
  return sum * coulomb_constant(PotentialUnit::kt_per_e, 298.15) / permittivity;
}

/// As many charges as are summed one by one, and more; near the faces, which are computed at all points, and far from them, where few are.
TEST(FacePotentials, AreTheSumsOfAllCharges) {
  const Vector3d box(20, 31, 17);
  for (const auto& [count, margin, spacing] :
       {std::tuple(40, 6.0, 1.1), std::tuple(3000, 4.0, 0.9), std::tuple(3000, 12.0, 0.75),
        std::tuple(3000, 40.0, 3.1), std::tuple(3000, 88.0, 6.8)}) {
    const Charges charges = charges_in(box, count);
    lattice::Lattice lattice;
    lattice.unit = lattice::LengthUnit::angstrom;
    lattice.origin = Vector3d::Constant(-margin);
    lattice.step = (spacing * Vector3d(1, 1.04, 0.97)).asDiagonal();
    for (int axis = 0; axis < 3; ++axis) {
      lattice.dimensions[static_cast<std::size_t>(axis)] =
          static_cast<int>(std::ceil((box[axis] + 2 * margin) / lattice.step(axis, axis))) + 1;
    }
    PotentialOptions options;
    options.solute_dielectric = 3;  // which is not asked for
    options.dielectric = Dielectric::distance;
    for (const double salt : {0.0, 0.3}) {
      const auto found = debye_hueckel_faces(lattice, charges, options, 78, salt, {});
      const double kappa = inverse_debye_length(salt, 78, 298.15);
      const Extents e{lattice.dimensions[0], lattice.dimensions[1], lattice.dimensions[2]};
      ASSERT_EQ(found.size(), face_points(e));
      // What polynomials of degree 5 leave of the sum without salt, and of a charge of 1 e at the distance of the margin.
      const double of_one = 3e-4 * coulomb_constant(PotentialUnit::kt_per_e, 298.15) / (78 * margin);
      std::size_t next = 0;
      double largest = 0;
      for_faces(e, [&](int i, int j, int k) {
        const std::size_t n = next++;
        if (n % 7 != 0 && i != 0 && j != 0) return;
        const double expected = sum_at(lattice.point(i, j, k), charges, 78, kappa);
        largest = std::max(largest, std::abs(expected));
        const double plain = kappa > 0 ? sum_at(lattice.point(i, j, k), charges, 78, 0) : expected;
        ASSERT_NEAR(found[n], expected, of_one + 1e-4 * std::abs(plain))
            << count << ", " << margin << ", " << salt << ": " << i << ' ' << j << ' ' << k;
      });
      if (salt == 0) {
        EXPECT_GT(largest, 1000 * of_one) << "what is left would be no small part";
      }
    }
  }
}

TEST(FacePotentials, OfManyAtomsWithoutChargeAreNothing) {
  Charges charges = charges_in({20, 20, 20}, 3000);
  for (double& charge : charges.charge) charge = 0;
  lattice::Lattice lattice;
  lattice.unit = lattice::LengthUnit::angstrom;
  lattice.origin = Vector3d::Constant(-40);
  lattice.step = Eigen::Matrix3d::Identity() * 10;
  lattice.dimensions = {11, 11, 11};
  for (const double value : debye_hueckel_faces(lattice, charges, PotentialOptions(), 78, 0.1, {}))
    EXPECT_EQ(value, 0);
}

}  // namespace
}  // namespace isolume::electrostatics
