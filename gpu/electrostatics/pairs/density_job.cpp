#include "gpu/electrostatics/pairs/density_job.h"

#include <algorithm>
#include <numbers>

#include "core/electrostatics/sums/molecular_density.h"
#include "gpu/electrostatics/pairs/sorted_bins_job.h"

namespace isolume::gpu {
namespace {

namespace kernels = pair_kernels;
using electrostatics::Bins;
using structures::Charges;

/// Atoms with a radius, with the decay of their Gaussians, in the kernel's form, instead of a charge.
electrostatics::Sources gaussians_of(const Charges& charges) {
  electrostatics::Sources gaussians;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const double radius = charges.radius[i];
    if (radius > 0)
      gaussians.add(charges.place(i),
                    electrostatics::density_sharpness * std::numbers::log2e / (radius * radius));
  }
  return gaussians;
}

double widest_reach(const Charges& charges) {
  return electrostatics::density_reach() * *std::ranges::max_element(charges.radius);
}

/// For a pair: distance, square, power and sum.
constexpr double operations_of_gaussian = 12;

class DensityJob final : public SumJob {
 public:
  DensityJob(const grid::Grid& grid, const Charges& charges)
      : pairs_(electrostatics::density_pairs(grid, charges)) {
    const double reach = widest_reach(charges);
    layout_ = std::make_shared<const Layout>(
        Bins(gaussians_of(charges), reach), pack_grid(grid),
        kernels::GaussianLaw{static_cast<float>(reach),
                             static_cast<float>(electrostatics::density_sharpness * std::numbers::log2e),
                             static_cast<float>(electrostatics::least_density)});
  }

  std::string_view kernel() const override { return "gaussians"; }
  int items() const override { return layout_->grid.size[2]; }
  std::size_t item_values() const override {
    return static_cast<std::size_t>(layout_->grid.size[0]) * static_cast<std::size_t>(layout_->grid.size[1]);
  }
  int granularity() const override { return kernels::region_side; }
  std::size_t device_bytes() const override { return layout_->bytes(); }
  std::size_t bytes_an_item() const override { return item_values() * sizeof(float); }
  double operations() const override { return operations_of_gaussian * pairs_; }
  std::string subject() const override {
    return "The surface of " + std::to_string(layout_->charges.size()) + " atoms";
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<SortedBinsDeviceJob<kernels::GaussianLaw>>(layout_, stream, limits);
  }

 private:
  using Layout = SortedLayout<kernels::GaussianLaw>;

  const double pairs_;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace

std::unique_ptr<SumJob> make_density_job(const grid::Grid& grid, const Charges& charges) {
  return std::make_unique<DensityJob>(grid, charges);
}

}  // namespace isolume::gpu
