// Densities of many orbitals, which the separable kernels compute from each block's own columns.
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/orbitals/engine.h"
#include "core/orbitals/local_density.h"
#include "gpu/orbitals/gpu_engine.h"
#include "gpu/runtime/memory/allocator.h"
#include "tests/gpu/orbitals/on_device.h"

namespace isolume::gpu {
namespace {

using namespace testing;

constexpr int orbitals_of_chain = 40;

/// A chain of carbon atoms, and a grid whose bricks and blocks are not full at its ends.
struct Chain {
  molecules::Wavefunction wavefunction = test::carbon_chain();
  Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, orbitals_of_chain, 7) * 0.2;
  Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(orbitals_of_chain, 2, 0.1);
  grid::Grid grid = box_grid({70, 10, 19}, {0.4, 0.6, 0.5}, {-18, -3, -5});

  FieldProblem problem(double screening) const {
    FieldProblem made{wavefunction.molecule, wavefunction.basis, coefficients};
    made.weights = &weights;
    made.grid = &grid;
    made.screening = screening;
    return made;
  }
};

class LocalDensityJob : public OnDevice {};

void expect_within_bound(const Chain& chain, const FieldProblem& problem, const Eigen::VectorXf& density,
                         double least_left_out) {
  const Eigen::MatrixXd amplitudes = orbitals::reference_amplitudes(
      problem.molecule, problem.basis, problem.coefficients, orbitals::grid_points(chain.grid));
  double most_left_out = 0;
  for (Eigen::Index n = 0; n < amplitudes.rows(); ++n) {
    const double magnitude = amplitudes.row(n).cwiseAbs2().dot(chain.weights.cwiseAbs());
    const double error = std::abs(density[n] - amplitudes.row(n).cwiseAbs2().dot(chain.weights));
    const double bound = 2 * problem.screening * std::sqrt(magnitude) + problem.screening * problem.screening;
    ASSERT_LE(error, bound + 2e-6 * magnitude) << "point " << n << " of density " << magnitude;
    most_left_out = std::max(most_left_out, error / (magnitude + 1e-3));
  }
  EXPECT_GE(most_left_out, least_left_out) << "something should have been left out";
}

TEST_F(LocalDensityJob, IsWithinTheStatedErrorEverywhere) {
  struct Case {
    double screening;
    double sign_of_some;
    double least_left_out;
  };
  for (const auto& [screening, sign, left_out] :
       {Case{1e-2, 1, 1e-5}, Case{1e-2, -1, 1e-5}, Case{1e-5, -1, 0}, Case{1e-7, 1, 0}}) {
    SCOPED_TRACE(fmt::format("screening {}, sign {}", screening, sign));
    Chain chain;
    chain.weights.tail(15) *= sign;
    const auto problem = chain.problem(screening);
    ASSERT_TRUE(orbitals::LocalDensity::worthwhile(problem.molecule, problem.coefficients, chain.grid));
    const auto density = compute(KernelKind::separable, problem, device());
    expect_within_bound(chain, problem, density.col(0), left_out);
  }
}

TEST_F(LocalDensityJob, WeightsMayAllBeNegative) {
  Chain chain;
  chain.weights *= -1;
  const auto problem = chain.problem(1e-6);
  const auto density = compute(KernelKind::separable, problem, device());
  expect_within_bound(chain, problem, density.col(0), 0);
  const auto on_cpu = orbitals::make_cpu_engine()
                          ->density(problem.molecule, problem.basis, chain.coefficients, chain.weights,
                                    chain.grid, {{}, 1e-6}, {})
                          .values;
  expect_within_bound(chain, problem, Eigen::Map<const Eigen::VectorXf>(on_cpu.data(), density.rows()), 0);
}

TEST_F(LocalDensityJob, SlabsAndLoadingAheadGiveTheSameBits) {
  const Chain chain;
  const auto problem = chain.problem(1e-5);
  const auto job = make_kernel_job(KernelKind::separable, problem);
  const auto whole = compute(*job, problem, device(), {{0, 19}});
  EXPECT_EQ(compute(*job, problem, device(), {{0, 5}, {5, 12}, {17, 2}}), whole);
  EXPECT_EQ(compute(KernelKind::separable_ahead, problem, device()), whole);
}

TEST_F(LocalDensityJob, TakesTheOrbitalsThemselvesWhereTheCpuWould) {
  Chain chain;
  chain.coefficients = chain.coefficients.leftCols(31).eval();
  chain.weights = chain.weights.head(31).eval();
  const auto problem = chain.problem(1e-5);
  ASSERT_FALSE(orbitals::LocalDensity::worthwhile(problem.molecule, problem.coefficients, chain.grid));
  EXPECT_EQ(make_kernel_job(KernelKind::separable, problem)->remark(), "");
}

#ifdef ISOLUME_GPU_EMULATED
TEST(LocalDensityOnGpus, IsTheSameOnOneTwoAndFourAndAsOnTheCpu) {
  const Chain chain;
  const auto by = [&](const orbitals::Engine& engine, const std::string& devices) {
    orbitals::EngineOptions options;
    options.devices = devices;
    return engine.density(chain.wavefunction.molecule, chain.wavefunction.basis, chain.coefficients,
                          chain.weights, chain.grid, options, {});
  };
  const auto cpu = by(*orbitals::make_cpu_engine(), "all").values;
  emulator::set_devices("2x sm90 1GiB, 1x sm80 slow 512MiB, 1x sm75 512MiB");
  some_device_hangs = false;
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
  const auto pool = std::make_shared<dispatch::DevicePool>(std::move(devices));
  const auto engine = make_gpu_engine(pool);
  const auto one = by(*engine, "1");
  EXPECT_NE(one.report.reason.find("only the columns that it needs"), std::string::npos) << one.report.reason;
  const double largest = *std::ranges::max_element(cpu);
  for (std::size_t n = 0; n < cpu.size(); ++n) ASSERT_NEAR(one.values[n], cpu[n], 2e-6 * largest) << n;
  EXPECT_EQ(by(*engine, "1,2").values, one.values);
  EXPECT_EQ(by(*engine, "1,2,3,4").values, one.values);
}
#endif

}  // namespace
}  // namespace isolume::gpu
