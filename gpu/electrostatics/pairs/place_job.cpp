#include <algorithm>

#include "gpu/electrostatics/pairs/packed_charges.h"
#include "gpu/electrostatics/pairs/pair_job.h"
#include "gpu/electrostatics/pairs/place_kernels.h"

namespace isolume::gpu {
namespace {

namespace kernels = pair_kernels;
using electrostatics::PairProblem;

struct PlaceLayout {
  std::vector<double> places;
  std::vector<kernels::Charge> charges;
  std::vector<std::uint32_t> starts;  ///< with a cut-off
  kernels::sorted_bins::SortedBins bins;
  double cutoff;
  kernels::PlaceLaw law;
};

kernels::PlaceLaw place_law(const PairProblem& problem) {
  const auto& terms = problem.terms;
  using electrostatics::PairLaw;
  kernels::PlaceLaw law{terms.law == PairLaw::distance || terms.law == PairLaw::distance_cutoff,
                        -terms.kappa,
                        terms.cutoff > 0 ? 1 / (terms.cutoff * terms.cutoff) : 0,
                        problem.scale,
                        terms.law == PairLaw::split ? terms.smooth.terms : 0,
                        {}};
  std::copy_n(terms.smooth.coefficients.begin(), law.terms, law.smooth);
  return law;
}

PlaceLayout layout_of(const electrostatics::Places& places, const PairProblem& problem) {
  const double cutoff = problem.terms.cutoff;
  return {pack_places(places),
          pack_charges(problem.bins.sorted()),
          cutoff > 0 ? pack_starts(problem.bins) : std::vector<std::uint32_t>(),
          pack_bins(problem.bins),
          cutoff,
          place_law(problem)};
}

class PlaceDeviceJob final : public DeviceJob {
 public:
  PlaceDeviceJob(std::shared_ptr<const PlaceLayout> layout, const Stream& stream, const WaitLimits& limits)
      : layout_(std::move(layout)),
        places_(upload_vector<double>(layout_->places, stream, limits)),
        charges_(upload_vector<kernels::Charge>(layout_->charges, stream, limits)),
        starts_(upload_vector<std::uint32_t>(layout_->starts, stream, limits)) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    const kernels::PlaceSet places{places_.device_data(), static_cast<std::uint32_t>(slab.first),
                                   static_cast<std::uint32_t>(slab.count)};
    if (layout_->cutoff > 0) {
      auto bins = layout_->bins;
      bins.charges = charges_.device_data();
      bins.starts = starts_.device_data();
      kernels::sum_within_cutoff_at(bins, layout_->cutoff, places, layout_->law, out, field_stride, stream);
    } else {
      kernels::sum_direct_at({charges_.device_data(), static_cast<std::uint32_t>(charges_.size())}, places,
                             layout_->law, out, field_stride, stream);
    }
  }

 private:
  std::shared_ptr<const PlaceLayout> layout_;
  DeviceBuffer<double> places_;
  DeviceBuffer<kernels::Charge> charges_;
  DeviceBuffer<std::uint32_t> starts_;
};

/// For a pair, including a root and possibly a power.
constexpr double operations_of_place = 40;

class PlaceJob final : public PairJob {
 public:
  PlaceJob(const electrostatics::Places& places, const PairProblem& problem)
      : problem_(problem), layout_(std::make_shared<const PlaceLayout>(layout_of(places, problem))) {}

  std::string_view kernel() const override { return layout_->cutoff > 0 ? "sorted-bins" : "shared"; }
  int items() const override { return static_cast<int>(layout_->places.size() / 3); }
  std::size_t item_values() const override { return 1; }
  int fields() const override { return 2; }
  int granularity() const override { return 128; }
  std::size_t device_bytes() const override {
    return std::span(layout_->places).size_bytes() + std::span(layout_->charges).size_bytes() +
           std::span(layout_->starts).size_bytes();
  }
  std::size_t bytes_an_item() const override { return 2 * sizeof(float); }
  double operations() const override {
    return operations_of_place * electrostatics::pairs_of(problem_, static_cast<std::size_t>(items()));
  }
  const electrostatics::Bins& charges() const override { return problem_.bins; }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<PlaceDeviceJob>(layout_, stream, limits);
  }

 private:
  const PairProblem problem_;
  std::shared_ptr<const PlaceLayout> layout_;
};

}  // namespace

std::unique_ptr<PairJob> make_place_job(const electrostatics::Places& places, const PairProblem& problem) {
  return std::make_unique<PlaceJob>(places, problem);
}

}  // namespace isolume::gpu
