#include "app/bodies/force_error_probe.h"

#include <chrono>
#include <stop_token>

#include "app/bodies/frame_bodies.h"
#include "core/base/error.h"
#include "core/nbody/sampled_error.h"

namespace isolume::bodies {
namespace {

constexpr double pause_seconds = 2;
constexpr std::size_t samples = 100;

}  // namespace

std::optional<double> ForceErrorProbe::measured(const nbody::NBodyFrame& frame,
                                                const nbody::EngineRegistry& engines,
                                                const jobs::Progress& progress) {
  const nbody::RunOptions& options = frame.options;
  // Those that are summed in double precision are exact.
  if (options.integrator == nbody::Integrator::hermite ||
      options.softening_kind == nbody::SofteningKind::spline)
    return 0;
  try {
    const nbody::Bodies bodies = bodies_of(frame);
    const auto forces = nbody::forces_by(engines, bodies, options, progress);
    return nbody::sampled_errors(bodies, forces, options, samples, progress).p99;
  } catch (const Cancelled&) {
  } catch (const Error&) {  // the simulation says so itself
  }
  return std::nullopt;
}

ForceErrorProbe::~ForceErrorProbe() {
  stop_.request_stop();
}

std::optional<double> ForceErrorProbe::advance(double seconds,
                                               const std::shared_ptr<const nbody::NBodyFrame>& frame,
                                               const Engines& engines) {
  const bool same_system = frame && frame->labels == system_;
  if (next_.valid() && !same_system) stop_.request_stop();
  std::optional<double> found;
  if (next_.valid()) {
    if (next_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    found = next_.get();
    if (!same_system) found.reset();
    idle_ = 0;
  }
  idle_ += seconds;
  if (idle_ >= pause_seconds && frame) {
    stop_ = {};
    system_ = frame->labels;
    next_ = std::async(std::launch::async, [frame, engines, token = stop_.get_token()] {
      return measured(*frame, *engines, jobs::Progress(token, {}));
    });
  }
  return found;
}

}  // namespace isolume::bodies
