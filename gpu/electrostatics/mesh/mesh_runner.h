#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/electrostatics/sums/mesh_sum.h"
#include "core/jobs/progress.h"
#include "gpu/runtime/multi_device/chosen_devices.h"

namespace isolume::gpu {

/// The mesh part of a sum, and the device that computed it.
struct ComputedMesh {
  std::vector<double> values;
  std::string who;  ///< "a mesh of 96 x 96 x 96 points by NVIDIA H200 in 3 ms"
};
/// Computed by the first GPU that succeeds; if all GPUs have failed, by the CPU if it was named or no devices
/// were. Throws Cancelled, and the exception of the last device.
ComputedMesh compute_mesh(const electrostatics::MeshSum& sum, const ChosenDevices& chosen,
                          std::chrono::duration<double> deadline, const jobs::Progress& progress);

}  // namespace isolume::gpu
