#include <algorithm>
#include <mutex>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/interop/gl_writer.h"
#include "gpu/interop/make_surface_engine.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/surfaces/marching_cubes.h"

namespace isolume::gpu {
namespace {

class FoundSurface final : public GpuSurface {
 public:
  FoundSurface(std::shared_ptr<dispatch::DevicePool> pool, std::shared_ptr<const SurfaceField> field,
               double isovalue, const jobs::Progress& progress)
      : pool_(std::move(pool)), cubes_(std::move(field), isovalue, progress) {}

  std::size_t vertex_count() const override { return cubes_.vertex_count(); }
  std::size_t triangle_count() const override { return cubes_.triangle_count(); }
  double area() const override { return cubes_.area(); }
  std::array<double, 6> bounds() const override { return cubes_.bounds(); }
  const MarchingCubes& cubes() const { return cubes_; }

  Mesh download() const override {
    Mesh mesh;
    mesh.points.resize(3 * vertex_count());
    mesh.normals.resize(3 * vertex_count());
    mesh.triangles.resize(3 * triangle_count());
    const Stream stream(cubes_.field().device());
    DeviceBuffer<float> points(stream, mesh.points.size());
    DeviceBuffer<float> normals(stream, mesh.normals.size());
    DeviceBuffer<std::uint32_t> triangles(stream, mesh.triangles.size());
    cubes_.write_vertices(points.device_data(), normals.device_data(), stream);
    cubes_.write_triangles(triangles.device_data(), stream);
    dispatch::guarded(cubes_.field().device(), [&] {
      gpu::download<float>(stream, points.device_data(), mesh.points, surface_deadline(), {});
      gpu::download<float>(stream, normals.device_data(), mesh.normals, surface_deadline(), {});
      gpu::download<std::uint32_t>(stream, triangles.device_data(), mesh.triangles, surface_deadline(), {});
    });
    return mesh;
  }

  std::unique_ptr<SurfaceDrawing> make_drawing(const std::string& gl_renderer) const override;

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;  // owns the device
  MarchingCubes cubes_;
};

const MarchingCubes& cubes_of(const GpuSurface& surface) {
  return dynamic_cast<const FoundSurface&>(surface).cubes();
}

class Drawing final : public SurfaceDrawing {
 public:
  Drawing(std::shared_ptr<dispatch::DevicePool> pool, const std::string& gl_renderer)
      : pool_(std::move(pool)), writer_(*pool_, gl_renderer) {
    tell();
  }

  void write(const GpuSurface& surface, SurfacePart part, const GlBuffer& buffer) override {
    const auto& cubes = cubes_of(surface);
    const auto& device = cubes.field().device();
    dispatch::guarded(device, [&] {
      writer_.write(buffer, byte_count(surface, part), device,
                    [&](std::byte* memory, const Stream& stream) { produce(cubes, part, memory, stream); });
    });
    if (writer_.how() != told_) tell();
  }
  void forget(unsigned buffer) noexcept override { writer_.forget(buffer); }
  const std::string& how() const override { return writer_.how(); }

 private:
  static void produce(const MarchingCubes& cubes, SurfacePart part, std::byte* memory, const Stream& stream) {
    switch (part) {
      case SurfacePart::points:
        return cubes.write_vertices(reinterpret_cast<float*>(memory), nullptr, stream);
      case SurfacePart::normals:
        return cubes.write_vertices(nullptr, reinterpret_cast<float*>(memory), stream);
      case SurfacePart::triangles:
        return cubes.write_triangles(reinterpret_cast<std::uint32_t*>(memory), stream);
      case SurfacePart::lines:
        return cubes.write_lines(reinterpret_cast<std::uint32_t*>(memory), stream);
    }
  }
  void tell() {
    told_ = writer_.how();
    pool_->set_note("display", "Surfaces are " + told_ + ".");
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  GlWriter writer_;
  std::string told_;
};

std::unique_ptr<SurfaceDrawing> FoundSurface::make_drawing(const std::string& gl_renderer) const {
  return std::make_unique<Drawing>(pool_, gl_renderer);
}

class GpuSurfaceEngine final : public SurfaceEngine {
 public:
  explicit GpuSurfaceEngine(std::shared_ptr<dispatch::DevicePool> pool) : pool_(std::move(pool)) {}

  std::shared_ptr<const GpuSurface> surface(const std::shared_ptr<const grid::ScalarField>& field,
                                            double isovalue, const jobs::Progress& progress) override {
    progress.check();
    const auto resident = usable_resident(*field);
    const auto& gpu = resident != nullptr ? resident->device() : choose_gpu(*pool_);
    return dispatch::guarded(gpu, [&] {
      return std::make_shared<const FoundSurface>(pool_, on_device(gpu, field, resident), isovalue, progress);
    });
  }

 private:
  using Resident = std::shared_ptr<const ResidentField>;

  /// The field on one of the pool's GPUs, if it is there already; null if it is not, or if that GPU is set
  /// aside.
  Resident usable_resident(const grid::ScalarField& field) const {
    auto resident = std::dynamic_pointer_cast<const ResidentField>(field.values.device());
    if (resident == nullptr) return nullptr;
    const auto usable = dispatch::usable_gpus(*pool_);
    return std::ranges::count(usable, &resident->device()) > 0 ? resident : nullptr;
  }

  std::shared_ptr<const SurfaceField> on_device(const GpuDevice& gpu,
                                                const std::shared_ptr<const grid::ScalarField>& field,
                                                const Resident& resident) {
    const std::scoped_lock lock(mutex_);
    auto kept = kept_.lock();
    if (kept == nullptr || kept_of_.lock() != field || &kept->device() != &gpu) {
      kept = resident != nullptr ? std::make_shared<const SurfaceField>(resident)
                                 : std::make_shared<const SurfaceField>(gpu, *field);
      kept_ = kept;
      kept_of_ = field;
    }
    return kept;
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::mutex mutex_;
  std::weak_ptr<const SurfaceField> kept_;
  std::weak_ptr<const grid::ScalarField> kept_of_;
};

}  // namespace

std::shared_ptr<SurfaceEngine> make_surface_engine(std::shared_ptr<dispatch::DevicePool> pool) {
  for (const dispatch::Device* device : pool->devices()) {
    if (dynamic_cast<const GpuDevice*>(device) != nullptr) {
      return std::make_shared<GpuSurfaceEngine>(std::move(pool));
    }
  }
  return nullptr;
}

}  // namespace isolume::gpu
