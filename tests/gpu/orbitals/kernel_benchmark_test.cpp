#include "gpu/orbitals/kernel_benchmark.h"

#include "core/base/error.h"
#include "tests/gpu/orbitals/on_device.h"

namespace isolume::gpu {
namespace {

using namespace testing;

/// One orbital of a made-up molecule on a small grid, and its values by the reference engine.
class KernelBenchmark : public testing::OnDevice {
 protected:
  KernelBenchmark() {
    problem.grid = &grid;
    const Eigen::MatrixXf values = expected(problem).cast<float>();
    reference.assign(values.data(), values.data() + values.size());
    samples = orbitals::sample_field(problem, reference, 300);
  }
  dispatch::Device& any_device() { return const_cast<GpuDevice&>(device()); }

  const molecules::Wavefunction wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 4);
  const grid::Grid grid = box_grid({9, 7, 11}, {0.4, 0.5, 0.3}, {-1.5, -1.6, -1.4});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  std::vector<float> reference;
  orbitals::FieldSamples samples;
  const benchmarks::RepeatOptions briefly{.least_seconds = 0, .least_repeats = 3};
};

TEST_F(KernelBenchmark, TimesWhatIsRightByEveryWayToTheHost) {
  const auto job = make_kernel_job(KernelKind::cached, problem);
  const auto timing = time_kernel(any_device(), "cached", problem, reference, samples, briefly);
  EXPECT_EQ(timing.unavailable, "");
  EXPECT_EQ(timing.kernel, "cached");
  EXPECT_EQ(timing.repeats, 3);
  EXPECT_DOUBLE_EQ(timing.gflop, 1e-9 * job->flop({0, 11}));
  EXPECT_LE(timing.device_min_ms, timing.device_ms);
  EXPECT_GT(timing.device_ms, 0);
  EXPECT_GT(timing.pinned_ms, 0);
  EXPECT_GT(timing.mapped_ms, 0);
  EXPECT_GT(timing.first_ms, 0);
  const float scale = *std::ranges::max_element(reference);
  EXPECT_LT(timing.largest_difference, 1e-5 * scale);
  EXPECT_GT(timing.largest_difference, 0);  // rounding; nothing at all would mean that nothing was compared
  EXPECT_LT(timing.relative_error, 1e-6);
  EXPECT_GT(timing.relative_error, 0);
}

TEST_F(KernelBenchmark, ADifferenceIsSeenWhereverItIs) {
  reference.back() += 5;
  EXPECT_NEAR(time_kernel(any_device(), "cached", problem, reference, samples, briefly).largest_difference, 5,
              1e-3);
}

TEST_F(KernelBenchmark, TheErrorIsThatAtTheSamplesOverTheGreatestMagnitude) {
  samples.values[17] += 3;
  samples.scale = 2;
  EXPECT_NEAR(time_kernel(any_device(), "cached", problem, reference, samples, briefly).relative_error, 1.5,
              1e-5);
}

TEST_F(KernelBenchmark, AKernelThatCannotComputeTheFieldSaysWhy) {
  grid::Grid sheared = grid;
  sheared.step(0, 1) += 0.1;
  problem.grid = &sheared;
  EXPECT_NE(time_kernel(any_device(), "separable", problem, reference, samples, briefly).unavailable, "");
}

TEST_F(KernelBenchmark, NamesAndDevicesThatAreNoneAreErrors) {
  EXPECT_THROW(time_kernel(any_device(), "clockwork", problem, reference, samples, briefly), Error);
  const auto cpu = dispatch::make_cpu_device(1);
  EXPECT_THROW(time_kernel(*cpu, "cached", problem, reference, samples, briefly), Error);
  EXPECT_THROW(gpu_peak(*cpu), Error);
}

TEST_F(KernelBenchmark, CancelEndsIt) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(time_kernel(any_device(), "cached", problem, reference, samples, briefly,
                           jobs::Progress(stop.get_token(), nullptr)),
               Cancelled);
}

TEST_F(KernelBenchmark, ThePeakIsThatOfTheProperties) {
  const auto& properties = device().description();
  const auto peak = gpu_peak(device());
  if (properties.compute_major < 9) GTEST_SKIP() << "Older generations have other numbers of units.";
  EXPECT_DOUBLE_EQ(peak.gflop_per_second, 2e-9 * 128 * properties.multiprocessors * properties.clock_hertz);
  EXPECT_NE(peak.formula.find("x 128 units x 2 x"), std::string::npos) << peak.formula;
}

}  // namespace
}  // namespace isolume::gpu
