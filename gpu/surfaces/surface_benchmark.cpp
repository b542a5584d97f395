#include "gpu/surfaces/surface_benchmark.h"

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/surfaces/marching_cubes.h"
#include "gpu/surfaces/marching_cubes_kernels.h"

namespace isolume::gpu {
namespace {

double timed_ms(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return milliseconds_since(start);
}

/// One surface on its way to the host.
struct OnTheWay {
  std::optional<MarchingCubes> cubes;
  DeviceBuffer<float> points;
  DeviceBuffer<float> normals;
  DeviceBuffer<std::uint32_t> triangles;

  void reset() {
    cubes.reset();
    points = {};
    normals = {};
    triangles = {};
  }
};

/// The steps; each may be repeated after the previous one.
class Way {
 public:
  Way(const GpuDevice& device, const grid::ScalarField& field, double isovalue,
      const jobs::Progress& progress)
      : device_(device),
        field_(field),
        isovalues_{isovalue, -isovalue},
        progress_(progress),
        stream_(device) {}

  void upload() {
    for (OnTheWay& each : surfaces_) each.reset();
    on_device_ = nullptr;  // its memory is kept for the next one
    on_device_ = std::make_shared<const SurfaceField>(device_, field_);
  }
  void find() {
    for (std::size_t i = 0; i < surfaces_.size(); ++i) {
      surfaces_[i].reset();
      surfaces_[i].cubes.emplace(on_device_, isovalues_[i], progress_);
    }
  }
  void write() {
    for (OnTheWay& each : surfaces_) {
      const MarchingCubes& cubes = *each.cubes;
      each.points = DeviceBuffer<float>(stream_, 3 * cubes.vertex_count());
      each.normals = DeviceBuffer<float>(stream_, 3 * cubes.vertex_count());
      each.triangles = DeviceBuffer<std::uint32_t>(stream_, 3 * cubes.triangle_count());
      cubes.write_vertices(each.points.device_data(), each.normals.device_data(), stream_);
      cubes.write_triangles(each.triangles.device_data(), stream_);
    }
    stream_.wait(surface_deadline(), progress_);
  }
  void download() {
    for (const OnTheWay& each : surfaces_) {
      fetch(each.points);
      fetch(each.normals);
      fetch(each.triangles);
    }
  }

  const std::array<OnTheWay, 2>& surfaces() const { return surfaces_; }

 private:
  template <class T>
  void fetch(const DeviceBuffer<T>& values) {
    std::vector<T> mesh(values.size());
    gpu::download<T>(stream_, values.device_data(), mesh, surface_deadline(), progress_);
  }

  const GpuDevice& device_;
  const grid::ScalarField& field_;
  std::array<double, 2> isovalues_;
  jobs::Progress progress_;
  Stream stream_;
  std::shared_ptr<const SurfaceField> on_device_;
  std::array<OnTheWay, 2> surfaces_;
};

}  // namespace

double least_bytes(const grid::Grid& grid, int surfaces, std::size_t vertices, std::size_t triangles) {
  const auto& n = grid.dimensions;
  const double rows = static_cast<double>(n[1]) * n[2];
  const double runs = rows * ((n[0] + surface_kernels::run_length - 1) / surface_kernels::run_length);
  constexpr double bytes_per_run = 5 * sizeof(std::uint32_t);
  return surfaces * (rows * n[0] * sizeof(float) + 2 * bytes_per_run * runs) +
         24.0 * static_cast<double>(vertices) + 12.0 * static_cast<double>(triangles);
}

SurfaceTimes time_surfaces(const dispatch::Device& device, const grid::ScalarField& field, double isovalue,
                           const benchmarks::RepeatOptions& options, const jobs::Progress& progress) {
  Way way(gpu_of(device), field, isovalue, progress);
  SurfaceTimes times;
  times.points = field.values.size();
  // Measured first, so that its first run finds the device in the state of a program's first surface.
  times.whole = benchmarks::time_repeats(options, [&] {
    return timed_ms([&] {
      way.upload();
      way.find();
      way.write();
      way.download();
    });
  });
  times.upload = benchmarks::time_repeats(options, [&] { return timed_ms([&] { way.upload(); }); });
  times.find = benchmarks::time_repeats(options, [&] { return timed_ms([&] { way.find(); }); });
  times.write = benchmarks::time_repeats(options, [&] { return timed_ms([&] { way.write(); }); });
  times.download = benchmarks::time_repeats(options, [&] { return timed_ms([&] { way.download(); }); });
  for (const auto& each : way.surfaces()) {
    times.vertices += each.cubes->vertex_count();
    times.triangles += each.cubes->triangle_count();
  }
  times.moved_bytes = least_bytes(field.grid, 2, times.vertices, times.triangles);
  return times;
}

std::size_t count_triangles(const dispatch::Device& device, const grid::ScalarField& field, double isovalue,
                            const jobs::Progress& progress) {
  const auto resident = std::dynamic_pointer_cast<const ResidentField>(field.values.device());
  const auto there = resident != nullptr ? std::make_shared<const SurfaceField>(resident)
                                         : std::make_shared<const SurfaceField>(gpu_of(device), field);
  return MarchingCubes(there, isovalue, progress).triangle_count() +
         MarchingCubes(there, -isovalue, progress).triangle_count();
}

}  // namespace isolume::gpu
