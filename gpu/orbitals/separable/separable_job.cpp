#include <algorithm>
#include <array>
#include <span>

#include "core/orbitals/local_density.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/orbitals/separable/local_layout.h"
#include "gpu/orbitals/separable/separable_layout.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {
namespace {

/// Scratch memory of the blocks of a local density that are processed together; at least that of one block.
constexpr std::size_t local_scratch_bytes = std::size_t{256} << 20;
/// Half of about a hundred columns: a typical brick where most of the work is.
constexpr double usual_columns = 60;

/// Data shared by fields on one device.
class TermsOnDevice {
 public:
  TermsOnDevice(std::shared_ptr<const SeparableLayout> layout, const Stream& stream)
      : layout_(std::move(layout)),
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
  const SeparableLayout& layout() const { return *layout_; }

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

 private:
  std::shared_ptr<const SeparableLayout> layout_;
  DeviceBuffer<separable::TableJob> table_jobs_;
  DeviceBuffer<float> values_;
  DeviceBuffer<TermReach> reach_;
  DeviceBuffer<separable::TermRows> rows_;
  DeviceBuffer<Chunk> chunks_;
  DeviceBuffer<float> coefficients_;
  DeviceBuffer<float> weights_;
};

/// One copy on a device.
class SeparableDeviceJob final : public DeviceJob {
 public:
  SeparableDeviceJob(std::shared_ptr<const SeparableLayout> layout, bool ahead, const Stream& stream)
      : terms_(std::move(layout), stream), ahead_(ahead) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    if (terms_.layout().columns == 0 && !terms_.layout().quadratic) return;
    separable::sum_bricks(terms_.tables(), ahead_, slab.first, slab.count, out, field_stride, stream);
  }

 private:
  TermsOnDevice terms_;
  bool ahead_;
};

/// One copy of a local density on a device.
class LocalDeviceJob final : public DeviceJob {
 public:
  LocalDeviceJob(std::shared_ptr<const SeparableLayout> terms, std::shared_ptr<const LocalLayout> layout,
                 bool ahead, const Stream& stream)
      : terms_(std::move(terms), stream),
        layout_(std::move(layout)),
        ahead_(ahead),
        rows_(device_copy(layout_->rows, stream)),
        function_begin_(device_copy(layout_->function_begin, stream)),
        by_function_(device_copy(layout_->by_function, stream)),
        row_begin_(device_copy(layout_->row_begin, stream)),
        by_row_(device_copy(layout_->by_row, stream)) {
    for (const auto& part : layout_->parts) {
      const std::span<const double> values(part.density.data(),
                                           static_cast<std::size_t>(part.density.size()));
      auto& matrix = densities_.emplace_back(stream, values.size());
      matrix.copy_from(values, stream);
    }
  }

  void launch(Slab slab, float* out, std::size_t, const Stream& stream) override {
    const int a_layer = layout_->blocks.count[0] * layout_->blocks.count[1];
    const int first = slab.first / separable::block_z * a_layer;
    const int last = ((slab.first + slab.count - 1) / separable::block_z + 1) * a_layer;
    const int at_once = blocks_at_once(*layout_, last - first);
    const Scratch scratch(*layout_, at_once, stream);
    for (int block = first; block < last; block += at_once) {
      compute(slab, block, std::min(at_once, last - block), scratch, out, stream);
    }
  }

  static int blocks_at_once(const LocalLayout& layout, int blocks) {
    const auto fit = static_cast<int>(
        std::min<std::size_t>(local_scratch_bytes / std::max<std::size_t>(1, layout.block_bytes()), 1 << 20));
    return std::clamp(fit, 1, blocks);
  }

 private:
  /// Scratch memory of some blocks, on one stream.
  struct Scratch {
    Scratch(const LocalLayout& layout, int blocks, const Stream& stream)
        : states(stream, count(blocks)),
          bounds(stream, count(blocks) * separable::bricks_per_block * count(layout.functions)),
          position(stream, count(blocks) * count(layout.functions)),
          list(stream, count(blocks) * count(layout.most_functions)),
          weight(stream, list.size()),
          diagonal(stream, list.size()),
          columns(stream, list.size() * count(layout.most_columns)),
          amplitude(stream, count(blocks) * separable::bricks_per_block * count(layout.most_columns)),
          needed(stream, count(blocks) * separable::bricks_per_block),
          least(stream, needed.size()),
          coefficients(stream, count(blocks) * separable::local_chunk * layout.rows.size()),
          on_device{states.device_data(),  bounds.device_data(),       position.device_data(),
                    list.device_data(),    weight.device_data(),       diagonal.device_data(),
                    columns.device_data(), amplitude.device_data(),    needed.device_data(),
                    least.device_data(),   coefficients.device_data(), layout.most_functions,
                    layout.most_columns} {}
    static std::size_t count(int number) { return static_cast<std::size_t>(number); }

    DeviceBuffer<separable::LocalState> states;
    DeviceBuffer<float> bounds;
    DeviceBuffer<int> position;
    DeviceBuffer<int> list;
    DeviceBuffer<double> weight;
    DeviceBuffer<double> diagonal;
    DeviceBuffer<double> columns;
    DeviceBuffer<double> amplitude;
    DeviceBuffer<int> needed;
    DeviceBuffer<float> least;
    DeviceBuffer<float> coefficients;
    separable::LocalScratch on_device;
  };

  separable::LocalTables tables() const {
    const auto terms = terms_.tables();
    return {rows_.device_data(),
            function_begin_.device_data(),
            by_function_.device_data(),
            row_begin_.device_data(),
            by_row_.device_data(),
            layout_->functions,
            static_cast<int>(rows_.size()),
            layout_->blocks,
            {terms.count[0], terms.count[1], terms.count[2]},
            {terms.step[0], terms.step[1], terms.step[2]}};
  }

  void compute(Slab slab, int first_block, int block_count, const Scratch& scratch, float* out,
               const Stream& stream) const {
    const auto local = tables();
    separable::bound_functions(local, scratch.on_device, first_block, block_count, stream);
    for (std::size_t p = 0; p < layout_->parts.size(); ++p) {
      const auto& part = layout_->parts[p];
      const double* density = densities_[p].device_data();
      separable::LocalColumns columns{
          layout_->blocks, first_block, scratch.needed.device_data(), scratch.coefficients.device_data(), 0,
          std::min(part.columns, orbitals::LocalDensity::first_count), part.sign, p == 0,
          // Contributions of the other sign do not belong to a lower bound.
          p == 0 ? scratch.least.device_data() : nullptr};
      const auto add = [&] {
        separable::expand_columns(local, scratch.on_device, columns.first, block_count, stream);
        separable::add_columns(terms_.tables(), ahead_, columns, block_count, slab.first, slab.count, out,
                               stream);
      };
      separable::first_columns(local, scratch.on_device, density, columns.last, block_count, stream);
      add();
      const int first = columns.last;
      separable::further_columns(local, scratch.on_device, density, first, layout_->screening,
                                 1.0 / static_cast<double>(layout_->parts.size()), block_count, stream);
      columns.begins = false;
      columns.least = nullptr;
      for (columns.first = first; columns.first < part.columns; columns.first += separable::local_chunk) {
        columns.last = std::min(part.columns, columns.first + separable::local_chunk);
        add();
      }
    }
  }

  TermsOnDevice terms_;
  std::shared_ptr<const LocalLayout> layout_;
  bool ahead_;
  DeviceBuffer<separable::MonomialRow> rows_;
  DeviceBuffer<int> function_begin_;
  DeviceBuffer<separable::Element> by_function_;
  DeviceBuffer<int> row_begin_;
  DeviceBuffer<separable::Element> by_row_;
  std::vector<DeviceBuffer<double>> densities_;
};

class SeparableJob final : public KernelJob {
 public:
  SeparableJob(KernelKind kind, const FieldProblem& problem)
      : kind_(kind),
        layout_(std::make_shared<const SeparableLayout>(
            lay_out_separable(problem, !local_columns_worthwhile(problem)))) {
    if (local_columns_worthwhile(problem))
      local_ = std::make_shared<const LocalLayout>(lay_out_local(problem, *layout_));
  }

  KernelKind kind() const override { return kind_; }
  int slab_granularity() const override { return local_ ? separable::block_z : separable::brick_z; }
  std::size_t device_bytes() const override {
    std::size_t sum = bytes(layout_->table_jobs) + layout_->table_size * sizeof(float) +
                      bytes(layout_->reach) + bytes(layout_->rows) + bytes(layout_->chunks) +
                      bytes(layout_->coefficients) + bytes(layout_->weights);
    if (!local_) return sum;
    sum += bytes(local_->rows) + bytes(local_->function_begin) + bytes(local_->by_function) +
           bytes(local_->row_begin) + bytes(local_->by_row);
    for (const auto& part : local_->parts)
      sum += static_cast<std::size_t>(part.density.size()) * sizeof(double);
    constexpr std::size_t workers = 2;  // each with slabs of its own
    const auto& blocks = local_->blocks.count;
    const int at_once = LocalDeviceJob::blocks_at_once(*local_, blocks[0] * blocks[1] * blocks[2]);
    return sum + workers * static_cast<std::size_t>(at_once) * local_->block_bytes();
  }
  double flop(Slab slab) const override {
    return local_ ? separable_flop(*layout_, slab) / layout_->columns * usual_columns
                  : separable_flop(*layout_, slab);
  }
  std::string remark() const override {
    return local_ ? "the grid is axis-aligned; each block takes only the columns that it needs"
                  : std::string();
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream) const override {
    const bool ahead = kind_ == KernelKind::separable_ahead;
    if (local_) return std::make_unique<LocalDeviceJob>(layout_, local_, ahead, stream);
    return std::make_unique<SeparableDeviceJob>(layout_, ahead, stream);
  }

 private:
  template <class Values>
  static std::size_t bytes(const Values& values) {
    return std::span(values).size_bytes();
  }

  KernelKind kind_;
  std::shared_ptr<const SeparableLayout> layout_;
  std::shared_ptr<const LocalLayout> local_;  ///< null if the columns are the orbitals
};

}  // namespace

std::unique_ptr<KernelJob> make_separable_job(KernelKind kind, const FieldProblem& problem) {
  return std::make_unique<SeparableJob>(kind, problem);
}

}  // namespace isolume::gpu
