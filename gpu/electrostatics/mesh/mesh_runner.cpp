#include "gpu/electrostatics/mesh/mesh_runner.h"

#include <exception>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "gpu/electrostatics/mesh/mesh_values.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {
namespace {

using electrostatics::MeshSum;

std::string described(const MeshSum& sum, const std::string& by, double milliseconds) {
  return fmt::format("a mesh of {} x {} x {} points by {} in {:.3g} ms", sum.mesh.points(0),
                     sum.mesh.points(1), sum.mesh.points(2), by, milliseconds);
}

}  // namespace

ComputedMesh compute_mesh(const MeshSum& sum, const ChosenDevices& chosen,
                          std::chrono::duration<double> deadline, const jobs::Progress& progress) {
  const WaitLimits limits{deadline, progress};
  std::string why;
  std::exception_ptr last;
  auto start = std::chrono::steady_clock::now();
  for (const dispatch::Device* each : chosen.all) {
    if (is_cpu(each)) continue;
    start = std::chrono::steady_clock::now();
    try {
      const GpuDevice& device = gpu_of(*each);
      auto values =
          guarded_on(device, limits.deadline, [&] { return mesh_values(sum, Stream(device), limits); });
      return {std::move(values), described(sum, each->name(), milliseconds_since(start))};
    } catch (const Error& error) {
      why = error.what();
      last = std::current_exception();
      log::warning("{} computes no potential on a mesh: {}", each->name(), why);
    }
  }
  if (chosen.named && !chosen.has_cpu()) std::rethrow_exception(last);
  start = std::chrono::steady_clock::now();
  const int threads = chosen.cpu ? chosen.cpu->concurrency() : dispatch::processor_threads();
  tbb::task_arena arena(threads);
  auto values = arena.execute([&] { return electrostatics::values_on_mesh(sum, progress); });
  return {std::move(values), described(sum, "the CPU", milliseconds_since(start)) + ", because: " + why};
}

}  // namespace isolume::gpu
