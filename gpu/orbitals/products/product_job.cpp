#include <algorithm>
#include <limits>
#include <span>

#include "core/orbitals/product_field.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/products/product_layout.h"
#include "gpu/orbitals/separable/local_layout.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {
namespace {

using products::tile_edge;

/// Values between the passes of interpolations, of the planes that are processed together; at least those of one plane.
constexpr std::size_t most_scratch_bytes = std::size_t{128} << 20;

int planes_at_once(const ProductLayout& layout) {
  const std::size_t plane_bytes = sizeof(float) * (layout.values_along_z() + layout.values_along_y());
  const int planes = layout.levels.front().axes[2].count;
  return static_cast<int>(std::clamp<std::size_t>(most_scratch_bytes / std::max<std::size_t>(1, plane_bytes),
                                                  1, static_cast<std::size_t>(std::max(1, planes))));
}

/// One grid's data on a device; for a coarse grid, its sums as well.
class LevelOnDevice {
 public:
  LevelOnDevice(const ProductLayout::Level& level, bool coarse, const Stream& stream)
      : layout_(level),
        reach_(device_copy(level.reach, stream)),
        products_(device_copy(level.products, stream)),
        chunks_(device_copy(level.chunks, stream)),
        coefficients_(device_copy(level.coefficients, stream)) {
    if (!coarse) return;
    for (const auto& stencil : level.stencils) weights_.push_back(device_copy(stencil.weights, stream));
    values_ = DeviceBuffer<float>(stream, level.points());
    sum(0, level.axes[2].count, -std::numeric_limits<float>::infinity(), values_.device_data(), stream);
  }

  void sum(int first_z, int count_z, float least, float* out, const Stream& stream) const {
    const auto& axes = layout_.axes;
    products::sum_products({reach_.device_data(),
                            products_.device_data(),
                            chunks_.device_data(),
                            coefficients_.device_data(),
                            static_cast<int>(chunks_.size()),
                            {axes[0].count, axes[1].count, axes[2].count},
                            {static_cast<float>(axes[0].step), static_cast<float>(axes[1].step),
                             static_cast<float>(axes[2].step)}},
                           first_z, count_z, least, out, stream);
  }

  /// Adds the values of a coarse grid, interpolated, to planes of a grid of `width` x `height` points.
  void add_to(Slab planes, int width, int height, float least, float* along_z, float* along_y, float* out,
              const Stream& stream) const {
    const auto& axes = layout_.axes;
    const auto axis = [&](std::size_t n) {
      const auto& stencil = layout_.stencils[n];
      return products::Axis{weights_[n].device_data(), stencil.over, stencil.under, stencil.taps};
    };
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    products::interpolate(axis(2),
                          {1, axes[0].count * axes[1].count, axes[2].count, planes.first, planes.count},
                          values_.device_data(), false, lowest, along_z, stream);
    products::interpolate(axis(1), {planes.count, axes[0].count, axes[1].count, 0, height}, along_z, false,
                          lowest, along_y, stream);
    products::interpolate(axis(0), {planes.count * height, 1, axes[0].count, 0, width}, along_y, true, least,
                          out, stream);
  }

  static std::size_t bytes(const ProductLayout::Level& level, bool coarse) {
    std::size_t sum = std::span(level.reach).size_bytes() + std::span(level.products).size_bytes() +
                      std::span(level.chunks).size_bytes() + std::span(level.coefficients).size_bytes();
    if (!coarse) return sum;
    for (const auto& stencil : level.stencils) sum += std::span(stencil.weights).size_bytes();
    return sum + level.points() * sizeof(float);
  }

 private:
  const ProductLayout::Level& layout_;
  DeviceBuffer<TermReach> reach_;
  DeviceBuffer<products::Product> products_;
  DeviceBuffer<Chunk> chunks_;
  DeviceBuffer<float> coefficients_;
  std::vector<DeviceBuffer<float>> weights_;
  DeviceBuffer<float> values_;
};

class ProductDeviceJob final : public DeviceJob {
 public:
  ProductDeviceJob(std::shared_ptr<const ProductLayout> layout, const Stream& stream)
      : layout_(std::move(layout)) {
    for (const auto& level : layout_->levels) levels_.emplace_back(level, !levels_.empty(), stream);
  }

  void launch(Slab slab, float* out, std::size_t, const Stream& stream) override {
    const auto& axes = layout_->levels.front().axes;
    if (layout_->levels.front().points() == 0 || slab.count <= 0) return;
    constexpr float lowest = -std::numeric_limits<float>::infinity();
    const float least = layout_->never_negative ? 0.0F : lowest;
    levels_.front().sum(slab.first, slab.count, levels_.size() == 1 ? least : lowest, out, stream);
    if (levels_.size() == 1) return;
    const int at_once = std::min(slab.count, planes_at_once(*layout_));
    const DeviceBuffer<float> along_z(stream, layout_->values_along_z() * static_cast<std::size_t>(at_once));
    const DeviceBuffer<float> along_y(stream, layout_->values_along_y() * static_cast<std::size_t>(at_once));
    const std::size_t plane =
        static_cast<std::size_t>(axes[0].count) * static_cast<std::size_t>(axes[1].count);
    for (int done = 0; done < slab.count; done += at_once) {
      const Slab planes{slab.first + done, std::min(at_once, slab.count - done)};
      for (std::size_t n = 1; n < levels_.size(); ++n) {
        levels_[n].add_to(planes, axes[0].count, axes[1].count, n + 1 == levels_.size() ? least : lowest,
                          along_z.device_data(), along_y.device_data(),
                          out + static_cast<std::size_t>(done) * plane, stream);
      }
    }
  }

 private:
  std::shared_ptr<const ProductLayout> layout_;
  std::vector<LevelOnDevice> levels_;
};

class ProductJob final : public KernelJob {
 public:
  ProductJob(const FieldProblem& problem, const jobs::Progress& progress)
      : layout_(std::make_shared<const ProductLayout>(lay_out_products(problem, progress))) {}

  KernelKind kind() const override { return KernelKind::products; }
  int slab_granularity() const override { return tile_edge; }
  std::size_t device_bytes() const override {
    constexpr std::size_t workers = 2;  // each with slabs of its own
    std::size_t sum = workers * static_cast<std::size_t>(planes_at_once(*layout_)) * sizeof(float) *
                      (layout_->values_along_z() + layout_->values_along_y());
    for (std::size_t n = 0; n < layout_->levels.size(); ++n)
      sum += LevelOnDevice::bytes(layout_->levels[n], n > 0);
    return sum;
  }
  double flop(Slab slab) const override {
    if (slab.count <= 0) return 0;
    double sum = layout_->plane_operations * slab.count;
    for (int layer = slab.first / tile_edge; layer <= (slab.first + slab.count - 1) / tile_edge; ++layer)
      sum += layout_->layer_operations[static_cast<std::size_t>(layer)];
    return sum;
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream) const override {
    return std::make_unique<ProductDeviceJob>(layout_, stream);
  }

 private:
  std::shared_ptr<const ProductLayout> layout_;
};

}  // namespace

bool products_worthwhile(const FieldProblem& problem) {
  // An estimate: this kernel has not been timed on hardware. The host prepares for longer than kernels run. C60's
  // products take 34 ms of processor time, divided among all threads; local columns take 20 ms on one thread, and 12
  // times as many operations of the GPU. The orbitals' own columns take the host 0.3 to 3 ms, and the GPU too little
  // time for products to win that back.
  return local_columns_worthwhile(problem) && orbitals::ProductField::worthwhile(problem);
}

std::unique_ptr<KernelJob> make_product_job(const FieldProblem& problem, const jobs::Progress& progress) {
  return std::make_unique<ProductJob>(problem, progress);
}

}  // namespace isolume::gpu
