#include <array>
#include <span>

#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/separable/separable_layout.h"
#include "gpu/runtime/buffer.h"

namespace isolume::gpu {
namespace {

/// One copy on a device.
class SeparableDeviceJob final : public DeviceJob {
 public:
  SeparableDeviceJob(std::shared_ptr<const SeparableLayout> layout, bool ahead, const Stream& stream)
      : layout_(std::move(layout)),
        ahead_(ahead),
        table_jobs_(device_copy(layout_->table_jobs, stream)),
        values_(stream, layout_->table_size),
        reach_(device_copy(layout_->reach, stream)),
        rows_(device_copy(layout_->rows, stream)),
        chunks_(device_copy(layout_->chunks, stream)),
        coefficients_(device_copy(layout_->coefficients, stream)),
        weights_(device_copy(layout_->weights, stream)) {
    separable::fill_tables(table_jobs_.device_data(), static_cast<int>(table_jobs_.size()),
                           values_.device_data(), stream);
  }

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    if (layout_->columns == 0 && !layout_->quadratic) return;
    separable::sum_bricks(tables(), ahead_, slab.first, slab.count, out, field_stride, stream);
  }

 private:
  separable::Tables tables() const {
    const auto& axes = layout_->axes;
    return {values_.device_data(),
            reach_.device_data(),
            rows_.device_data(),
            chunks_.device_data(),
            coefficients_.device_data(),
            weights_.device_data(),
            layout_->quadratic,
            static_cast<int>(chunks_.size()),
            layout_->coefficient_rows,
            layout_->columns,
            {axes[0].count, axes[1].count, axes[2].count},
            {static_cast<float>(axes[0].step), static_cast<float>(axes[1].step),
             static_cast<float>(axes[2].step)}};
  }

  std::shared_ptr<const SeparableLayout> layout_;
  bool ahead_;
  DeviceBuffer<separable::TableJob> table_jobs_;
  DeviceBuffer<float> values_;
  DeviceBuffer<separable::TermReach> reach_;
  DeviceBuffer<separable::TermRows> rows_;
  DeviceBuffer<separable::Chunk> chunks_;
  DeviceBuffer<float> coefficients_;
  DeviceBuffer<float> weights_;
};

class SeparableJob final : public KernelJob {
 public:
  SeparableJob(KernelKind kind, const FieldProblem& problem)
      : kind_(kind), layout_(std::make_shared<const SeparableLayout>(lay_out_separable(problem))) {}

  KernelKind kind() const override { return kind_; }
  int slab_granularity() const override { return separable::brick_z; }
  std::size_t device_bytes() const override {
    const auto bytes = [](const auto& values) { return std::span(values).size_bytes(); };
    return bytes(layout_->table_jobs) + layout_->table_size * sizeof(float) + bytes(layout_->reach) +
           bytes(layout_->rows) + bytes(layout_->chunks) + bytes(layout_->coefficients) +
           bytes(layout_->weights);
  }
  double flop(Slab slab) const override { return separable_flop(*layout_, slab); }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream) const override {
    return std::make_unique<SeparableDeviceJob>(layout_, kind_ == KernelKind::separable_ahead, stream);
  }

 private:
  KernelKind kind_;
  std::shared_ptr<const SeparableLayout> layout_;
};

}  // namespace

std::unique_ptr<KernelJob> make_separable_job(KernelKind kind, const FieldProblem& problem) {
  return std::make_unique<SeparableJob>(kind, problem);
}

}  // namespace isolume::gpu
