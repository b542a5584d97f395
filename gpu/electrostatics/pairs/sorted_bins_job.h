#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/electrostatics/pairs/cutoff_kernels.h"
#include "gpu/electrostatics/pairs/grid_job.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/runtime/multi_device/device_job.h"

namespace isolume::gpu {

/// Data of a sum over sorted bins on a grid, shared by all devices. `Law`: CutoffLaw or GaussianLaw.
template <class Law>
struct SortedLayout {
  SortedLayout(const electrostatics::Bins& sorted, const pair_kernels::GridSlab& on, const Law& by)
      : charges(pack_charges(sorted.sorted())),
        starts(pack_starts(sorted)),
        bins(pack_bins(sorted)),
        grid(on),
        law(by) {}

  std::size_t bytes() const { return std::span(charges).size_bytes() + std::span(starts).size_bytes(); }

  std::vector<pair_kernels::Charge> charges;
  std::vector<std::uint32_t> starts;
  pair_kernels::sorted_bins::SortedBins bins;
  pair_kernels::GridSlab grid;
  Law law;
};

template <class Law>
class SortedBinsDeviceJob final : public DeviceJob {
 public:
  SortedBinsDeviceJob(std::shared_ptr<const SortedLayout<Law>> layout, const Stream& stream,
                      const WaitLimits& limits)
      : layout_(std::move(layout)),
        charges_(upload_vector<pair_kernels::Charge>(layout_->charges, stream, limits)),
        starts_(upload_vector<std::uint32_t>(layout_->starts, stream, limits)) {}

  void launch(Slab slab, float* out, std::size_t, const Stream& stream) override {
    auto bins = layout_->bins;
    bins.charges = charges_.device_data();
    bins.starts = starts_.device_data();
    pair_kernels::sorted_bins::sum(bins, planes_of(layout_->grid, slab), layout_->law, out, stream);
  }

 private:
  std::shared_ptr<const SortedLayout<Law>> layout_;
  DeviceBuffer<pair_kernels::Charge> charges_;
  DeviceBuffer<std::uint32_t> starts_;
};

}  // namespace isolume::gpu
