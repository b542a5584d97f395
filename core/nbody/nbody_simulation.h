#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/device_values.h"
#include "core/nbody/block_steps.h"
#include "core/nbody/diagnostics.h"
#include "core/nbody/engine.h"
#include "core/nbody/frame_parts.h"
#include "core/nbody/initial_conditions.h"
#include "core/nbody/kept_error.h"
#include "core/nbody/resident_run.h"
#include "core/nbody/run_options.h"
#include "core/nbody/sampled_error.h"
#include "core/simulation/simulation.h"

namespace isolume::nbody {

/// What stays as it is from the first step to the last, or until bodies merge; arrays of one length.
struct BodyLabels {
  std::vector<float> mass;
  std::vector<std::uint64_t> id;
  std::vector<std::uint8_t> origin;  ///< positions in `origins`
  std::vector<std::string> origins;
  std::vector<double> radius = {};                ///< of each, a sphere; empty: not known
  std::optional<ComovingBox> box = std::nullopt;  ///< that the bodies are in
  std::optional<Units> units = std::nullopt;      ///< of their numbers, where they are in no box
};

/// Of bodies that make sense (check); takes ids and origins out of them.
BodyLabels labels_of(InitialConditions& start);

/// In seconds, of the last step.
struct StepSeconds {
  ForceSeconds forces = {};
  double integration = 0;
  double diagnostics = 0;  ///< of the frame
};

/// A body that is alone in its origin has the origin's name: "Jupiter".
struct NamedBody {
  std::size_t body;
  std::string name;
};
/// In the order of the bodies. None is called only "bodies".
std::vector<NamedBody> named_bodies(const BodyLabels& labels);

/// The first body so far away that squares cannot be told from infinity for long; the error that says so.
std::optional<std::size_t> body_without_end(const Bodies& bodies);
Error flies_away(std::int64_t step, std::uint64_t id, double dt);

/// Bodies at one moment, in single precision; parts that were not wanted are empty. In a comoving box places are
/// comoving, velocities peculiar, potentials those of the density contrast at that moment; the centre is the middle of
/// the box, and the time the natural logarithm of the scale factor. Where the bodies stay on devices, their numbers do,
/// too, until somebody reads them on the host.
struct NBodyFrame final : simulation::Frame {
  Eigen::Vector3d centre = {0, 0, 0};  ///< which positions are relative to
  dispatch::LazyValues positions;      ///< x, y, z of the first body, x, y, z of the second ...
  dispatch::LazyValues speeds;
  dispatch::LazyValues velocities;  ///< as positions
  dispatch::LazyValues potentials;
  std::shared_ptr<const BodyLabels> labels;
  RunOptions options = {};  ///< that the bodies were followed with
  std::optional<Diagnostics> diagnostics;
  std::optional<SampledErrors> force_error;
  /// Whether the error that was asked for was kept when these options began to hold.
  KeptError kept_error = {};
  StepSeconds seconds = {};
  std::string computed_by;  ///< for people: "CPU, Barnes-Hut, 16 threads"
  std::string stays_on;     ///< where the bodies are between steps: "GPU 0"; empty: on the host

  std::size_t size() const { return labels->mass.size(); }
  /// 1 outside of comoving boxes.
  double scale_factor() const { return labels->box ? std::exp(time) : 1; }
  std::size_t bytes() const override;
  bool readable() const override;
};

/// Bodies that attract each other, with G = 1. Positions and velocities are in double precision. With leapfrog, global
/// steps and an engine that keeps bodies (Engine::resident), they stay on its devices from step to step; the host gets
/// them where somebody asks for them, and every ResidentRun::most_behind steps; frames leave them there. In a comoving box
/// (ComovingBox has its units) time is the natural logarithm of the scale factor, bodies stay wrapped into the box, and
/// steps are those of the comoving leapfrog (Quinn et al., astro-ph/9710043 (1997)).
/// With RunOptions::collisions, bodies that touch during a step merge or bounce at its end, with block steps at the end of the
/// substep; steps backwards in time are without collisions.
class NBodySimulation final : public simulation::Simulation {
 public:
  /// Throws Error for bodies or options that make no sense and for an engine that there is not, ResourceError.
  explicit NBodySimulation(InitialConditions start, RunOptions options = {},
                           std::shared_ptr<const EngineRegistry> engines = cpu_engines());

  std::int64_t step() const override { return state_.step; }
  double time() const override;
  bool reversible() const override { return true; }
  void advance(std::int64_t steps, const jobs::Progress& progress = {}) override;
  simulation::FramePointer snapshot(simulation::Wanted what, const jobs::Progress& progress = {}) override {
    return frame(what, progress);
  }
  std::shared_ptr<const NBodyFrame> frame(simulation::Wanted what, const jobs::Progress& progress = {});
  simulation::CheckpointPointer checkpoint() const override;
  void restore(const simulation::Checkpoint& checkpoint) override;
  std::unique_ptr<simulation::Simulation> branch() const override;
  const parameters::ParameterSet& parameters() const override { return parameters_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  void set_parameters(const simulation::ParameterValues& values) override;
  /// All of them at once, for those that go together only so. Throws Error and changes nothing where they do not.
  void set_options(const RunOptions& options);
  /// Before the first step: that is counted on from there.
  void count_from(std::int64_t step) { state_.step = state_.step_then = step; }
  /// Where a run is, besides its bodies.
  struct Moment {
    std::int64_t step = 0;
    /// The time was `time_then` at `step_then`, and steps have been of the present length since.
    double time_then = 0;
    std::int64_t step_then = 0;
    Rungs rungs = {};        ///< of block steps; empty: as the forces ask for
    double energy_lost = 0;  ///< see Expansion; outside of comoving boxes in collisions
    std::int64_t collisions = 0;
  };
  /// The same bodies at another moment, or those of them that were left then, with their labels. Throws Error where their
  /// number is another.
  void put(Bodies bodies, Moment moment, std::shared_ptr<const BodyLabels> labels = nullptr);

  /// Where they stay on devices, they are fetched: throws as advance() then.
  const Bodies& bodies() const;
  const RunOptions& options() const { return state_.options; }
  /// Others once bodies have merged.
  const std::shared_ptr<const BodyLabels>& labels() const { return state_.labels; }
  std::int64_t collisions() const { return state_.collisions; }
  /// See Moment.
  double energy_lost() const { return state_.energy_lost; }
  /// Of block steps.
  const Rungs& rungs() const { return state_.rungs; }
  /// Of the last step.
  const StepSeconds& seconds() const { return seconds_; }
  const StepWork& work() const { return work_; }  ///< the same
  /// Of the bodies as they are now.
  const Forces& forces(const jobs::Progress& progress = {});
  /// Whether forces keep the error that the options ask for (forces_within_error), found where they have not been summed
  /// with these options yet.
  const KeptError& kept_error(const jobs::Progress& progress = {});

 private:
  struct State : Moment {
    Bodies bodies;
    std::shared_ptr<const BodyLabels> labels;
    std::shared_ptr<const std::vector<double>> mass;  ///< of the bodies, for all states that have the same
    RunOptions options;
    std::optional<KeptError> kept_error;  ///< nothing: not known for these options yet
  };
  struct Saved;
  /// Of the bodies as they are, by the present options; jerks for Hermite.
  using Evaluated = PairwiseForces;

  NBodySimulation(const NBodySimulation& other);

  void complete(Bodies& bodies) const;
  /// On those that are active; without any, on all.
  Evaluated evaluated(const Bodies& bodies, std::span<const std::uint32_t> active,
                      const jobs::Progress& progress) const;
  void evaluate(const jobs::Progress& progress);
  void keep_error(const jobs::Progress& progress);
  bool stays_on_devices();
  void take_added(const std::string& before, const std::string& now);
  void bring_home(const jobs::Progress& progress);
  void leave_devices(const NotResident& why, const jobs::Progress& progress);
  void resident_step(double dt, const jobs::Progress& progress);
  std::optional<ResidentFrame> resident_frame(simulation::Wanted what, const jobs::Progress& progress);
  std::shared_ptr<NBodyFrame> frame_without_numbers() const;
  void take_numbers_from_host(NBodyFrame& frame, simulation::Wanted what, const jobs::Progress& progress);
  void host_step(double dt, const jobs::Progress& progress);
  void whole_step(double dt, const jobs::Progress& progress);
  std::vector<double> radii() const;
  void colliding_step(double dt, const jobs::Progress& progress);
  void colliding_block_step(double dt, const jobs::Progress& progress);
  void collide(const Bodies& before, double dt, const jobs::Progress& progress);
  void leapfrog(double dt, const jobs::Progress& progress);
  void comoving_leapfrog(double dt, const jobs::Progress& progress);
  void hermite(double dt, const jobs::Progress& progress);
  void block_step(double dt, const jobs::Progress& progress, const WatchStep& watch = nullptr);
  void take_step(Evaluated evaluated);
  double energy_loss(const Bodies& bodies, const Evaluated& there, double scale_factor) const;
  Diagnostics diagnostics(bool with_radii) const;
  void require_near(const Bodies& bodies) const;
  SampledErrors sampled_force_error(const jobs::Progress& progress) const;

  mutable State state_;  ///< whose bodies are behind those of `resident_`, until they are asked for
  std::shared_ptr<const EngineRegistry> engines_;
  std::size_t started_with_ = 0;      ///< bodies
  std::uint64_t first_added_id_ = 0;  ///< of bodies that are added
  Bodies next_;  ///< where a step puts its outcome; its masses are always those of the bodies
  std::optional<Evaluated> evaluated_;
  std::unique_ptr<ResidentRun> resident_;  ///< null: steps begin and end on the host
  bool leaves_devices_ = false;            ///< it has been found that they must
  StepSeconds seconds_ = {};
  StepWork work_ = {};
  parameters::StructParameters<RunOptions> parameters_{run_schema(), state_.options};
};

/// That bodies collide whose radii follow from an assumed density.
Remarks remarks_on_radii(const BodyLabels& labels, const RunOptions& options);

}  // namespace isolume::nbody
