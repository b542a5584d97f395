#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/electrostatics/pairs/fixed_bins.h"
#include "gpu/electrostatics/pairs/sorted_bins_job.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/constant_memory.h"

namespace isolume::gpu {
namespace {

namespace kernels = pair_kernels;
using electrostatics::Bins;
using electrostatics::PairProblem;

kernels::CutoffLaw cutoff_law(const PairProblem& problem) {
  const auto& terms = problem.terms;
  const double square = terms.cutoff * terms.cutoff;
  kernels::CutoffLaw law{{static_cast<float>(terms.cutoff), static_cast<float>(square), problem.scale},
                         static_cast<float>(1 / square),
                         terms.law == electrostatics::PairLaw::distance_cutoff,
                         terms.law == electrostatics::PairLaw::split ? terms.smooth_single.terms : 0,
                         {}};
  if (law.terms > kernels::CutoffLaw::most_terms) {
    throw Error(
        fmt::format("GPUs sum parts of pairs by polynomials of {} terms at most, and this one has {}. "
                    "Choose the engine \"cpu\".",
                    kernels::CutoffLaw::most_terms, law.terms));
  }
  std::transform(terms.smooth_single.coefficients.begin(),
                 terms.smooth_single.coefficients.begin() + law.terms, law.smooth,
                 [](double each) { return static_cast<float>(each); });
  return law;
}

/// Operations of a pair within the cut-off, including the pairs that are tested for it.
constexpr double operations_of_cutoff = 25, operations_of_term = 4;

class CutoffJob : public GridJob {
 public:
  CutoffJob(const grid::Grid& grid, const PairProblem& problem)
      : GridJob(grid, problem), law_(cutoff_law(problem)) {}

  int granularity() const final { return kernels::region_side; }
  double operations() const final {
    return (operations_of_cutoff + operations_of_term * law_.terms) *
           electrostatics::pairs_of(problem(), points());
  }

 protected:
  const kernels::CutoffLaw& law() const { return law_; }

 private:
  const kernels::CutoffLaw law_;
};

class SortedBinsJob final : public CutoffJob {
 public:
  SortedBinsJob(const grid::Grid& grid, const PairProblem& problem)
      : CutoffJob(grid, problem),
        layout_(std::make_shared<const SortedLayout<kernels::CutoffLaw>>(problem.bins, slab(), law())) {}

  std::string_view kernel() const override { return "sorted-bins"; }
  std::size_t device_bytes() const override { return layout_->bytes(); }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<SortedBinsDeviceJob<kernels::CutoffLaw>>(layout_, stream, limits);
  }

 private:
  std::shared_ptr<const SortedLayout<kernels::CutoffLaw>> layout_;
};

struct FixedLayout {
  FixedBins bins;
  std::uint64_t content;  ///< number of the content of constant memory
  kernels::GridSlab grid;
  kernels::CutoffLaw law;
};

class FixedBinsDeviceJob final : public DeviceJob {
 public:
  FixedBinsDeviceJob(std::shared_ptr<const FixedLayout> layout, const Stream& stream,
                     const WaitLimits& limits)
      : layout_(std::move(layout)),
        charges_(upload_vector<float>(layout_->bins.charges, stream, limits)),
        neighbours_(upload_vector<std::uint32_t>(layout_->bins.neighbours, stream, limits)) {}

  void launch(Slab slab, float* out, std::size_t, const Stream& stream) override {
    stream.device().make_current();
    auto bins = layout_->bins.bins;
    bins.charges = charges_.device_data();
    with_constant_memory(
        layout_->content, stream,
        [&] {
          kernels::fixed_bins::copy_to_constant_memory(neighbours_.device_data(), bins.neighbours, stream);
        },
        [&] { kernels::fixed_bins::sum(bins, planes_of(layout_->grid, slab), layout_->law, out, stream); });
  }

 private:
  std::shared_ptr<const FixedLayout> layout_;
  DeviceBuffer<float> charges_;
  DeviceBuffer<std::uint32_t> neighbours_;
};

class FixedBinsJob final : public CutoffJob {
 public:
  FixedBinsJob(const grid::Grid& grid, const PairProblem& problem)
      : CutoffJob(grid, problem),
        layout_(std::make_shared<const FixedLayout>(
            FixedLayout{fill_fixed_bins(problem.bins.sorted(), problem.terms.cutoff, sides_of_region()),
                        new_constant_contents(1), slab(), law()})),
        held_(layout_->bins.held, problem.terms.cutoff) {
    const auto& overflow = layout_->bins.overflow;
    if (overflow.size() > 0) overflow_.emplace(overflow, problem.terms.cutoff);
  }

  std::string_view kernel() const override { return "fixed-bins"; }
  std::size_t device_bytes() const override {
    return std::span(layout_->bins.charges).size_bytes() + std::span(layout_->bins.neighbours).size_bytes();
  }
  const Bins& charges() const override { return held_; }
  const Bins* left_to_host() const override { return overflow_ ? &*overflow_ : nullptr; }
  std::string remark() const override {
    const auto &held = layout_->bins.held, &overflow = layout_->bins.overflow;
    return fmt::format("{} of {} charges found no room in bins of {:.2f} angstrom and were the CPU's",
                       overflow.size(), held.size() + overflow.size(), layout_->bins.bins.side);
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<FixedBinsDeviceJob>(layout_, stream, limits);
  }

 private:
  Eigen::Vector3d sides_of_region() const {
    return (kernels::region_side - 1) * Eigen::Vector3d(slab().step[0], slab().step[1], slab().step[2]);
  }

  std::shared_ptr<const FixedLayout> layout_;
  const Bins held_;
  std::optional<Bins> overflow_;
};

}  // namespace

std::unique_ptr<PairJob> make_sorted_bins_job(const grid::Grid& grid, const PairProblem& problem) {
  return std::make_unique<SortedBinsJob>(grid, problem);
}

std::unique_ptr<PairJob> make_fixed_bins_job(const grid::Grid& grid, const PairProblem& problem) {
  return std::make_unique<FixedBinsJob>(grid, problem);
}

}  // namespace isolume::gpu
