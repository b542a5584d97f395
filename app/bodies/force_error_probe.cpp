#include "app/bodies/force_error_probe.h"

#include <chrono>
#include <stop_token>

#include "core/base/error.h"
#include "core/nbody/sampled_error.h"

namespace isolume::bodies {
namespace {

constexpr double pause_seconds = 2;
constexpr std::size_t samples = 100;

nbody::Bodies bodies_of(const nbody::NBodyFrame& frame) {
  nbody::Bodies bodies;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    bodies.mass.push_back(frame.labels->mass[i]);
    bodies.x.push_back(frame.positions[3 * i]);
    bodies.y.push_back(frame.positions[3 * i + 1]);
    bodies.z.push_back(frame.positions[3 * i + 2]);
  }
  return bodies;
}

}  // namespace

std::optional<double> ForceErrorProbe::measured(const nbody::NBodyFrame& frame,
                                                const nbody::RunOptions& options,
                                                const nbody::EngineRegistry& engines,
                                                const jobs::Progress& progress) {
  // Those that are summed in double precision are exact.
  if (options.integrator == nbody::Integrator::hermite ||
      options.softening_kind == nbody::SofteningKind::spline)
    return 0;
  try {
    const nbody::Bodies bodies = bodies_of(frame);
    const auto forces = nbody::forces_by(engines, bodies, options, progress);
    return nbody::sampled_errors(bodies, forces, options.softening, samples, progress).p99;
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
                                               const nbody::RunOptions& options, const Engines& engines) {
  std::optional<double> found;
  if (next_.valid()) {
    if (next_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    found = next_.get();
    idle_ = 0;
  }
  idle_ += seconds;
  if (idle_ >= pause_seconds && frame) {
    next_ = std::async(std::launch::async, [frame, options, engines, token = stop_.get_token()] {
      return measured(*frame, options, *engines, jobs::Progress(token, {}));
    });
  }
  return found;
}

}  // namespace isolume::bodies
