#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/anatomy/atlas_devices.h"
#include "gpu/anatomy/fluid_steps_on_device.h"
#include "gpu/anatomy/kept_transforms.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/multi_device/worker_team.h"

namespace isolume::gpu {

/// Device memory of that many images at a level.
std::size_t bytes_of_atlas(const anatomy::AtlasShape& shape, std::size_t images);

/// Images of an atlas on one device, which keeps all of them for a level. Used by one thread at a time.
class AtlasOnDevice {
 public:
  /// The images from `first` on. The device, the problem and what the limits refer to must live as long as this object.
  AtlasOnDevice(const anatomy::AtlasProblem& problem, std::size_t first, std::size_t images,
                const GpuDevice& device, const WaitLimits& limits, KeptTransforms& kept);

  /// As AtlasLevel::add_sums. `mutex`: of both sums.
  void add_sums(std::span<double> sums, std::span<double> squares, std::mutex& mutex) const;
  void set_mean(std::span<const float> mean) { steps_.set_fixed(mean); }
  double longest();
  /// The weighted mismatches of the images, to `mismatches`.
  void step(double step_size, std::span<double> mismatches);
  std::vector<anatomy::VectorField> displacements() const;

 private:
  struct Image {
    DeviceBuffer<float> values, warped;
    VectorsOnDevice displacement;
  };

  const anatomy::AtlasProblem& problem_;
  std::size_t first_;
  WaitLimits limits_;
  Stream stream_;
  FluidStepsOnDevice steps_;
  std::vector<Image> images_;
};

/// A device with its images at a level.
struct AtlasPart {
  dispatch::Device* device = nullptr;
  std::size_t first = 0, images = 0;
  double busy_seconds = 0;
  double steps = 0, step_seconds = 0;  ///< of all images
  std::string error = {};              ///< why it failed; empty: it has not
};

/// An atlas's level on several devices, which work at the same time, each on a thread of its own. Each iteration moves the mean
/// to each device, 4 bytes a voxel, and sums back, 8 bytes a voxel and as many for the squares. The sums have the same bits for any
/// number of devices, and so has what follows from them if devices of one kind compute.
class AtlasOnDevices final : public anatomy::AtlasLevel {
 public:
  /// `parts`: with images; busy times and errors are added to them.
  AtlasOnDevices(const anatomy::AtlasProblem& problem, std::vector<AtlasPart>& parts,
                 std::chrono::duration<double> deadline, const jobs::Progress& progress,
                 KeptTransforms& kept);

  void add_sums(std::span<double> sums, std::span<double> squares) override;
  void set_mean(std::span<const float> mean) override;
  double longest() override;
  std::vector<double> step(double step_size) override;
  void finish() override;

 private:
  template <class Work>
  void on_each(const Work& work);

  const anatomy::AtlasProblem& problem_;
  std::vector<AtlasPart>& parts_;
  std::chrono::duration<double> deadline_;
  jobs::Progress progress_;
  std::vector<std::unique_ptr<AtlasOnDevice>> devices_;
  WorkerTeam team_;
};

}  // namespace isolume::gpu
