#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/pointwise/pointwise_plan.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/constant_memory.h"

namespace isolume::gpu {
namespace {

class PointwiseDeviceJob final : public DeviceJob {
 public:
  PointwiseDeviceJob(std::shared_ptr<const PointwisePlan> plan, const Stream& stream)
      : plan_(std::move(plan)),
        words_(device_copy(plan_->shells.words, stream)),
        places_(device_copy(plan_->places, stream)),
        boxes_(device_copy(plan_->boxes, stream)) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    if (plan_->slab_points(slab.count) == 0 || (plan_->columns == 0 && !plan_->density)) return;
    stream.device().make_current();
    PointSet points = plan_->points;
    points.first = slab.first;
    points.count = slab.count;
    points.places = places_.device_data();
    points.boxes = boxes_.device_data();
    const FieldOutput output{out, field_stride, 0, plan_->columns, plan_->density, false};
    const PackedLayout& layout = plan_->shells.layout;
    const Word* words = words_.device_data();
    switch (plan_->kind) {
      case KernelKind::constant:
        launch_in_parts(points, output, stream);
        break;
      case KernelKind::tiled:
        launch_tiled(layout, words, points, output, stream);
        break;
      case KernelKind::range_limited:
        launch_range_limited(layout, words, points, output, stream);
        break;
      default:
        launch_cached(layout, words, points, output, stream);
    }
  }

 private:
  /// Launches as many passes at once as fit in constant memory.
  void launch_in_parts(const PointSet& points, FieldOutput output, const Stream& stream) {
    PackedLayout layout = plan_->shells.layout;
    const int all = layout.pass_count;
    const auto shells = static_cast<std::size_t>(layout.first_coefficient);
    std::uint64_t content = plan_->content;
    int pass = 0;
    do {
      layout.pass_count = std::min(plan_->passes_per_launch, all - pass);
      output.first_column = pass * layout.columns_per_pass;
      output.add = pass > 0;
      const auto per_pass = static_cast<std::size_t>(layout.words_per_pass);
      with_constant_memory(
          content++, stream,
          [&] {
            if (shells > 0) copy_to_constant_memory(words_.device_data(), shells, 0, stream);
            if (layout.pass_count > 0) {
              copy_to_constant_memory(words_.device_data() + shells + pass * per_pass,
                                      layout.pass_count * per_pass, shells, stream);
            }
          },
          [&] { launch_constant(layout, points, output, stream); });
      pass += layout.pass_count;
    } while (pass < all);
  }

  std::shared_ptr<const PointwisePlan> plan_;
  DeviceBuffer<Word> words_;
  DeviceBuffer<float> places_;
  DeviceBuffer<float> boxes_;
};

class PointwiseJob final : public KernelJob {
 public:
  PointwiseJob(KernelKind kind, const FieldProblem& problem) : plan_(make_pointwise_plan(kind, problem)) {}

  KernelKind kind() const override { return plan_->kind; }
  int slab_granularity() const override {
    if (plan_->kind != KernelKind::range_limited) return 1;
    const int columns_per_pass = plan_->shells.layout.columns_per_pass;
    return plan_->points.kind == PlaceKind::scattered ? points_per_block(columns_per_pass)
                                                      : brick_planes(columns_per_pass);
  }
  std::size_t device_bytes() const override {
    return plan_->shells.bytes() + (plan_->places.size() + plan_->boxes.size()) * sizeof(float);
  }
  double flop(Slab slab) const override { return pointwise_flop(*plan_, slab); }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream) const override {
    stream.device().make_current();
    return std::make_unique<PointwiseDeviceJob>(plan_, stream);
  }

 private:
  std::shared_ptr<const PointwisePlan> plan_;
};

}  // namespace

std::unique_ptr<KernelJob> make_pointwise_job(KernelKind kind, const FieldProblem& problem) {
  if (kind == KernelKind::generated || kind == KernelKind::separable || kind == KernelKind::separable_ahead ||
      kind == KernelKind::products) {
    throw Error(fmt::format("The kernel \"{}\" does not compute point by point.", to_string(kind)));
  }
  return std::make_unique<PointwiseJob>(kind, problem);
}

}  // namespace isolume::gpu
