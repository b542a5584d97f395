// What only the generated kernel has: compiling, once for all orbitals and geometries, and what happens when
// that fails.
#include <filesystem>

#include "tests/gpu/orbitals/many_kinds.h"
#include "tests/gpu/orbitals/on_device.h"
#include "tests/gpu/orbitals/own_kernel_cache.h"

namespace isolume::gpu {
namespace {

using namespace testing;
namespace fs = std::filesystem;

class GeneratedJob : public OnDevice {
 public:
  void SetUp() override {
    OnDevice::SetUp();
    if (const std::string why = why_no_compiler(); !why.empty() && !IsSkipped()) GTEST_SKIP() << why;
  }

 protected:
  std::ptrdiff_t compiled_kernels() const {
    const fs::recursive_directory_iterator all(cache_.folder());
    return std::count_if(begin(all), end(all), [](const auto& each) { return each.is_regular_file(); });
  }

 private:
  const OwnKernelCache cache_;
};

TEST_F(GeneratedJob, AnotherOrbitalAndGeometryNeedNoCompiler) {
  auto wavefunction = test::all_shells(true);
  const auto grid = box_grid({5, 4, 3}, {0.9, 0.8, 0.7}, {-1.6, -1.2, -0.8});
  for (const unsigned seed : {1U, 2U}) {
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, seed);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.grid = &grid;
    const auto job = make_generated_job(problem);
    const Eigen::MatrixXf values = compute(*job, problem, device(), {everything(problem)});
    EXPECT_LT(relative_error(values, expected(problem), field_scales(problem)), 1e-6);
    EXPECT_EQ(job->kind(), KernelKind::generated) << job->remark();
    EXPECT_EQ(job->remark(), "");
    EXPECT_EQ(compiled_kernels(), 1);
    wavefunction.molecule.atoms[1].position_bohr += Eigen::Vector3d(0.1, -0.2, 0.3);
  }
}

TEST_F(GeneratedJob, ASourceThatWouldBeTooLongIsReplacedAndSaid) {
  const auto wavefunction = test::many_kinds(120);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 1);
  const auto grid = box_grid({3, 2, 2}, {0.9, 0.8, 0.7}, {-1.6, -1.2, -0.8});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  const auto job = make_generated_job(problem);
  EXPECT_EQ(job->kind(), KernelKind::cached) << "and its coefficients do not fit in constant memory";
  EXPECT_NE(job->remark().find("longer than"), std::string::npos) << job->remark();
  const auto cached = make_pointwise_job(KernelKind::cached, problem);
  EXPECT_EQ(job->flop({0, 2}), cached->flop({0, 2}));
  EXPECT_EQ(job->device_bytes(), cached->device_bytes());
  EXPECT_EQ(compute(*job, problem, device(), {everything(problem)}),
            compute(*cached, problem, device(), {everything(problem)}));
}

#ifdef ISOLUME_GPU_EMULATED
TEST_F(GeneratedJob, AFailingCompilerIsReplacedAndSaid) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 1);
  const auto grid = box_grid({5, 4, 3}, {0.9, 0.8, 0.7}, {-1.6, -1.2, -0.8});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  const auto job = make_generated_job(problem);
  EXPECT_EQ(job->kind(), KernelKind::generated) << "nothing has been compiled yet";
  const Environment nowhere_to_compile("TMPDIR", "/proc");
  const Eigen::MatrixXf values = compute(*job, problem, device(), {everything(problem)});
  EXPECT_LT(relative_error(values, expected(problem), field_scales(problem)), 1e-6);
  EXPECT_EQ(job->kind(), KernelKind::constant);
  EXPECT_NE(job->remark().find("/proc"), std::string::npos) << job->remark();
  EXPECT_GT(job->flop({0, 3}), 0);
}

TEST_F(GeneratedJob, OneJobIsComputedByOneKernel) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 1);
  const auto grid = box_grid({5, 4, 3}, {0.9, 0.8, 0.7}, {-1.6, -1.2, -0.8});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  emulator::set_devices("1x sm90 1GiB, 1x sm80 1GiB");
  const auto descriptions = describe_devices();
  const GpuDevice first(descriptions[0]);
  const GpuDevice second(descriptions[1]);  // of another generation: compiled for anew
  const Stream on_first(first);
  const Stream on_second(second);
  const auto job = make_generated_job(problem);
  const auto on_device = job->prepare(on_first);
  {
    const Environment nowhere_to_compile("TMPDIR", "/proc");
    EXPECT_THROW(job->prepare(on_second), Error);
  }
  EXPECT_EQ(job->kind(), KernelKind::generated);
  EXPECT_EQ(job->remark(), "");
  on_first.wait();
}
#endif

}  // namespace
}  // namespace isolume::gpu
