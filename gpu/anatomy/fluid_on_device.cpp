#include "gpu/anatomy/fluid_on_device.h"

#include "gpu/anatomy/fluid_steps_on_device.h"
#include "gpu/runtime/memory/upload_vector.h"

namespace isolume::gpu {
namespace {

using anatomy::FluidProblem;
using anatomy::VectorField;

FluidShape shape_of(const FluidProblem& problem) {
  return {.counts = problem.counts,
          .spacing_mm = problem.spacing_mm,
          .parameters = problem.parameters,
          .is_weighted = !problem.weights.empty()};
}

class FluidOnDevice final : public anatomy::FluidLevel {
 public:
  FluidOnDevice(const FluidProblem& problem, const Stream& stream, const WaitLimits& limits,
                KeptTransforms& kept)
      : steps_(shape_of(problem), stream, limits, kept),
        moving_(upload_vector<float>(problem.moving, stream, limits)),
        warped_(stream, moving_.size()),
        displacement_(stream, moving_.size()) {
    steps_.set_fixed(problem.fixed, problem.weights);
    set_displacement(problem.displacement);
  }

  double mismatch() override { return steps_.mismatch(warped_.device_data()); }
  double measure_force() override { return steps_.measure_force(warped_.device_data()); }
  double mean(double sum) const override { return steps_.mean(sum); }
  double move(double& step_size) override {
    const double longest = steps_.move(displacement_, step_size);
    is_fetched_ &= longest == 0;
    return longest;
  }
  void take_back() override {
    steps_.take_back(displacement_);
    is_fetched_ = false;
  }
  void warp() override { steps_.warp(moving_.device_data(), displacement_, warped_.device_data()); }
  volumes::JacobianRange jacobian() override { return steps_.jacobian(displacement_); }
  const VectorField& displacement() override {
    if (!is_fetched_) steps_.download_field(displacement_, host_);
    is_fetched_ = true;
    return host_;
  }
  void set_displacement(const VectorField& displacement) override {
    steps_.upload_field(displacement, displacement_);
    is_fetched_ = false;
    warp();
  }
  VectorField take_displacement() override {
    displacement();
    is_fetched_ = false;
    return std::move(host_);
  }

 private:
  FluidStepsOnDevice steps_;
  DeviceBuffer<float> moving_, warped_;
  VectorsOnDevice displacement_;
  VectorField host_;
  bool is_fetched_ = false;  ///< `host_` is the present displacement
};

}  // namespace

std::size_t bytes_on_device(const FluidProblem& problem) {
  return bytes_of_steps(shape_of(problem)) + bytes_of_image(shape_of(problem));
}

std::unique_ptr<anatomy::FluidLevel> fluid_on_device(const FluidProblem& problem, const Stream& stream,
                                                     const WaitLimits& limits, KeptTransforms& kept) {
  return std::make_unique<FluidOnDevice>(problem, stream, limits, kept);
}

}  // namespace isolume::gpu
