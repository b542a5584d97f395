#include "app/bodies/force_error_probe.h"

#include <algorithm>
#include <chrono>
#include <stop_token>

#include "app/bodies/frame_bodies.h"
#include "core/base/error.h"
#include "core/nbody/engines/best_solver.h"
#include "core/nbody/forces/sampled_error.h"

namespace isolume::bodies {
namespace {

constexpr double shortest_pause = 2, longest_pause = 30;  ///< seconds
constexpr double pause_of_busy = 40;
constexpr std::size_t samples = 100;

}  // namespace

std::optional<nbody::SampledErrors> ForceErrorProbe::measured(const nbody::NBodyFrame& frame,
                                                              const nbody::EngineRegistry& engines,
                                                              const jobs::Progress& progress) {
  const nbody::RunOptions& options = frame.options;
  // Forces summed directly in double precision have no error to measure.
  if (options.integrator == nbody::Integrator::hermite) return nbody::SampledErrors{};
  try {
    const nbody::Bodies bodies = bodies_of(frame);
    const auto forces =
        nbody::forces_by(engines, bodies, with_best_solver(engines, bodies.size(), options), progress);
    return nbody::sampled_errors(bodies, forces, options, samples, progress);
  } catch (const Cancelled&) {
  } catch (const Error&) {  // the simulation reports the error itself
  }
  return std::nullopt;
}

ForceErrorProbe::~ForceErrorProbe() {
  stop_.request_stop();
}

std::optional<ForceErrorProbe::Found> ForceErrorProbe::advance(
    double seconds, const std::shared_ptr<const nbody::NBodyFrame>& frame, const Engines& engines) {
  const bool same_system = frame && frame->labels == system_;
  if (next_.valid() && !same_system) stop_.request_stop();
  std::optional<Found> found;
  if (next_.valid()) {
    busy_ += seconds;
    if (next_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    found = next_.get();
    if (!same_system) found.reset();
    idle_ = 0;
  }
  idle_ += seconds;
  if (idle_ >= std::clamp(pause_of_busy * busy_, shortest_pause, longest_pause) && frame) {
    busy_ = 0;
    stop_ = {};
    system_ = frame->labels;
    next_ =
        std::async(std::launch::async, [frame, engines, token = stop_.get_token()]() -> std::optional<Found> {
          const auto errors = measured(*frame, *engines, jobs::Progress(token, {}));
          if (!errors) return std::nullopt;
          return Found{frame->step, frame->options, *errors};
        });
  }
  return found;
}

}  // namespace isolume::bodies
