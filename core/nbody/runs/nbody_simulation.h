#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/device_values.h"
#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/bodies/frame_parts.h"
#include "core/nbody/bodies/initial_conditions.h"
#include "core/nbody/engines/best_solver.h"
#include "core/nbody/engines/engine.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/forces/kept_error.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/runs/block_steps.h"
#include "core/nbody/runs/resident_run.h"
#include "core/simulation/simulation.h"

namespace isolume::nbody {

/// Properties that stay constant until bodies merge or are added; arrays of one length.
struct BodyLabels {
  std::vector<float> mass;
  std::vector<std::uint64_t> id;
  std::vector<std::uint8_t> origin;  ///< indices into `origins`
  std::vector<std::string> origins;
  std::vector<double> radius = {};                ///< of each body as a sphere; empty: not known
  std::optional<ComovingBox> box = std::nullopt;  ///< the box of the bodies
  std::optional<Units> units = std::nullopt;      ///< of isolated bodies
};

/// Takes ids and origins out of valid bodies (check).
BodyLabels labels_of(InitialConditions& start);

/// Times of the last step, in seconds.
struct StepSeconds {
  ForceSeconds forces = {};
  double integration = 0;
  double diagnostics = 0;  ///< for the frame
};

/// A body that is alone in its origin takes the origin's name: "Jupiter".
struct NamedBody {
  std::size_t body;
  std::string name;
};
/// In the order of the bodies. The origin "bodies" does not count as a name.
std::vector<NamedBody> named_bodies(const BodyLabels& labels);

/// The first body so far away that squares of its coordinates soon overflow, and the error that reports it.
std::optional<std::size_t> body_without_end(const Bodies& bodies);
Error flies_away(std::int64_t step, std::uint64_t id, double dt);

/// Bodies at one time, in single precision; parts that were not requested are empty. In a comoving box positions are
/// comoving, velocities peculiar, potentials those of the density contrast at that time; the centre is the middle of
/// the box, and the time the natural logarithm of the scale factor. If the bodies stay on devices, so do the frame's
/// arrays until they are read on the host.
struct NBodyFrame final : simulation::Frame {
  Eigen::Vector3d centre = {0, 0, 0};  ///< origin of the positions
  dispatch::LazyValues positions;      ///< x, y, z of the first body, x, y, z of the second ...
  dispatch::LazyValues speeds;
  dispatch::LazyValues velocities;  ///< same layout as positions
  dispatch::LazyValues potentials;
  std::shared_ptr<const BodyLabels> labels;
  RunOptions options = {};  ///< options of the run at this frame
  std::optional<Diagnostics> diagnostics;
  std::optional<SampledErrors> force_error;
  /// Whether the requested error was kept when these options took effect.
  KeptError kept_error = {};
  /// That sums the forces: SolverKind::best stands for one of the others.
  SolverKind solver = SolverKind::best;
  StepSeconds seconds = {};
  std::string computed_by;  ///< for display: "CPU, Barnes-Hut, 16 threads"
  std::string stays_on;     ///< where the bodies are between steps: "GPU 0"; empty: on the host

  std::size_t size() const { return labels->mass.size(); }
  /// 1 outside of comoving boxes.
  double scale_factor() const { return labels->box ? std::exp(time) : 1; }
  std::size_t bytes() const override;
  bool readable() const override;
};

/// Bodies that attract each other, with G = 1. Positions and velocities are in double precision. With leapfrog,
/// global steps and an engine that supports it (Engine::resident), bodies stay on its devices from step to step; they
/// are copied to the host on request and every ResidentRun::most_behind steps; frames leave them on the devices. In a
/// comoving box (see ComovingBox for its units) time is the natural logarithm of the scale factor, positions are
/// wrapped into the box, and steps are those of the comoving leapfrog (Quinn et al., astro-ph/9710043 (1997)).
/// With RunOptions::collisions, bodies that touch during a step merge or bounce at its end, with block steps at the
/// end of the substep; steps backwards in time have no collisions.
class NBodySimulation final : public simulation::Simulation {
 public:
  /// Throws Error for invalid bodies or options and for an unknown engine, ResourceError.
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
  /// Sets all options at once, because some are valid only together. Throws Error and changes nothing if they are
  /// not.
  void set_options(const RunOptions& options);
  /// Sets the number of the first step. Call before the first step.
  void count_from(std::int64_t step) { state_.step = state_.step_then = step; }
  /// State of a run, apart from its bodies.
  struct Moment {
    std::int64_t step = 0;
    /// The time at `step_then`; steps have had the present length since.
    double time_then = 0;
    std::int64_t step_then = 0;
    Rungs rungs = {};         ///< of block steps; empty: chosen from the forces
    double energy_lost = 0;   ///< see Expansion; outside of comoving boxes in collisions
    double kinetic_lost = 0;  ///< see CollisionTotals
    std::int64_t collisions = 0;
  };
  /// Replaces the bodies by the same ones at another time, or by those left at that time, with their labels. Throws
  /// Error if their number differs.
  void put(Bodies bodies, Moment moment, std::shared_ptr<const BodyLabels> labels = nullptr);

  /// Fetches bodies that are on devices: then throws as advance() does.
  const Bodies& bodies() const;
  const RunOptions& options() const { return state_.options; }
  /// Replaced after bodies have merged.
  const std::shared_ptr<const BodyLabels>& labels() const { return state_.labels; }
  std::int64_t collisions() const { return state_.collisions; }
  /// See Moment.
  double energy_lost() const { return state_.energy_lost; }
  double kinetic_lost() const { return state_.kinetic_lost; }
  /// Of block steps.
  const Rungs& rungs() const { return state_.rungs; }
  /// Of the last step.
  const StepSeconds& seconds() const { return seconds_; }
  const StepWork& work() const { return work_; }  ///< of the last step
  /// On the bodies at the present step.
  const Forces& forces(const jobs::Progress& progress = {});
  /// Whether forces keep the requested error (forces_within_error); computed if they have not been summed with these
  /// options yet.
  const KeptError& kept_error(const jobs::Progress& progress = {});

 private:
  /// The bodies before the user changed or removed some of them, so that this can be undone at the same step.
  struct Unchanged {
    Bodies bodies;
    std::shared_ptr<const BodyLabels> labels;
    std::string added;  ///< RunOptions::added
  };
  struct State : Moment {
    Bodies bodies;
    std::shared_ptr<const BodyLabels> labels;
    std::shared_ptr<const std::vector<double>> mass;  ///< shared by all states with the same masses
    RunOptions options;
    std::optional<KeptError> kept_error;         ///< nothing: not known for these options yet
    std::shared_ptr<const Unchanged> unchanged;  ///< null: the user has changed no body at this step
  };
  struct Saved;
  /// Forces on the present bodies with the present options; jerks for Hermite.
  using Evaluated = PairwiseForces;

  NBodySimulation(const NBodySimulation& other);

  void complete(Bodies& bodies) const;
  /// See with_best_solver().
  ForceOptions sums() const { return with_best_solver(*engines_, state_.bodies.size(), state_.options); }
  /// On the active bodies; on all bodies if `active` is empty.
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

  mutable State state_;  ///< its bodies are older than those of `resident_` until they are fetched
  std::shared_ptr<const EngineRegistry> engines_;
  std::size_t started_with_ = 0;      ///< number of bodies at the start
  std::uint64_t first_added_id_ = 0;  ///< id of the first added body
  Bodies next_;                       ///< result buffer of a step; its masses are always those of the bodies
  std::optional<Evaluated> evaluated_;
  std::unique_ptr<ResidentRun> resident_;  ///< null: steps begin and end on the host
  bool leaves_devices_ = false;            ///< bodies cannot stay on devices
  StepSeconds seconds_ = {};
  StepWork work_ = {};
  parameters::StructParameters<RunOptions> parameters_{run_schema(), state_.options};
};

/// Remark that bodies collide with radii that follow from an assumed density.
Remarks remarks_on_radii(const BodyLabels& labels, const RunOptions& options);

}  // namespace isolume::nbody
