// Densities from products of primitives, against orbitals squared in double precision, and against integrals.
#include "core/orbitals/product_field.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stop_token>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/molecules/document.h"
#include "core/orbitals/benchmark.h"
#include "core/orbitals/cpu_field.h"
#include "core/orbitals/engine.h"
#include "core/orbitals/gaussian_products.h"
#include "core/orbitals/reference_engine.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals {
namespace {

molecules::Wavefunction sample(const char* name) {
  return *molecules::read_document(resource(std::string("samples/") + name)).wavefunction;
}

/// Two electrons in each of the lowest orbitals.
Combination total_density(const molecules::Wavefunction& wavefunction) {
  FieldRequest request;
  request.kind = FieldKind::density;
  return combine(wavefunction, request);
}

/// Calls `function(centre, exponent, powers, coefficient)` for each monomial of each product.
template <class Function>
void for_each_monomial(const std::vector<GaussianProducts>& all, Function function) {
  for (const auto& of_atom : all) {
    for (const auto& batch : of_atom.batches) {
      const double* c = of_atom.coefficients.data() + batch.first;
      for (int i = 0; i <= batch.degree; ++i) {
        for (int j = 0; j <= batch.degree - i; ++j) {
          for (int k = 0; k <= batch.degree - i - j; ++k, c += product_lanes) {
            for (int lane = 0; lane < batch.count; ++lane) {
              const auto& [x, y, z] = batch.centre;
              function(Eigen::Vector3d(x[lane], y[lane], z[lane]), batch.exponent[lane],
                       Eigen::Array3i(i, j, k), c[lane]);
            }
          }
        }
      }
    }
  }
}

struct Sum {
  double value = 0, of_magnitudes = 0;
};

Sum sum_at(const std::vector<GaussianProducts>& all, const Eigen::Vector3d& place) {
  Sum sum;
  for_each_monomial(
      all, [&](const Eigen::Vector3d& centre, double exponent, const Eigen::Array3i& powers, double c) {
        const Eigen::Array3d r = place - centre;
        const double value = c * r.pow(powers.cast<double>()).prod() * std::exp(-exponent * r.square().sum());
        sum.value += value;
        sum.of_magnitudes += std::abs(value);
      });
  return sum;
}

/// Over all space: int x^n exp(-p x^2) dx = (n - 1)!! / (2p)^(n / 2) sqrt(pi / p) for even n.
double integral(const std::vector<GaussianProducts>& all) {
  const auto along = [](int n, double p) {
    if (n % 2 != 0) return 0.0;
    double value = std::sqrt(std::numbers::pi / p);
    for (int m = n; m > 0; m -= 2) value *= (m - 1) / (2 * p);
    return value;
  };
  double sum = 0;
  for_each_monomial(all,
                    [&](const Eigen::Vector3d&, double exponent, const Eigen::Array3i& powers, double c) {
                      for (const int n : powers) c *= along(n, exponent);
                      sum += c;
                    });
  return sum;
}

TEST(GaussianProducts, AddUpToTheSquaresOfTheOrbitals) {
  for (const bool spherical : {false, true}) {
    const auto wavefunction = test::all_shells(spherical);
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 8);
    const Eigen::Vector3d weights(2, 0.5, -1);
    const auto products =
        gaussian_products(wavefunction.molecule, wavefunction.basis, coefficients, weights, {});
    Eigen::Matrix3Xd places(3, 5);
    places << 0, 1.31, -1.1, 0.4, 2.5, 0, 0.4, 1.85, -0.3, -1.5, 0, -0.7, 0.8, 1.2, 2.2;
    const Eigen::MatrixXd amplitudes =
        reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, places);
    for (Eigen::Index n = 0; n < places.cols(); ++n) {
      const double magnitude = amplitudes.row(n).cwiseAbs2().dot(weights.cwiseAbs());
      EXPECT_NEAR(sum_at(products, places.col(n)).value, amplitudes.row(n).cwiseAbs2().dot(weights),
                  1e-9 * magnitude);
    }
  }
}

TEST(GaussianProducts, HoldAllElectrons) {
  for (const auto& [name, electrons] :
       {std::pair("benzene.fchk.gz", 42), std::pair("water-ccpvqz.fchk.gz", 10)}) {
    const auto wavefunction = sample(name);
    const auto [coefficients, weights, quadratic] = total_density(wavefunction);
    const auto products =
        gaussian_products(wavefunction.molecule, wavefunction.basis, coefficients, weights, {});
    EXPECT_NEAR(integral(products), electrons, 2e-6)
        << name << ": its file has eight digits of each coefficient";
  }
}

TEST(GaussianProducts, OfDistantAtomsAreNotMade) {
  const auto chain = test::carbon_chain();
  const auto products =
      gaussian_products(chain.molecule, chain.basis, test::random_coefficients(chain.basis, 1, 2),
                        Eigen::VectorXd::Ones(1), {});
  const double pairs_of_groups = 0.5 * std::pow(30 * 11, 2);
  double made = 0;
  for (const auto& of_atom : products) {
    for (const auto& batch : of_atom.batches) made += batch.count;
  }
  EXPECT_LT(made, 0.5 * pairs_of_groups);
  EXPECT_GT(made, 0.1 * pairs_of_groups);
}

struct Case {
  const char* name;
  grid::Grid grid;
  bool coarse;  ///< whether smooth products should be interpolated
};
void PrintTo(const Case& each, std::ostream* out) {
  *out << each.name;
}

class ProductFieldOn : public testing::TestWithParam<Case> {};

/// All angular momenta to h, so products to degree 10; both signs; ends of tiles and pencils that are not full.
TEST_P(ProductFieldOn, IsWithinTheStatedErrorOfTheReference) {
  const auto& grid = GetParam().grid;
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 4, 9);
  const Eigen::VectorXd weights = Eigen::Vector4d(2, 1, 0.5, -1);
  const Eigen::Matrix3Xd places = grid_points(grid);
  const Eigen::MatrixXd amplitudes =
      reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, places);
  constexpr Eigen::Index stride = 37;  // the sum of magnitudes takes long
  const auto products =
      gaussian_products(wavefunction.molecule, wavefunction.basis, coefficients, weights, {});
  std::vector<double> magnitudes;
  for (Eigen::Index n = 0; n < amplitudes.rows(); n += stride)
    magnitudes.push_back(sum_at(products, places.col(n)).of_magnitudes);
  for (const double screening : {1e-3, 1e-7}) {
    const ProductField field(
        {wavefunction.molecule, wavefunction.basis, coefficients, &weights, &grid, nullptr, screening}, 1,
        {});
    EXPECT_EQ(field.coarse_grids() > 0, GetParam().coarse);
    FieldValues values(grid.point_count(), -7.0F);
    products::Scratch scratch;
    for (int piece = 0; piece < field.piece_count(); ++piece)
      field.density(piece, values.data(), scratch, {});
    for (Eigen::Index n = 0; n < amplitudes.rows(); n += stride) {
      const double error =
          std::abs(values[static_cast<std::size_t>(n)] - amplitudes.row(n).cwiseAbs2().dot(weights));
      ASSERT_LE(error, screening / 100 + 2e-6 * magnitudes[static_cast<std::size_t>(n / stride)])
          << "point " << n << ", screening " << screening;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ProductFieldOn,
    testing::Values(Case{"coarse", test::box_grid({19, 17, 21}, {0.5, 0.6, 0.4}, {-4, -5, -4}), false},
                    Case{"fine", test::box_grid({75, 43, 37}, {0.11, 0.13, 0.12}, {-4, -3, -2}), true},
                    Case{"far", test::box_grid({75, 43, 37}, {0.11, 0.13, 0.12}, {2, 1, -2}), true},
                    Case{"plane", test::box_grid({64, 64, 1}, {0.15, 0.15, 0.15}, {-4, -4, 0.3}), false},
                    Case{"long", test::box_grid({505, 9, 5}, {0.02, 0.3, 0.4}, {-5, -1, -1}), false},
                    Case{"point", test::box_grid({1, 1, 1}, {0.1, 0.1, 0.1}, {0.2, 0.3, 0.4}), false}),
    [](const auto& each) { return each.param.name; });

/// Where smooth products are interpolated: the same as without, to the convolutions' digits.
TEST(ProductField, OfBenzeneIsThatOfItsOrbitals) {
  const auto wavefunction = sample("benzene.fchk.gz");
  const auto [coefficients, weights, quadratic] = total_density(wavefunction);
  auto grid = benchmark_grid(wavefunction.molecule, 0);
  grid.origin += Eigen::Vector3d(2, 3, 1);  // a part of it
  grid.dimensions = {60, 50, 40};
  const FieldProblem problem{
      wavefunction.molecule, wavefunction.basis, coefficients, &weights, &grid, nullptr, 1e-7};
  const ProductField field(problem, 1, {});
  EXPECT_GT(field.coarse_grids(), 0);
  FieldValues values(grid.point_count());
  products::Scratch scratch;
  for (int piece = 0; piece < field.piece_count(); ++piece) field.density(piece, values.data(), scratch, {});
  const Eigen::VectorXd expected =
      reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid_points(grid))
          .cwiseAbs2() *
      weights;
  for (Eigen::Index n = 0; n < expected.size(); ++n) {
    ASSERT_NEAR(values[static_cast<std::size_t>(n)], expected[n], 1e-9 + 2e-6 * expected[n]) << "point " << n;
    ASSERT_GE(values[static_cast<std::size_t>(n)], 0) << "squares are never negative";
  }
}

TEST(ProductField, IsTakenForManyOrbitalsAndManyPoints) {
  const auto wavefunction = sample("caffeine.fchk.gz");
  const auto [coefficients, weights, quadratic] = total_density(wavefunction);
  const auto worthwhile = [&](const Eigen::MatrixXd& columns, const grid::Grid& grid, double screening) {
    const Eigen::VectorXd used = weights.head(columns.cols());
    return ProductField::worthwhile(
        {wavefunction.molecule, wavefunction.basis, columns, &used, &grid, nullptr, screening});
  };
  const auto whole = benchmark_grid(wavefunction.molecule, 0);
  auto slice = whole;
  slice.dimensions[2] = 1;
  auto turned = whole;
  turned.step(0, 1) = 0.01;
  EXPECT_TRUE(worthwhile(coefficients, whole, 1e-7));
  EXPECT_FALSE(worthwhile(coefficients.leftCols(1), whole, 1e-7)) << "one orbital";
  EXPECT_FALSE(worthwhile(coefficients, slice, 1e-7)) << "few points";
  EXPECT_FALSE(worthwhile(coefficients, turned, 1e-7)) << "not axis-aligned";
  EXPECT_FALSE(worthwhile(coefficients, whole, 0)) << "nothing may be left out";
  EXPECT_FALSE(worthwhile(5 * coefficients, whole, 1e-7)) << "as if functions were almost linearly dependent";
}

/// Where they were faster when both were timed.
TEST(ProductField, IsTakenWhereProductsAreFaster) {
  const auto taken = [](const char* name, int points) {
    const auto wavefunction = sample(name);
    const auto [coefficients, weights, quadratic] = total_density(wavefunction);
    const auto grid = benchmark_grid(wavefunction.molecule, points);
    return ProductField::worthwhile(
        {wavefunction.molecule, wavefunction.basis, coefficients, &weights, &grid, nullptr, 1e-7});
  };
  EXPECT_TRUE(taken("c60.molden.gz", 64));
  EXPECT_TRUE(taken("benzene.fchk.gz", 128));
  EXPECT_FALSE(taken("benzene.fchk.gz", 48));
  EXPECT_FALSE(taken("water-ccpvqz.fchk.gz", 128));
}

TEST(ProductField, IsTheEnginesWithEveryNumberOfThreads) {
  const auto wavefunction = sample("benzene.fchk.gz");
  const auto [coefficients, weights, quadratic] = total_density(wavefunction);
  const auto grid = benchmark_grid(wavefunction.molecule, 0);
  const auto with = [&](int threads) {
    EngineOptions options;
    options.threads = threads;
    return make_cpu_engine()->density(wavefunction.molecule, wavefunction.basis, coefficients, weights, grid,
                                      options, {});
  };
  const auto one = with(1);
  EXPECT_EQ(one.report.kernel, "products");
  EXPECT_EQ(with(4).values, one.values);
  const double volume = std::abs(grid.step(0, 0) * grid.step(1, 1) * grid.step(2, 2));
  double electrons = 0;
  for (const float value : one.values) electrons += value * volume;
  EXPECT_NEAR(electrons, 42, 0.2) << "the grid is too coarse for the cores";
}

TEST(ProductField, CanBeCancelledWhileItIsPrepared) {
  const auto wavefunction = sample("benzene.fchk.gz");
  const auto [coefficients, weights, quadratic] = total_density(wavefunction);
  const auto grid = benchmark_grid(wavefunction.molecule, 0);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(
      ProductField({wavefunction.molecule, wavefunction.basis, coefficients, &weights, &grid, nullptr, 1e-7},
                   1, jobs::Progress(stop.get_token(), {})),
      Cancelled);
}

/// The parts that devices take: blocks of planes.
TEST(ProductField, HasPiecesByBlocksOfPlanes) {
  const auto wavefunction = sample("benzene.fchk.gz");
  const auto [coefficients, weights, quadratic] = total_density(wavefunction);
  const auto grid = benchmark_grid(wavefunction.molecule, 0);
  const FieldProblem problem{
      wavefunction.molecule, wavefunction.basis, coefficients, &weights, &grid, nullptr, 1e-7};
  const CpuField field(problem);
  const auto block = static_cast<std::size_t>(field.block_size());
  const std::size_t plane = grid.point_count() / static_cast<std::size_t>(grid.dimensions[2]);
  FieldValues values(grid.point_count(), -1.0F);
  CpuField::Scratch scratch;
  for (std::size_t piece = field.pieces_per_block(); piece < 2 * field.pieces_per_block(); ++piece)
    field.compute(piece, {values.data()}, scratch, {});
  for (std::size_t n = 0; n < values.size(); ++n) {
    const bool inside = n / plane >= block && n / plane < 2 * block;
    ASSERT_EQ(values[n] >= 0, inside) << n;
  }
}

}  // namespace
}  // namespace isolume::orbitals
