#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "core/orbitals/reference_engine.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif
#include "tests/core/orbitals/made_up_wavefunction.h"
#include "tests/gpu/runtime/compiler/compiler_here.h"

namespace isolume::gpu::testing {

/// A case that runs on the first usable device, or skips. The emulated one works as late as CUDA allows, so
/// that missing synchronisation shows.
class OnDevice : public ::testing::Test {
 public:
  void SetUp() override {
    // Kernels that tests compile do not belong among the user's.
    setenv("XDG_CACHE_HOME", (std::filesystem::temp_directory_path() / "isolume-test-cache").c_str(), 0);
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("1x sm90 4GiB");
#endif
    choose_device();
    if (!device_) GTEST_SKIP() << "No GPU that could run this: " << why_no_devices();
  }
  void TearDown() override {
    device_.reset();
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("");
#endif
  }
  const GpuDevice& device() const {
    return *device_;
  }

 protected:
  void choose_device() {
    device_.reset();
    for (const auto& each : describe_devices()) {
      if (each.usable && !device_) device_.emplace(each);
    }
    if (device_) device_->make_current();
  }

 private:
  std::optional<GpuDevice> device_;
};

inline std::size_t points_of(const FieldProblem& problem, Slab slab) {
  if (problem.grid == nullptr) return static_cast<std::size_t>(slab.count);
  return static_cast<std::size_t>(problem.grid->dimensions[0]) * problem.grid->dimensions[1] * slab.count;
}
inline Slab everything(const FieldProblem& problem) {
  return {0, problem.grid != nullptr ? problem.grid->dimensions[2]
                                     : static_cast<int>(problem.points_bohr->cols())};
}

/// Points x fields, computed slab by slab; the slabs follow one another.
inline Eigen::MatrixXf compute(const KernelJob& job, const FieldProblem& problem, const GpuDevice& device,
                               const std::vector<Slab>& slabs) {
  const Stream stream(device);
  const auto copy = job.prepare(stream);
  std::size_t total = 0;
  for (const Slab slab : slabs) total += points_of(problem, slab);
  Eigen::MatrixXf fields(total, problem.field_count());
  std::size_t before = 0;
  for (const Slab slab : slabs) {
    const std::size_t points = points_of(problem, slab);
    if (points == 0 || fields.cols() == 0) continue;
    const std::size_t stride = points + 3;  // fields need not stand shoulder to shoulder
    DeviceBuffer<float> out(stream, stride * fields.cols());
    copy->launch(slab, out.device_data(), stride, stream);
    std::vector<float> values(points);
    for (Eigen::Index k = 0; k < fields.cols(); ++k) {
      require_success(cudaMemcpyAsync(values.data(), out.device_data() + k * stride, points * sizeof(float),
                                      cudaMemcpyDeviceToHost, stream.get()),
                      "copying a field");
      stream.wait();
      std::ranges::copy(values, fields.col(k).begin() + static_cast<std::ptrdiff_t>(before));
    }
    before += points;
  }
  stream.wait();
  return fields;
}
inline Eigen::MatrixXf compute(KernelKind kind, const FieldProblem& problem, const GpuDevice& device) {
  return compute(*make_kernel_job(kind, problem), problem, device, {everything(problem)});
}

/// The same from the reference engine's amplitudes, in double precision.
inline Eigen::MatrixXd expected(const FieldProblem& problem) {
  const Eigen::Matrix3Xd places =
      problem.grid != nullptr ? orbitals::grid_points(*problem.grid) : *problem.points_bohr;
  const Eigen::MatrixXd amplitudes =
      orbitals::reference_amplitudes(problem.molecule, problem.basis, problem.coefficients, places);
  if (problem.weights == nullptr) return amplitudes;
  return amplitudes.cwiseAbs2() * *problem.weights;
}

/// The largest magnitude of each field near and on the atoms, sum_k |w_k| psi_k^2 for a density: what
/// errors are measured by, as a grid may lie on a node.
inline Eigen::VectorXd field_scales(const FieldProblem& problem) {
  const auto box = molecules::nuclei_box(problem.molecule);
  Eigen::Matrix3Xd around =
      orbitals::grid_points(grid::cover_box(box.low_bohr.array() - 2, box.high_bohr.array() + 2, 0.55));
  const Eigen::Index nuclei = around.cols();
  around.conservativeResize(3, nuclei + static_cast<Eigen::Index>(problem.molecule.atoms.size()));
  for (std::size_t atom = 0; atom < problem.molecule.atoms.size(); ++atom) {
    around.col(nuclei + static_cast<Eigen::Index>(atom)) = problem.molecule.atoms[atom].position_bohr;
  }
  const Eigen::MatrixXd amplitudes =
      orbitals::reference_amplitudes(problem.molecule, problem.basis, problem.coefficients, around);
  if (problem.weights == nullptr) return amplitudes.cwiseAbs().colwise().maxCoeff();
  return Eigen::VectorXd::Constant(1, (amplitudes.cwiseAbs2() * problem.weights->cwiseAbs()).maxCoeff());
}

/// Largest error over all fields, as a part of each field's scale.
inline double relative_error(const Eigen::MatrixXf& values, const Eigen::MatrixXd& right,
                             const Eigen::VectorXd& scales) {
  if (values.rows() != right.rows() || values.cols() != right.cols()) return 1e30;
  double worst = 0;
  for (Eigen::Index k = 0; k < right.cols(); ++k) {
    for (Eigen::Index n = 0; n < right.rows(); ++n) {
      const double error = std::abs(static_cast<double>(values(n, k)) - right(n, k)) / scales[k];
      if (!(error <= worst)) worst = std::isfinite(error) ? error : 1e30;
    }
  }
  return worst;
}

using test::box_grid;

inline grid::Grid rotated_grid() {
  grid::Grid made;
  made.dimensions = {9, 7, 7};
  made.origin = {-2.5, -2, -2};
  made.step << 0.45, -0.1, 0.02, 0.12, 0.5, -0.05, 0.0, 0.08, 0.55;
  return made;
}

}  // namespace isolume::gpu::testing
