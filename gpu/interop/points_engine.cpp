#include "gpu/interop/points_engine.h"

#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/interop/gl_writer.h"
#include "gpu/runtime/algorithms/gather_kernels.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/memory/values_on_gpu.h"
#include "gpu/surfaces/marching_cubes.h"

namespace isolume::gpu {
namespace {

const ValuesOnGpu& on_gpu(const dispatch::DeviceValues& values) {
  const auto* found = dynamic_cast<const ValuesOnGpu*>(&values);
  if (found == nullptr) throw Error("Points are to be drawn from numbers that no GPU has.");
  if (!found->readable()) {
    throw Error(found->block().device().name() +
                ", which has the points, is set aside: " + found->block().device().set_aside_because());
  }
  return *found;
}

/// Rows on one GPU.
class RowsOnGpu {
 public:
  RowsOnGpu(const GpuDevice& device, DrawnRows rows)
      : of_(std::move(rows)), stream_(device), numbers_(stream_, of_->size()) {
    upload<std::uint32_t>(stream_, *of_, numbers_.device_data(), surface_deadline(), {});
    stream_.wait(surface_deadline(), {});  // other streams may read it from now on
  }

  bool are(const GpuDevice& device, const DrawnRows& rows) const {
    return &stream_.device() == &device && of_ == rows;
  }
  const std::uint32_t* data(const Stream& for_work_of) const {
    for_work_of.uses_memory_of(stream_);
    return numbers_.device_data();
  }

 private:
  DrawnRows of_;
  Stream stream_;
  DeviceBuffer<std::uint32_t> numbers_;
};

class GpuPointsWriter final : public PointsWriter {
 public:
  GpuPointsWriter(std::shared_ptr<dispatch::DevicePool> pool, const std::string& gl_renderer)
      : pool_(std::move(pool)), writer_(*pool_, gl_renderer) {
    tell();
  }

  void write_places(const dispatch::DeviceValues& from, const DrawnRows& rows,
                    const std::array<float, 3>& shift, const GlBuffer& to) override {
    write(from, 3, rows, to, [&](const gather_kernels::Rows& of, float* memory, const Stream& stream) {
      gather_kernels::gather_shifted(of, {{shift[0], shift[1], shift[2]}}, memory, stream);
    });
  }
  void write_values(const dispatch::DeviceValues& from, const DrawnRows& rows, const GlBuffer& to) override {
    write(from, 1, rows, to, gather_kernels::gather);
  }
  void forget(unsigned buffer) noexcept override { writer_.forget(buffer); }
  const std::string& how() const override { return writer_.how(); }

 private:
  template <class Gather>
  void write(const dispatch::DeviceValues& from, std::size_t width, const DrawnRows& rows, const GlBuffer& to,
             const Gather& gather) {
    const ValuesOnGpu& values = on_gpu(from);
    const GpuDevice& device = values.block().device();
    const std::size_t count = rows ? rows->size() : values.size() / width;
    dispatch::guarded(device, [&] {
      if (rows && !(rows_ && rows_->are(device, rows))) rows_.emplace(device, rows);
      writer_.write(to, count * width * sizeof(float), device, [&](std::byte* memory, const Stream& stream) {
        values.block().used_by(stream);
        gather({values.data(), rows ? rows_->data(stream) : nullptr, static_cast<std::uint32_t>(count)},
               reinterpret_cast<float*>(memory), stream);
      });
    });
    if (writer_.how() != told_) tell();
  }
  void tell() {
    told_ = writer_.how();
    pool_->set_note("points", "Bodies that stay on a GPU are " + told_ + ".");
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  GlWriter writer_;
  std::string told_;
  std::optional<RowsOnGpu> rows_;
};

class GpuPointsEngine final : public PointsEngine {
 public:
  explicit GpuPointsEngine(std::shared_ptr<dispatch::DevicePool> pool) : pool_(std::move(pool)) {}
  std::unique_ptr<PointsWriter> make_writer(const std::string& gl_renderer) const override {
    return std::make_unique<GpuPointsWriter>(pool_, gl_renderer);
  }

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;
};

}  // namespace

std::shared_ptr<const PointsEngine> make_points_engine(std::shared_ptr<dispatch::DevicePool> pool) {
  for (const dispatch::Device* device : pool->devices()) {
    if (dynamic_cast<const GpuDevice*>(device) != nullptr)
      return std::make_shared<const GpuPointsEngine>(std::move(pool));
  }
  return nullptr;
}

}  // namespace isolume::gpu
