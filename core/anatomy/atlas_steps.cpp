#include "core/anatomy/atlas_steps.h"

#include <utility>

#include "core/anatomy/fluid.h"
#include "core/anatomy/geodesic.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

/// Keeps the displacement.
class FluidAtlasSteps final : public AtlasSteps {
 public:
  FluidAtlasSteps(const Counts& counts, const Spacing& spacing_mm, const FluidParameters& parameters)
      : counts_(counts), steps_(counts, spacing_mm, parameters) {}

  void begin(AtlasSubject& subject) override {
    if (subject.fields.empty())
      subject.fields.push_back(volumes::zero_field(counts_));
    else
      subject.fields[0] = volumes::resized(subject.fields[0], counts_);
    warp(subject);
  }
  void set_mean(std::span<const float> mean) override { steps_.set_fixed(mean); }
  double measure(AtlasSubject& subject, const jobs::Progress& /*progress*/) override {
    return steps_.measure(subject.warped);
  }
  double longest() override { return steps_.smooth(); }
  Step move(AtlasSubject& subject, double step_size, const jobs::Progress& /*progress*/) override {
    const double longest = steps_.move(subject.fields[0], step_size);
    warp(subject);
    return {.longest = longest / step_size};
  }
  VectorField displacement(AtlasSubject& subject) override { return std::move(subject.fields[0]); }
  double distance(AtlasSubject& /*subject*/) override { return 0; }
  double mean(double sum) const override { return steps_.mean(sum); }

 private:
  static void warp(AtlasSubject& subject) {
    subject.warped.resize(subject.image.size());
    volumes::warp(subject.image, subject.fields[0], subject.warped);
  }

  Counts counts_;
  FluidSteps steps_;
};

DeformationParameters of_flow(const AtlasParameters& parameters) {
  DeformationParameters all;
  static_cast<FluidParameters&>(all) = parameters;
  all.time_steps = parameters.time_steps;
  all.regularity = parameters.regularity;
  return all;
}

/// Keeps the momenta of all time steps.
class FlowAtlasSteps final : public AtlasSteps {
 public:
  FlowAtlasSteps(const Counts& counts, const Spacing& spacing_mm, const AtlasParameters& parameters,
                 double intensity)
      : flow_(counts, spacing_mm, of_flow(parameters), intensity), at_rest_(flow_.momenta()) {}

  void begin(AtlasSubject& subject) override {
    flow_.set_momenta(subject.fields.empty() ? at_rest_ : subject.fields);
    flow_.set_moving(subject.image);
    flow_.follow();
    keep(subject);
  }
  void set_mean(std::span<const float> mean) override { flow_.set_fixed(mean); }
  double measure(AtlasSubject& subject, const jobs::Progress& progress) override {
    flow_.set_momenta(subject.fields);
    flow_.set_moving(subject.image);
    energy_ = flow_.measure(progress);
    longest_ = flow_.find_direction(progress);
    return flow_.mismatch();
  }
  double longest() override { return longest_; }
  Step move(AtlasSubject& subject, double step_size, const jobs::Progress& progress) override {
    flow_.move(step_size);
    if (flow_.measure(progress) > energy_) return {.longest = longest_, .is_taken_back = true};
    keep(subject);
    return {.longest = longest_};
  }
  VectorField displacement(AtlasSubject& subject) override {
    flow_.set_momenta(subject.fields);
    flow_.set_moving(subject.image);
    flow_.follow();
    return flow_.displacement();
  }
  double distance(AtlasSubject& subject) override {
    flow_.set_momenta(subject.fields);
    return geodesic_distance(flow_.kinetic_energies());
  }
  double mean(double sum) const override { return flow_.mean(sum); }

 private:
  void keep(AtlasSubject& subject) const {
    subject.fields = flow_.momenta();
    subject.warped.assign(flow_.warped().begin(), flow_.warped().end());
  }

  Flow flow_;
  std::vector<VectorField> at_rest_;
  double energy_ = 0, longest_ = 0;
};

}  // namespace

std::unique_ptr<AtlasSteps> atlas_steps(const Counts& counts, const Spacing& spacing_mm,
                                        const AtlasParameters& parameters, double intensity) {
  if (parameters.model == AtlasModel::lddmm)
    return std::make_unique<FlowAtlasSteps>(counts, spacing_mm, parameters, intensity);
  return std::make_unique<FluidAtlasSteps>(counts, spacing_mm, parameters);
}

AtlasMemory atlas_memory(const AtlasParameters& parameters) {
  if (parameters.model != AtlasModel::lddmm) return {.of_each_image = 3, .of_all = 14};
  return {.of_each_image = 3.0 * parameters.time_steps, .of_all = 19.0 * parameters.time_steps + 22};
}

}  // namespace isolume::anatomy
