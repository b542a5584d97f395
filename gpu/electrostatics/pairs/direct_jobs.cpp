#include <algorithm>
#include <numbers>

#include "gpu/electrostatics/pairs/direct_kernels.h"
#include "gpu/electrostatics/pairs/grid_job.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/constant_memory.h"
#include "gpu/runtime/memory/upload_vector.h"

namespace isolume::gpu {
namespace {

namespace kernels = pair_kernels;
using electrostatics::PairLaw;
using electrostatics::PairProblem;

/// Data shared by all devices.
struct DirectLayout {
  std::vector<kernels::Charge> charges;
  kernels::GridSlab grid;
  kernels::DirectLaw law;
};

class DirectDeviceJob : public DeviceJob {
 public:
  DirectDeviceJob(std::shared_ptr<const DirectLayout> layout, const Stream& stream, const WaitLimits& limits)
      : layout_(std::move(layout)),
        charges_(upload_vector<kernels::Charge>(layout_->charges, stream, limits)) {}

 protected:
  kernels::DirectCharges charges() {
    return {charges_.device_data(), static_cast<std::uint32_t>(charges_.size())};
  }
  const DirectLayout& layout() const { return *layout_; }

 private:
  std::shared_ptr<const DirectLayout> layout_;
  DeviceBuffer<kernels::Charge> charges_;
};

class SharedDeviceJob final : public DirectDeviceJob {
 public:
  using DirectDeviceJob::DirectDeviceJob;

  void launch(Slab slab, float* out, std::size_t, const Stream& stream) override {
    kernels::shared::sum(charges(), planes_of(layout().grid, slab), layout().law, out, stream);
  }
};

constexpr std::size_t brick_points =
    std::size_t{kernels::constant::side_x} * kernels::constant::side_y * kernels::constant::side_z;

class ConstantDeviceJob final : public DirectDeviceJob {
 public:
  using DirectDeviceJob::DirectDeviceJob;

  void launch(Slab part, float* out, std::size_t, const Stream& stream) override {
    namespace constant = kernels::constant;
    stream.device().make_current();
    const auto slab = planes_of(layout().grid, part);
    const int end = part.first + part.count;
    DeviceBuffer<double> sums(stream, brick_points);
    DeviceBuffer<constant::NearCharge> near(stream, constant::capacity);
    for (int z = part.first / constant::side_z * constant::side_z; z < end; z += constant::side_z) {
      for (int y = 0; y < slab.size[1]; y += constant::side_y) {
        for (int x = 0; x < slab.size[0]; x += constant::side_x) {
          add_all({{x, y, z}, {std::max(z, part.first), std::min(z + constant::side_z, end)}}, slab,
                  near.device_data(), sums.device_data(), out, stream);
        }
      }
    }
  }

 private:
  void add_all(const kernels::constant::Brick& brick, const kernels::GridSlab& slab,
               kernels::constant::NearCharge* near, double* sums, float* out, const Stream& stream) {
    namespace constant = kernels::constant;
    const auto all = charges();
    for (std::uint32_t first = 0; first < all.count; first += constant::capacity) {
      const std::uint32_t count = std::min(constant::capacity, all.count - first);
      constant::bring_near(all, first, count, slab, brick, near, stream);
      with_constant_memory(
          new_constant_contents(1), stream, [&] { constant::copy_to_constant_memory(near, count, stream); },
          [&] {
            constant::add(count, first == 0, first + count == all.count, slab, brick, layout().law, sums, out,
                          stream);
          });
    }
  }
};

/// For a pair: three for each of distance, square and sum, and a root; screened, a power in addition.
constexpr double operations_of_coulomb = 8, operations_of_screened = 14;

template <class Kernel>
class DirectJob final : public GridJob {
 public:
  DirectJob(const grid::Grid& grid, const PairProblem& problem) : GridJob(grid, problem) {
    layout_ = std::make_shared<const DirectLayout>(DirectLayout{
        pack_charges(problem.bins.sorted()),
        slab(),
        {problem.terms.law, static_cast<float>(-problem.terms.kappa * std::numbers::log2e), problem.scale}});
  }

  std::string_view kernel() const override { return Kernel::name; }
  int granularity() const override { return Kernel::planes; }
  std::size_t device_bytes() const override {
    return std::span(layout_->charges).size_bytes() + Kernel::scratch_bytes;
  }
  double operations() const override {
    return (layout_->law.law == PairLaw::screened ? operations_of_screened : operations_of_coulomb) *
           electrostatics::pairs_of(problem(), points());
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<typename Kernel::OnDevice>(layout_, stream, limits);
  }

 private:
  std::shared_ptr<const DirectLayout> layout_;
};

struct SharedKernel {
  using OnDevice = SharedDeviceJob;
  static constexpr std::string_view name = "shared";
  static constexpr int planes = kernels::shared::side_z;
  static constexpr std::size_t scratch_bytes = 0;
};

struct ConstantKernel {
  using OnDevice = ConstantDeviceJob;
  static constexpr std::string_view name = "constant";
  static constexpr int planes = kernels::constant::side_z;
  /// For each of a device's two workers.
  static constexpr std::size_t scratch_bytes =
      2 *
      (brick_points * sizeof(double) + kernels::constant::capacity * sizeof(kernels::constant::NearCharge));
};

}  // namespace

std::unique_ptr<PairJob> make_shared_job(const grid::Grid& grid, const PairProblem& problem) {
  return std::make_unique<DirectJob<SharedKernel>>(grid, problem);
}

std::unique_ptr<PairJob> make_constant_job(const grid::Grid& grid, const PairProblem& problem) {
  return std::make_unique<DirectJob<ConstantKernel>>(grid, problem);
}

}  // namespace isolume::gpu
