// What is special to one of the kernels that compute point by point.
#include <cmath>
#include <cstdlib>
#include <random>

#include "core/base/error.h"
#include "core/molecules/document.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/pointwise/packed_shells.h"
#include "tests/core/molecules/test_files.h"
#include "tests/gpu/orbitals/on_device.h"

namespace isolume::gpu {
namespace {

using namespace testing;

class PointwiseJob : public testing::OnDevice {};

/// The stated bound itself, not only rounding, with a coarse tolerance.
TEST_F(PointwiseJob, RangeLimitKeepsItsBound) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 4);
  const Eigen::VectorXd weights = Eigen::Vector3d(2, 1, -1);
  auto rotated = rotated_grid();
  rotated.dimensions = {34, 9, 10};
  rotated.step *= 1.4;
  rotated.origin << -11, -6, -4;
  // A line of points: consecutive ones are neighbours.
  const Eigen::Matrix3Xd points =
      (Eigen::Vector3d(18, 10, 7) * Eigen::RowVectorXd::LinSpaced(2000, 0, 1)).colwise() -
      Eigen::Vector3d(12, 6, 3);
  for (const auto& grid : {box_grid({18, 9, 12}, {1, 1.4, 1.3}, {-9, -6, -8}), rotated, grid::Grid{}}) {
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.screening = 1e-3;
    if (grid.point_count() > 0) {
      problem.grid = &grid;
    } else {
      problem.points_bohr = &points;
    }
    const Eigen::MatrixXd amplitudes = expected(problem);
    const Eigen::MatrixXf fields = compute(KernelKind::range_limited, problem, device());
    const double amplitude_error = (fields.cast<double>() - amplitudes).cwiseAbs().maxCoeff();
    EXPECT_LE(amplitude_error, problem.screening + 1e-5);
    EXPECT_GT(amplitude_error, 1e-5) << "a tolerance of 1e-3 should have left out something";

    problem.weights = &weights;
    const Eigen::MatrixXf density = compute(KernelKind::range_limited, problem, device());
    for (Eigen::Index n = 0; n < amplitudes.rows(); ++n) {
      const double value = amplitudes.row(n).cwiseAbs2().dot(weights);
      const double magnitude = amplitudes.row(n).cwiseAbs2().dot(weights.cwiseAbs());
      const double bound =
          2 * problem.screening * std::sqrt(magnitude) + problem.screening * problem.screening;
      ASSERT_LE(std::abs(density(n, 0) - value), bound + 1e-6 * magnitude);
    }
  }
}

/// A crystal of small atoms: more of them than a block looks at or lists at once.
TEST_F(PointwiseJob, RangeLimitListsAnyNumberOfAtoms) {
  molecules::Wavefunction made;
  std::vector<Eigen::Vector3d> places;
  for (int n = 0; n < 420; ++n) places.emplace_back(0.9 * (n % 7), 0.9 * (n / 7 % 6), 1.4 * (n / 42));
  made.molecule = test::atoms_at(places);
  for (int atom = 0; atom < 420; ++atom) {
    for (const double exponent : {0.9, 1.7}) {
      made.basis.shells.push_back(test::shell(atom, 0, false, {exponent}, {1.0}));
      made.basis.shells.push_back(test::shell(atom, 1, false, {exponent + 1}, {1.0}));
    }
  }
  const Eigen::MatrixXd coefficients = test::random_coefficients(made.basis, 17, 5);  // several passes
  const auto grid = box_grid({3, 2, 5}, {2.5, 3, 3.1}, {0.2, 0.7, 0.1});
  FieldProblem problem{made.molecule, made.basis, coefficients};
  problem.grid = &grid;
  const Eigen::MatrixXd right = expected(problem);
  const Eigen::VectorXd scales = right.cwiseAbs().colwise().maxCoeff();
  // Twice the usual tolerance: more than a thousand terms of both signs are added in single precision.
  EXPECT_LT(relative_error(compute(KernelKind::range_limited, problem, device()), right, scales), 2e-6);
}

TEST_F(PointwiseJob, RangeLimitSavesWorkAndSaysHowMuch) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 4);
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  const auto wide = box_grid({64, 64, 64}, {0.8, 0.8, 0.8}, {-25, -25, -25});
  problem.grid = &wide;
  const double all = make_kernel_job(KernelKind::cached, problem)->flop({0, 64});
  const double near = make_kernel_job(KernelKind::range_limited, problem)->flop({0, 64});
  EXPECT_LT(near, 0.1 * all);
  EXPECT_GT(near, 0);
  // Where everything reaches everywhere nothing can be saved.
  const auto tiny = box_grid({16, 4, 4}, {1e-6, 1e-6, 1e-6}, {0.1, 0.1, 0.1});
  problem.grid = &tiny;
  problem.screening = 0;
  EXPECT_EQ(make_kernel_job(KernelKind::range_limited, problem)->flop({0, 4}),
            make_kernel_job(KernelKind::cached, problem)->flop({0, 4}));
  EXPECT_EQ(compute(KernelKind::range_limited, problem, device()),
            compute(KernelKind::cached, problem, device()));
}

/// Atoms, each with an s shell: sizes a coefficient array at will.
molecules::Wavefunction many_atoms(int count) {
  molecules::Wavefunction made;
  std::vector<Eigen::Vector3d> places;
  for (int n = 0; n < count; ++n) places.emplace_back(n % 10, n / 10 % 10, n / 100);
  made.molecule = test::atoms_at(places);
  for (int n = 0; n < count; ++n) made.basis.shells.push_back(test::shell(n, 0, false, {0.8}, {1.0}));
  return made;
}

/// Of the kernel `constant`, as a part of the largest value on the grid.
double error_by_largest(const FieldProblem& problem, const GpuDevice& device) {
  const Eigen::MatrixXd right = expected(problem);
  return relative_error(compute(KernelKind::constant, problem, device), right,
                        right.cwiseAbs().colwise().maxCoeff());
}

TEST_F(PointwiseJob, WhatDoesNotFitInConstantMemoryIsRefusedWithNumbers) {
  const auto grid = box_grid({3, 2, 1}, {0.5, 0.9, 3.3}, {0.2, 0.3, 0.1});
  // Centre 32, group 16 and coefficient 16 bytes an atom: 1023 atoms are 65472 bytes, and there are a
  // weight's and the one primitive's word.
  for (const int atoms : {1023, 1024}) {
    const auto wavefunction = many_atoms(atoms);
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 7);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.grid = &grid;
    if (atoms == 1023) {
      EXPECT_LT(error_by_largest(problem, device()), 1e-6);
      continue;
    }
    try {
      make_kernel_job(KernelKind::constant, problem);
      ADD_FAILURE() << "64 KiB cannot hold it";
    } catch (const Error& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("64 KiB"), std::string::npos) << what;
      EXPECT_NE(what.find("cached"), std::string::npos) << what;
    }
  }
}

/// Columns that do not fit together go through constant memory one after the other.
TEST_F(PointwiseJob, ConstantMemoryTakesColumnsInParts) {
  const auto wavefunction = many_atoms(300);
  const auto grid = box_grid({3, 3, 2}, {1.5, 1.9, 1.3}, {0.2, 0.3, 0.1});
  for (const int columns : {24, 40}) {
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, columns, 8);
    const Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(columns, 1, -2);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.grid = &grid;
    EXPECT_GT(coefficients.size() * sizeof(float), 20'000U);
    EXPECT_LT(error_by_largest(problem, device()), 1e-6);
    problem.weights = &weights;
    EXPECT_LT(error_by_largest(problem, device()), 1e-6);
  }
}

/// Two jobs on two streams of one device, turn about, nothing waited for in between.
void take_turns(const GpuDevice& device) {
  const auto wavefunction = test::all_shells(true);
  const auto grid = box_grid({6, 5, 8}, {0.9, 0.9, 0.9}, {-2.6, -1.7, -3.1});
  const Eigen::MatrixXd first = test::random_coefficients(wavefunction.basis, 2, 1);
  const Eigen::MatrixXd second = test::random_coefficients(wavefunction.basis, 2, 2);
  FieldProblem problems[2] = {{wavefunction.molecule, wavefunction.basis, first},
                              {wavefunction.molecule, wavefunction.basis, second}};
  const Stream streams[2] = {Stream(device), Stream(device)};
  std::vector<std::unique_ptr<KernelJob>> jobs;
  std::vector<std::unique_ptr<DeviceJob>> copies;
  std::vector<DeviceBuffer<float>> outs;
  constexpr std::size_t plane = 30;
  for (int j = 0; j < 2; ++j) {
    problems[j].grid = &grid;
    jobs.push_back(make_kernel_job(KernelKind::constant, problems[j]));
    copies.push_back(jobs.back()->prepare(streams[j]));
    outs.emplace_back(streams[j], 2 * 8 * plane);
  }
  for (int z = 0; z < 8; ++z) {
    for (int j = 0; j < 2; ++j) {
      copies[j]->launch({z, 1}, outs[j].device_data() + z * plane, 8 * plane, streams[j]);
    }
  }
  for (int j = 0; j < 2; ++j) {
    Eigen::MatrixXf values(8 * plane, 2);
    outs[j].copy_to({values.data(), 2 * 8 * plane}, streams[j]);
    streams[j].wait();
    EXPECT_EQ(values, compute(*jobs[j], problems[j], device, {everything(problems[j])}));
    EXPECT_LT(relative_error(values, expected(problems[j]), field_scales(problems[j])), 1e-6);
  }
}

TEST_F(PointwiseJob, JobsTakeTurnsWithConstantMemory) {
  take_turns(device());
#ifdef ISOLUME_GPU_EMULATED
  for (const unsigned seed : {1U, 2U, 3U}) {
    TearDown();
    emulator::set_devices("1x sm90 4GiB", emulator::with_streams(emulator::StreamOrder::shuffled, seed));
    choose_device();
    take_turns(device());
  }
#endif
}

/// A contraction longer than a tile of shared memory, and shells of h with many columns.
TEST_F(PointwiseJob, TilesTakeWhatIsLargerThanTheyAre) {
  molecules::Wavefunction made;
  made.molecule = test::atoms_at({{0, 0, 0}, {1, 1, 0.3}});
  std::vector<double> exponents;
  std::vector<double> factors;
  for (int p = 0; p < 300; ++p) {
    exponents.push_back(0.1 + 0.01 * p);
    factors.push_back(p % 2 == 0 ? 0.02 : -0.01);
  }
  made.basis.shells.push_back(test::shell(0, 0, false, exponents, factors));
  made.basis.shells.push_back(test::shell(0, 1, false, exponents, factors));
  for (int repeat = 0; repeat < 6; ++repeat) {
    made.basis.shells.push_back(test::shell(1, 5, repeat % 2 == 0, {0.9 + 0.1 * repeat}, {1.0}));
  }
  const Eigen::MatrixXd coefficients = test::random_coefficients(made.basis, 16, 9);
  const auto grid = box_grid({5, 4, 2}, {0.5, 0.7, 0.9}, {-0.8, -1.2, -0.4});
  FieldProblem problem{made.molecule, made.basis, coefficients};
  problem.grid = &grid;
  EXPECT_LT(
      relative_error(compute(KernelKind::tiled, problem, device()), expected(problem), field_scales(problem)),
      1e-6);
}

TEST_F(PointwiseJob, OtherKindsAreRefused) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 1);
  EXPECT_THROW(
      make_pointwise_job(KernelKind::separable, {wavefunction.molecule, wavefunction.basis, coefficients}),
      Error);
}

}  // namespace
}  // namespace isolume::gpu
