// The CPU engine against the reference engine (Algorithm 1, double precision).
#include "core/orbitals/engine.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "core/orbitals/reference_engine.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals {
namespace {

lattice::Lattice box_lattice(std::array<int, 3> dimensions, Eigen::Vector3d step, Eigen::Vector3d origin) {
  lattice::Lattice made;
  made.dimensions = dimensions;
  made.origin_bohr = origin;
  made.step_bohr = step.asDiagonal();
  return made;
}

/// Largest error over the field, as a part of `scale`.
template <class Values>
double relative_error(const Values& values, const Eigen::VectorXd& expected, double scale) {
  double worst = 0;
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(values[i]) - expected[i]));
  }
  return worst / scale;
}

/// The largest magnitude of the columns over all space: a lattice may be a single point, or lie on a node.
Eigen::VectorXd largest_magnitudes(const molecules::Wavefunction& wavefunction,
                                   const Eigen::MatrixXd& coefficients) {
  const auto around = box_lattice({17, 15, 13}, {0.45, 0.45, 0.45}, {-3.6, -2.7, -2.7});
  return reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, lattice_points(around))
      .cwiseAbs()
      .colwise()
      .maxCoeff();
}

struct Case {
  const char* name;
  bool spherical;
  lattice::Lattice lattice;
};

class EngineOnLattice : public testing::TestWithParam<Case> {};

TEST_P(EngineOnLattice, AmplitudesAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(GetParam().spherical);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 1);
  const Eigen::MatrixXd expected = reference_amplitudes(wavefunction.molecule, wavefunction.basis,
                                                        coefficients, lattice_points(GetParam().lattice));
  const auto fields = make_cpu_engine()->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients,
                                                    GetParam().lattice, {}, {});
  const Eigen::VectorXd scales = largest_magnitudes(wavefunction, coefficients);
  ASSERT_EQ(fields.size(), 3U);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(fields[k].size(), GetParam().lattice.point_count());
    EXPECT_LT(relative_error(fields[k], expected.col(k), scales[k]), 1e-6) << "column " << k;
  }
}

TEST_P(EngineOnLattice, DensitiesAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(GetParam().spherical);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 4, 2);
  const Eigen::Vector4d weights(2, 1, 0.5, -1);
  const Eigen::MatrixXd amplitudes = reference_amplitudes(wavefunction.molecule, wavefunction.basis,
                                                          coefficients, lattice_points(GetParam().lattice));
  const auto field = make_cpu_engine()->density(wavefunction.molecule, wavefunction.basis, coefficients,
                                                weights, GetParam().lattice, {}, {});
  const double scale = largest_magnitudes(wavefunction, coefficients).cwiseAbs2().dot(weights.cwiseAbs());
  EXPECT_LT(relative_error(field, amplitudes.cwiseAbs2() * weights, scale), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Lattices, EngineOnLattice,
    testing::Values(Case{"cartesian", false, box_lattice({37, 25, 19}, {0.25, 0.3, 0.4}, {-4.1, -3.2, -3.6})},
                    Case{"spherical", true, box_lattice({37, 25, 19}, {0.25, 0.3, 0.4}, {-4.1, -3.2, -3.6})},
                    Case{"one_row", true, box_lattice({41, 1, 1}, {0.2, 0.3, 0.4}, {-4, 0.3, 0.1})},
                    Case{"one_plane", true, box_lattice({1, 33, 17}, {0.2, 0.25, 0.4}, {0.2, -4, -3})},
                    Case{"one_point", false, box_lattice({1, 1, 1}, {1, 1, 1}, {0.3, 0.2, -0.4})},
                    Case{"fine", true, box_lattice({50, 9, 9}, {0.01, 0.01, 0.02}, {-0.2, -0.05, -0.08})}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace isolume::orbitals
