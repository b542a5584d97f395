// Every kernel against the reference engine (Algorithm 1, double precision).
#include "gpu/orbitals/kernel_job.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/base/error.h"
#include "core/grid/scalar_field.h"
#include "core/molecules/document.h"
#include "core/orbitals/field_request.h"
#include "tests/core/molecules/test_files.h"
#include "tests/gpu/orbitals/on_device.h"

namespace isolume::gpu {
namespace {

using namespace testing;

constexpr double tolerance = 1e-6;

std::string name_of(KernelKind kind) {
  std::string name(to_string(kind));
  std::ranges::replace(name, '-', '_');
  return name;
}
/// Kernels that need axis-aligned grids refuse all else; that is a test below.
bool any_points(KernelKind kind) {
  return kind != KernelKind::separable;
}

class Kernel : public testing::OnDevice, public ::testing::WithParamInterface<KernelKind> {
 public:
  void SetUp() override {
    OnDevice::SetUp();
    if (GetParam() != KernelKind::generated || IsSkipped()) return;
    if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  }

 protected:
  double error_of(const FieldProblem& problem) {
    return relative_error(compute(GetParam(), problem, device()), expected(problem), field_scales(problem));
  }
};

INSTANTIATE_TEST_SUITE_P(Kernels, Kernel,
                         ::testing::Values(KernelKind::constant, KernelKind::tiled, KernelKind::cached,
                                           KernelKind::range_limited, KernelKind::generated,
                                           KernelKind::separable),
                         [](const auto& each) { return name_of(each.param); });

struct Case {
  const char* name;
  bool spherical;
  grid::Grid grid;
};

std::vector<Case> grid_cases() {
  return {{"cartesian", false, box_grid({19, 9, 7}, {0.45, 0.7, 0.9}, {-4.1, -3.2, -2.6})},
          {"spherical", true, box_grid({19, 9, 7}, {0.45, 0.7, 0.9}, {-4.1, -3.2, -2.6})},
          {"one row", true, box_grid({41, 1, 1}, {0.2, 0.3, 0.4}, {-4, 0.3, 0.1})},
          {"one plane", true, box_grid({1, 17, 9}, {0.2, 0.45, 0.7}, {0.2, -4, -3})},
          {"one point", false, box_grid({1, 1, 1}, {1, 1, 1}, {0.3, 0.2, -0.4})},
          {"fine", true, box_grid({25, 5, 3}, {0.01, 0.01, 0.02}, {-0.12, -0.03, -0.02})},
          {"far away", true, box_grid({10, 5, 4}, {0.5, 0.5, 0.5}, {40, -5, 60})},
          {"rotated", true, rotated_grid()},
          {"rotated cartesian", false, rotated_grid()},
          {"mirrored", true, box_grid({9, 7, 6}, {-0.5, 0.5, 0.6}, {2.1, -1.7, -1.2})}};
}

TEST_P(Kernel, AmplitudesAgreeWithTheReference) {
  for (const auto& each : grid_cases()) {
    if (!each.grid.axis_aligned() && !any_points(GetParam())) continue;
    const auto wavefunction = test::all_shells(each.spherical);
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 1);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.grid = &each.grid;
    EXPECT_LT(error_of(problem), tolerance) << each.name;
  }
}

TEST_P(Kernel, DensitiesAgreeWithTheReference) {
  const Eigen::Vector4d weights(2, 1, 0.5, -1);
  const Eigen::VectorXd as_vector = weights;
  for (const auto& each : grid_cases()) {
    if (!each.grid.axis_aligned() && !any_points(GetParam())) continue;
    const auto wavefunction = test::all_shells(each.spherical);
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 4, 2);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.weights = &as_vector;
    problem.grid = &each.grid;
    EXPECT_LT(error_of(problem), tolerance) << each.name;
  }
}

/// Every way in which columns are shared out among passes, full and part-filled.
TEST_P(Kernel, AnyNumberOfColumnsIsRight) {
  const auto wavefunction = test::all_shells(true);
  const auto grid = box_grid({5, 4, 3}, {0.9, 0.8, 0.7}, {-1.6, -1.2, -0.8});
  for (const int columns : {1, 2, 5, 8, 16, 19, 41}) {
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, columns, 3);
    Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(columns, 2, -1);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.grid = &grid;
    EXPECT_LT(error_of(problem), tolerance) << columns << " amplitudes";
    problem.weights = &weights;
    EXPECT_LT(error_of(problem), tolerance) << "density of " << columns;
  }
}

/// Exponents from 1e6 to 1e-3, 1000 bohr from the origin: what float coordinates could lose.
TEST_P(Kernel, TightAndDiffuseFunctionsFarFromTheOriginAreExact) {
  const Eigen::Vector3d atom(1000.25, -500.5, 250.125);
  molecules::Wavefunction made;
  made.molecule = test::atoms_at({atom});
  for (const double exponent : {1e6, 1e4, 1e2, 1.0, 1e-2, 1e-3}) {
    made.basis.shells.push_back(test::shell(0, 0, false, {exponent}, {1.0}));
    made.basis.shells.push_back(test::shell(0, 1, false, {exponent}, {1.0}));
  }
  const auto functions = static_cast<Eigen::Index>(made.basis.function_count());
  const Eigen::MatrixXd one_each = Eigen::MatrixXd::Identity(functions, functions);
  for (const double step : {2e-4, 5e-3, 0.05, 0.4, 6.0}) {
    const auto grid =
        box_grid({9, 5, 5}, Eigen::Vector3d::Constant(step), atom - Eigen::Vector3d(4.3, 2.2, 2.1) * step);
    FieldProblem problem{made.molecule, made.basis, one_each};
    problem.grid = &grid;
    const Eigen::MatrixXd right = expected(problem);
    // Functions that vanish on the grid are right when they are small in absolute terms (screening: 1e-7).
    const Eigen::VectorXd scales = right.cwiseAbs().colwise().maxCoeff().transpose().cwiseMax(0.1);
    EXPECT_LT(relative_error(compute(GetParam(), problem, device()), right, scales), tolerance)
        << "step " << step;
    if (!any_points(GetParam())) continue;
    const Eigen::Matrix3Xd points = orbitals::grid_points(grid);
    problem.grid = nullptr;
    problem.points_bohr = &points;
    EXPECT_LT(relative_error(compute(GetParam(), problem, device()), right, scales), tolerance)
        << "points, step " << step;
  }
}

TEST_P(Kernel, ScatteredPointsAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 6, 3);
  Eigen::VectorXd weights(6);
  weights << 2, 2, 1, 1, -1, 0.3;
  std::srand(7);
  const Eigen::Matrix3Xd points = 5 * Eigen::Matrix3Xd::Random(3, 333);
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.points_bohr = &points;
  if (!any_points(GetParam())) {
    EXPECT_THROW(make_kernel_job(GetParam(), problem), Error);
    return;
  }
  EXPECT_LT(error_of(problem), tolerance);
  problem.weights = &weights;
  EXPECT_LT(error_of(problem), tolerance);
}

/// The same bits whichever way the planes are shared out.
TEST_P(Kernel, ValuesDoNotDependOnTheSlab) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(11, 2, -1);
  const auto grid = box_grid({9, 6, 11}, {0.9, 0.9, 0.7}, {-4.1, -2.6, -3.2});
  std::srand(8);
  const Eigen::Matrix3Xd points = 5 * Eigen::Matrix3Xd::Random(3, 300);
  for (const int columns : {1, 3, 11}) {
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, columns, 4);
    for (const bool on_grid : {true, false}) {
      if (!on_grid && !any_points(GetParam())) continue;
      FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
      problem.screening = 1e-3;  // so that what is left out would show
      if (columns == 11) problem.weights = &weights;
      std::vector<Slab> slabs;
      if (on_grid) {
        problem.grid = &grid;
        slabs = {{0, 1}, {1, 4}, {5, 0}, {5, 5}, {10, 1}};
      } else {
        problem.points_bohr = &points;
        slabs = {{0, 100}, {100, 1}, {101, 129}, {230, 0}, {230, 70}};
      }
      const auto job = make_kernel_job(GetParam(), problem);
      const Eigen::MatrixXf whole = compute(*job, problem, device(), {everything(problem)});
      EXPECT_EQ(whole, compute(*job, problem, device(), slabs)) << columns << " columns";
    }
  }
}

/// Zero-copy: the kernel writes into the host's own memory, and nothing beside the slab's values.
TEST_P(Kernel, WritesIntoMappedHostMemory) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, 5);
  const auto grid = box_grid({7, 5, 5}, {0.9, 0.9, 0.9}, {-2.6, -1.7, -1.8});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  const auto job = make_kernel_job(GetParam(), problem);
  const Stream stream(device());
  const auto copy = job->prepare(stream);
  const Slab slab{1, 3};
  const std::size_t points = points_of(problem, slab);
  const std::size_t stride = points + 5;
  MappedBuffer<float> out(stream, 2 * stride);
  std::ranges::fill(out.host(), -77.0F);
  copy->launch(slab, out.device_data(), stride, stream);
  stream.wait();
  const Eigen::MatrixXf right = compute(*job, problem, device(), {slab});
  for (int k = 0; k < 2; ++k) {
    for (std::size_t n = 0; n < stride; ++n) {
      EXPECT_EQ(out.host()[k * stride + n], n < points ? right(static_cast<Eigen::Index>(n), k) : -77.0F);
    }
  }
}

TEST_P(Kernel, NothingToComputeIsNothing) {
  const auto wavefunction = test::all_shells(false);
  const auto grid = box_grid({4, 3, 2}, {1, 1, 1}, {0, 0, 0});
  const auto empty_grid = box_grid({0, 3, 2}, {1, 1, 1}, {0, 0, 0});
  const auto functions = static_cast<Eigen::Index>(wavefunction.basis.function_count());
  const Eigen::MatrixXd none(functions, 0);
  const Eigen::VectorXd no_weights;
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, none};
  problem.grid = &grid;
  EXPECT_EQ(compute(GetParam(), problem, device()).cols(), 0);
  problem.weights = &no_weights;
  EXPECT_EQ(compute(GetParam(), problem, device()), Eigen::MatrixXf::Zero(24, 1));

  const Eigen::MatrixXd zeros = Eigen::MatrixXd::Zero(functions, 1);
  FieldProblem zero{wavefunction.molecule, wavefunction.basis, zeros};
  zero.grid = &grid;
  EXPECT_EQ(compute(GetParam(), zero, device()), Eigen::MatrixXf::Zero(24, 1));
  zero.grid = &empty_grid;
  EXPECT_EQ(compute(GetParam(), zero, device()).rows(), 0);

  const molecules::Wavefunction nothing;
  const Eigen::MatrixXd no_rows(0, 1);
  FieldProblem no_atoms{nothing.molecule, nothing.basis, no_rows};
  no_atoms.grid = &grid;
  EXPECT_EQ(compute(GetParam(), no_atoms, device()), Eigen::MatrixXf::Zero(24, 1));

  const Eigen::MatrixXd wrong = Eigen::MatrixXd::Ones(3, 1);
  FieldProblem mismatch{wavefunction.molecule, wavefunction.basis, wrong};
  mismatch.grid = &grid;
  EXPECT_THROW(make_kernel_job(GetParam(), mismatch), Error);
  const Eigen::VectorXd two_weights = Eigen::Vector2d(1, 2);
  zero.weights = &two_weights;
  EXPECT_THROW(make_kernel_job(GetParam(), zero), Error);
}

/// Files of other programs: contracted Pople shells with shared exponents; spherical shells up to g.
TEST_P(Kernel, RealMoleculesAgreeWithTheReference) {
  struct Sample {
    const char* file;
    int orbital;
    double spacing;
  };
  for (const Sample& each : {Sample{"benzene.fchk.gz", 20, 1.7}, Sample{"water-ccpvqz.fchk.gz", 4, 0.8}}) {
    const auto document = molecules::read_document(molecules::testing::sample(each.file));
    const auto& wavefunction = *document.wavefunction;
    const Eigen::MatrixXd orbital = wavefunction.sets.front().coefficients.col(each.orbital);
    const auto box = molecules::nuclei_box(wavefunction.molecule);
    const auto grid = grid::cover_box(box.low_bohr - Eigen::Vector3d::Constant(2),
                                      box.high_bohr + Eigen::Vector3d::Constant(2), each.spacing);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, orbital};
    problem.grid = &grid;
    const Eigen::MatrixXd right = expected(problem);
    const Eigen::VectorXd scales = right.cwiseAbs().colwise().maxCoeff();
    EXPECT_LT(relative_error(compute(GetParam(), problem, device()), right, scales), tolerance) << each.file;
  }
}

/// Every fifth point along each axis: enough for a kernel, and quick in the emulator.
grid::Grid thinned(const grid::Grid& grid) {
  grid::Grid made = grid;
  made.step *= 5;
  for (int& n : made.dimensions) n = (n + 4) / 5;
  return made;
}

/// Densities by another program. A value is right within the six printed digits, the cube's rounded places
/// (1e-6 bohr times the gradient), and float rounding.
TEST_P(Kernel, DensitiesAgreeWithThoseOfPsi4) {
  struct Sample {
    const char* file;
    const char* cube;
    orbitals::FieldKind kind;
  };
  for (const Sample& each : {Sample{"water-ccpvqz", "water-ccpvqz-Dt", orbitals::FieldKind::density},
                             Sample{"oxygen-triplet", "oxygen-triplet-Db", orbitals::FieldKind::beta_density},
                             Sample{"benzene", "benzene-631gs-Dt", orbitals::FieldKind::density}}) {
    const auto document =
        molecules::read_document(molecules::testing::sample(std::string(each.file) + ".fchk.gz"));
    const auto cube = molecules::read_document(std::filesystem::path(ISOLUME_TEST_REFERENCES) / "cubes" /
                                               (std::string(each.cube) + ".cube.gz"));
    const auto& right = *cube.fields.front();
    orbitals::FieldRequest request;
    request.kind = each.kind;
    const auto combination = orbitals::combine(*document.wavefunction, request);
    const auto grid = thinned(right.grid);
    FieldProblem problem{document.wavefunction->molecule, document.wavefunction->basis,
                         combination.coefficients};
    problem.weights = &combination.weights;
    problem.grid = &grid;
    const Eigen::MatrixXf values = compute(GetParam(), problem, device());
    const double largest = grid::value_range(right).high;
    const auto& n = grid.dimensions;
    for (Eigen::Index at = 0; at < values.rows(); ++at) {
      const int i = static_cast<int>(at % n[0]);
      const int j = static_cast<int>(at / n[0] % n[1]);
      const int k = static_cast<int>(at / n[0] / n[1]);
      const double value = right.at(5 * i, 5 * j, 5 * k);
      ASSERT_NEAR(values(at, 0), value, 2.5e-5 * value + 3e-6 * std::min(largest, 1.0)) << each.cube;
    }
  }
}

/// Far from an atom, where all values are far below what screening leaves out by default.
TEST_P(Kernel, WithoutScreeningEvenTheSmallestValuesAreThere) {
  molecules::Wavefunction wavefunction;
  wavefunction.molecule = test::atoms_at({{0, 0, 0}});
  wavefunction.basis.shells = {test::shell(0, 0, false, {1.0}, {1.0}), test::shell(0, 1, true, {1.0}, {1.0})};
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 3);
  const auto grid = box_grid({9, 7, 6}, {0.11, 0.12, 0.13}, {4, 3, 3.5});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  problem.screening = 0;
  const Eigen::MatrixXd right = expected(problem);
  const Eigen::VectorXd scales = right.cwiseAbs().colwise().maxCoeff();
  ASSERT_LT(scales[0], 1e-12);
  EXPECT_LT(relative_error(compute(GetParam(), problem, device()), right, scales), 1e-5);
  EXPECT_TRUE(std::isfinite(make_kernel_job(GetParam(), problem)->flop({0, 6})));
}

TEST_P(Kernel, CountsItsWork) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, 6);
  const auto grid = box_grid({20, 20, 20}, {0.5, 0.5, 0.5}, {-5, -5, -5});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  const auto job = make_kernel_job(GetParam(), problem);
  EXPECT_EQ(job->kind(), GetParam());
  EXPECT_GT(job->device_bytes(), coefficients.size() * sizeof(float));
  EXPECT_EQ(job->flop({3, 0}), 0);
  const double whole = job->flop({0, 20});
  EXPECT_GT(whole, 8000.0 * 2 * static_cast<double>(coefficients.rows()))
      << "a multiply-add a function at least";
  const int granularity = job->slab_granularity();
  ASSERT_LE(granularity, 10);
  EXPECT_NEAR(job->flop({0, granularity}) + job->flop({granularity, 20 - granularity}), whole, 1e-6 * whole)
      << "nothing is computed twice";
}

}  // namespace
}  // namespace isolume::gpu
