#include "gpu/orbitals/pointwise/packed_shells.h"

#include <bit>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"
#include "core/orbitals/reference_engine.h"
#include "tests/core/molecules/test_files.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::gpu {
namespace {

/// The counts that Stone et al. state for C60 in 6-31G* (GPU Computing Gems Emerald, chapter 1).
TEST(PackedShells, CountsOfC60AreThoseOfTheLiterature) {
  const auto document = molecules::read_document(molecules::testing::sample("c60.molden.gz"));
  const auto& wavefunction = *document.wavefunction;
  const Eigen::MatrixXd coefficients = wavefunction.sets.front().coefficients.col(179);
  const FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  const PackedShells packed = pack_shells(problem, 1);
  EXPECT_EQ(packed.monomial_count, 900U);
  EXPECT_EQ(packed.primitive_count, 15U);
  EXPECT_EQ(packed.shell_count, 360U);
  // The s and p shells of 6-31G* share exponents: 6 + 3 + 1 + 1 exponentials a carbon instead of 15.
  EXPECT_EQ(packed.exponential_count, 660U);
  EXPECT_EQ(packed.layout.centre_count, 60);
  EXPECT_LT(packed.bytes(), 16U << 10);
}

float value(const Word& word, int i) {
  return std::array{word.x, word.y, word.z, word.w}[i];
}
int integer(const Word& word, int i) {
  return std::bit_cast<int>(value(word, i));
}

/// Reads the packed words as a kernel does, in double precision.
class Reader {
 public:
  Reader(const PackedShells& packed, const grid::Grid* grid) : packed_(packed), grid_(grid) {}

  double amplitude(const Eigen::Vector3d& place, int column) const {
    const auto& layout = packed_.layout;
    const Eigen::Vector3d index = grid_ != nullptr ? grid_->index_at(place) : place;
    const int first = layout.first_coefficient + column / layout.columns_per_pass * layout.words_per_pass;
    double sum = 0;
    for (int c = 0; c < layout.centre_count; ++c) {
      const Word& n = packed_.words[2 * c];
      const Word& r = packed_.words[2 * c + 1];
      Eigen::Vector3d relative = index - Eigen::Vector3d(n.x, n.y, n.z);
      const Eigen::Vector3d rest(r.x, r.y, r.z);
      relative = grid_ != nullptr ? Eigen::Vector3d(grid_->step * relative + rest) : relative - rest;
      const int groups = integer(r, 3);
      EXPECT_LE(groups & 15, most_groups_per_centre);
      for (int g = groups >> 4; g < (groups >> 4) + (groups & 15); ++g) {
        sum +=
            group(packed_.words[layout.first_group + g], relative, first, column % layout.columns_per_pass);
      }
    }
    return sum;
  }

 private:
  double group(const Word& word, const Eigen::Vector3d& place, int first, int column) const {
    const int count = integer(word, 1) >> 12;
    double sum = 0;
    int at = first + integer(word, 2);
    int shell = 0;
    for (int shells = integer(word, 1) & 0xfff; shells != 0; shells >>= 4, ++shell) {
      double radial = 0;
      for (int p = 0; p < count; ++p) {
        const Word& primitive = packed_.words[packed_.layout.first_primitive + integer(word, 0) + p];
        radial += value(primitive, 1 + shell) * std::exp2(primitive.x * place.squaredNorm());
      }
      const int l = (shells & 15) - 1;
      const auto& powers = molecules::cartesian_powers(l);
      for (std::size_t m = 0; m < powers.size(); ++m) {
        const int position = static_cast<int>(m) * packed_.layout.columns_per_pass + column;
        sum += radial * value(packed_.words[at + position / 4], position % 4) *
               std::pow(place.x(), powers[m].x) * std::pow(place.y(), powers[m].y) *
               std::pow(place.z(), powers[m].z);
      }
      at += coefficient_words(l, packed_.layout.columns_per_pass);
    }
    return sum;
  }

  const PackedShells& packed_;
  const grid::Grid* grid_;
};

class PackedShellsOf : public testing::TestWithParam<int> {};

TEST_P(PackedShellsOf, MeanTheWavefunctionTheyWereMadeFrom) {
  for (const bool spherical : {false, true}) {
    const auto wavefunction = test::all_shells(spherical);
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 5, 11);
    grid::Grid grid = grid::centred({1000, -2000, 30}, {20, 20, 20}, 0.3);
    grid.step(0, 1) = 0.05;
    for (const grid::Grid* on : {static_cast<const grid::Grid*>(nullptr), &std::as_const(grid)}) {
      FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
      problem.grid = on;
      const PackedShells packed = pack_shells(problem, GetParam());
      const Reader reader(packed, on);
      std::srand(5);
      const Eigen::Matrix3Xd places = 2 * Eigen::Matrix3Xd::Random(3, 20);
      const Eigen::MatrixXd expected =
          orbitals::reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, places);
      for (int k = 0; k < 5; ++k) {
        for (Eigen::Index n = 0; n < places.cols(); ++n) {
          EXPECT_NEAR(reader.amplitude(places.col(n), k), expected(n, k),
                      2e-6 * expected.cwiseAbs().maxCoeff());
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ColumnsPerPass, PackedShellsOf, testing::Values(1, 2, 4, 8, 16));

TEST(PackedShells, EqualContractionsAreStoredOnce) {
  const auto wavefunction = test::all_shells(true);  // three atoms with the same shells
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 1);
  const PackedShells packed = pack_shells({wavefunction.molecule, wavefunction.basis, coefficients}, 1);
  EXPECT_EQ(packed.shell_count, 24U);
  EXPECT_EQ(packed.primitive_count, 6U + 3 + 3 + 1 + 4);
  EXPECT_EQ(packed.exponential_count, 3U * (6 + 3 + 1 + 4));
  EXPECT_EQ(packed.layout.centre_count, 6) << "seven groups an atom are two centres";
}

TEST(PackedShells, ManyColumnsAreSharedOutWithLittleWaste) {
  EXPECT_EQ(choose_columns_per_pass(0), 1);
  EXPECT_EQ(choose_columns_per_pass(1), 1);
  EXPECT_EQ(choose_columns_per_pass(2), 2);
  EXPECT_EQ(choose_columns_per_pass(3), 4);
  EXPECT_EQ(choose_columns_per_pass(8), 8);
  EXPECT_EQ(choose_columns_per_pass(16), 16);
  EXPECT_EQ(choose_columns_per_pass(17), 8) << "24 columns cost less than 32";
  EXPECT_EQ(choose_columns_per_pass(180), 16);
}

TEST(PackedShells, RefuseWhatDoesNotBelongTogether) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd wrong = Eigen::MatrixXd::Ones(3, 1);
  EXPECT_THROW(pack_shells({wavefunction.molecule, wavefunction.basis, wrong}, 1), Error);
  const Eigen::MatrixXd right = test::random_coefficients(wavefunction.basis, 2, 1);
  const Eigen::VectorXd weights = Eigen::VectorXd::Ones(3);
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, right};
  problem.weights = &weights;
  EXPECT_THROW(pack_shells(problem, 2), Error);
}

/// A point just outside a primitive's radius: what it adds there must be below its share of the tolerance.
TEST(PackedShells, RadiiKeepTheirShareOfTheTolerance) {
  constexpr double tolerance = 1e-3;
  molecules::Wavefunction made;
  made.molecule = test::atoms_at({{0, 0, 0}});
  made.basis.shells.push_back(test::shell(0, 2, true, {0.5}, {1.0}));
  const Eigen::MatrixXd coefficients = test::random_coefficients(made.basis, 1, 3);
  const PackedShells packed = pack_shells({made.molecule, made.basis, coefficients}, 1, tolerance);
  const double radius = std::sqrt(packed.words[packed.layout.first_radius].x);
  EXPECT_FLOAT_EQ(packed.words[0].w, packed.words[packed.layout.first_radius].x);
  Eigen::Matrix3Xd outside = Eigen::Matrix3Xd::Random(3, 500);
  for (auto place : outside.colwise()) place *= radius / place.norm();
  const double largest =
      orbitals::reference_amplitudes(made.molecule, made.basis, coefficients, outside).cwiseAbs().maxCoeff();
  EXPECT_LE(largest, tolerance);
  EXPECT_GE(largest, 0.02 * tolerance) << "a bound, but no wasteful one";
}

}  // namespace
}  // namespace isolume::gpu
