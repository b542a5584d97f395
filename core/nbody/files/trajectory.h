#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/bodies/initial_conditions.h"
#include "core/nbody/files/hdf5_file.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {

class Trajectory;

/// How a run was started: together with its last frame, everything that is needed to continue it, bit for bit.
struct RunPlan {
  RunOptions options;
  std::int64_t steps = 0;  ///< of the whole run
  std::int64_t every = 1;  ///< steps between frames

  /// Number of frames: the first, one every `every` steps, and the last.
  std::uint64_t moments() const { return static_cast<std::uint64_t>((steps + every - 1) / every + 1); }
};

/// An HDF5 file of frames of one system: attributes format, version, origins (a line each) and made_by of the file;
/// datasets id [bodies], mass [bodies], origin [bodies], if radii are known radius [bodies], and, with a row for each
/// frame, step, time, time_step, softening, position [bodies, 3] and velocity [bodies, 3], all in double precision,
/// with G = 1. For bodies in a comoving box it has version 2, and also the attributes box_side (Mpc/h), omega_matter,
/// omega_lambda and hubble and the dataset energy_lost (see Expansion). If the units of bodies are known, it has the
/// attributes unit_length_cm, unit_mass_g, unit_speed_cm_s and gravitation. Units are those of ComovingBox, and time
/// is the natural logarithm of the scale factor.
///
/// The file of a run in which bodies may merge has version 3 and, with a row for each frame, body_mass [bodies], -1
/// for bodies that no longer exist, whose position and velocity are then 0, if radii are known body_radius [bodies],
/// and energy_lost, kinetic_energy_lost and collisions (see CollisionTotals); those of earlier versions lack
/// kinetic_energy_lost.
///
/// The file of a run that can be continued has the attributes run_options (JSON), run_steps, run_every and
/// computed_by, and the dataset checkpoint, and with block steps rung [bodies]. It is a PartialFile. Its rows are
/// allocated in the file before they are written, and `time` is written last, NaN until then, so that the file is
/// valid whenever the program ends. The first two rows that are not yet written alternately hold the bodies at a step
/// between two frames, whose number is in `checkpoint`, NaN if there are none.
class TrajectoryWriter {
 public:
  /// `made_by`: description of the origin, for display. Throws Error.
  TrajectoryWriter(const std::filesystem::path& path, const NBodySimulation& simulation,
                   const std::string& made_by)
      : TrajectoryWriter(path, *simulation.labels(), simulation.bodies().mass, made_by,
                         simulation.options().collisions != Collisions::none) {}
  TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels,
                   const std::vector<double>& mass, const std::string& made_by, bool may_merge = false);
  /// For so many bodies, whose labels follow in parts; only origins and the box are taken from `labels`.
  TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels, std::uint64_t bodies,
                   const std::string& made_by, const std::optional<RunPlan>& plan = std::nullopt,
                   bool may_merge = false);
  /// Continues after the last frame of a run, which was read from the partial file, or from the published one. Throws
  /// as write_hdf5().
  TrajectoryWriter(const std::filesystem::path& path, const Trajectory& continued, const RunPlan& plan);
  /// Labels of bodies from `first` on.
  void add_labels(std::uint64_t first, std::span<const double> mass, std::span<const std::uint64_t> id,
                  std::span<const std::uint8_t> origin);
  /// Adds the present step of the simulation.
  void add(const NBodySimulation& simulation) { add(simulation.bodies(), moment_of(simulation)); }
  struct Moment {
    std::int64_t step = 0;
    double time = 0;
    const RunOptions& options;     ///< options of the run at this frame
    double energy_lost = 0;        ///< see NBodySimulation::Moment
    double kinetic_lost = 0;       ///< see NBodySimulation::Moment
    const Rungs* rungs = nullptr;  ///< of block steps; null: none
    std::int64_t collisions = 0;
    const BodyLabels* labels = nullptr;  ///< of the bodies that are left; null: all of them are
  };
  static Moment moment_of(const NBodySimulation& simulation) {
    return {.step = simulation.step(),
            .time = simulation.time(),
            .options = simulation.options(),
            .energy_lost = simulation.energy_lost(),
            .kinetic_lost = simulation.kinetic_lost(),
            .rungs = &simulation.rungs(),
            .collisions = simulation.collisions(),
            .labels = simulation.labels().get()};
  }
  void add(const Bodies& bodies, const Moment& moment);
  /// The same in parts: begins a frame, to be followed by its bodies, from `first` on. All of them must be given.
  void begin(const Moment& moment);
  void add_part(std::uint64_t first, const Bodies& bodies) { add_part(first, bodies, 0, bodies.size()); }
  /// Records what computed the forces. Call once, before the first frame.
  void set_computed_by(const std::string& who) { file_->set_attribute("/", "computed_by", who); }
  /// Number of complete frames in the file, including those before it was continued.
  std::uint64_t moments() const { return moments_; }
  /// Step from which a run can be continued if it ends now: the last one of add() or keep(); -1: none.
  std::int64_t last_step() const { return last_step_; }
  /// Stores a checkpoint between two frames, which is not a frame.
  void keep(const NBodySimulation& simulation);
  /// Publishes the file. Throws Error where the disk is full; an existing file is kept then.
  void finish() { file_->finish(); }
  /// The destructor removes a partial file.
  void discard() { file_->discard(); }

  static std::uint64_t bytes_a_moment(std::size_t bodies) { return (6 * bodies + 5) * sizeof(double); }
  /// Throws ResourceError, with advice, where this many frames of this many bodies do not fit on the disk.
  static void require_space(const std::filesystem::path& path, std::size_t bodies, std::uint64_t moments,
                            const std::string& what_to_do);

  /// Parts that begin at multiples of this are written fastest.
  static constexpr std::size_t bodies_a_part = std::size_t{1} << 20;

 private:
  /// Those of `bodies` from `from` on.
  void add_part(std::uint64_t first, const Bodies& bodies, std::size_t from, std::size_t count);
  void write_bodies_in(std::uint64_t row, std::uint64_t first, const Bodies& bodies, std::size_t from,
                       std::size_t count);

  void write_state(std::uint64_t row, const Moment& moment);
  /// All bodies, at a frame at which some no longer exist.
  Bodies all_of(const Bodies& left, const BodyLabels& labels) const;
  void write_masses(std::uint64_t row, const Bodies& left, const BodyLabels& labels);
  void end();
  /// Rows to allocate now.
  std::uint64_t rows_ahead() const;

  std::unique_ptr<Hdf5Writer> file_;
  std::vector<double> row_;
  bool in_a_box_, may_merge_;
  bool has_kinetic_lost_;           ///< not where a file of an earlier version is continued
  std::vector<std::uint64_t> ids_;  ///< of all bodies, where they may merge
  std::uint64_t bodies_;
  std::optional<RunPlan> plan_;
  std::uint64_t moments_ = 0;
  double time_ = 0;            ///< of the frame being written
  std::int64_t step_ = 0;      ///< of the frame being written
  std::uint64_t written_ = 0;  ///< bodies of it that are written
  std::int64_t last_step_ = -1;
  std::uint64_t kept_ = 0;  ///< number of calls of keep()
};

/// Reads any frame without reading the previous ones. Throws InputError.
class Trajectory {
 public:
  explicit Trajectory(const std::filesystem::path& path)
      : Trajectory(std::make_shared<const Hdf5Reader>(path)) {}
  explicit Trajectory(std::shared_ptr<const Hdf5Reader> file);

  std::size_t bodies() const { return mass_.size(); }
  /// Number of complete frames.
  std::size_t moments() const { return time_.size(); }
  const std::vector<double>& time() const { return time_; }
  const std::vector<double>& step() const { return step_; }
  const std::string& made_by() const { return made_by_; }
  const std::optional<ComovingBox>& box() const { return box_; }
  /// Whether later frames may have fewer bodies.
  bool may_merge() const { return may_merge_; }
  /// In a comoving box (see Expansion), NaN where the file does not state it; otherwise the energy lost in
  /// collisions.
  double energy_lost(std::size_t moment) const { return energy_lost_.empty() ? 0 : energy_lost_[moment]; }
  /// Kinetic energy lost in collisions (see CollisionTotals).
  double kinetic_lost(std::size_t moment) const { return kinetic_lost_.empty() ? 0 : kinetic_lost_[moment]; }
  /// The bodies of a frame below moments(), to be shown or continued, with their recorded time step and softening,
  /// where known; otherwise, in a comoving box, with usual_softening.
  InitialConditions moment(std::size_t number) const;
  std::int64_t collisions(std::size_t moment) const {
    return collisions_.empty() ? 0 : static_cast<std::int64_t>(collisions_[moment]);
  }
  /// Starting point to continue a run: its last frame, or a later step between two frames.
  struct Checkpoint {
    Bodies bodies;
    NBodySimulation::Moment moment;
    std::shared_ptr<const BodyLabels> labels = nullptr;  ///< null: those of the first frame
  };
  /// Only where there is a plan().
  Checkpoint checkpoint() const;
  std::int64_t last_step() const { return static_cast<std::int64_t>(last_step_); }
  std::size_t last_row() const { return last_row_; }
  /// For a run that can be continued.
  const std::optional<RunPlan>& plan() const { return plan_; }
  const std::string& computed_by() const { return computed_by_; }
  /// Remark that the run ended before its last step.
  const Remarks& remarks() const { return remarks_; }

 private:
  void read_plan();
  [[noreturn]] void refuse_version(const std::optional<std::vector<double>>& version) const;
  void check_steps() const;
  void require_growing_datasets() const;
  void find_last_step();
  InitialConditions start_at(std::size_t row) const;
  std::vector<double> kinetic_lost_up_to(std::size_t rows) const;
  Bodies bodies_of(std::size_t row) const;
  Rungs rungs_of(std::size_t row) const;
  std::vector<double> rows(const std::string& name) const;

  std::shared_ptr<const Hdf5Reader> file_;
  std::vector<double> time_, step_, mass_;
  bool may_merge_ = false;
  std::vector<double> time_step_, softening_, energy_lost_, kinetic_lost_,
      collisions_;  ///< empty where the file does not contain them
  std::vector<std::uint64_t> id_;
  std::vector<std::uint8_t> origin_;
  std::vector<double> radius_;  ///< empty: not known
  std::vector<std::string> origins_;
  std::string made_by_, computed_by_;
  std::optional<ComovingBox> box_;
  std::optional<Units> units_;
  std::optional<RunPlan> plan_;
  Remarks remarks_;
  /// Row from which the run is continued.
  std::size_t last_row_ = 0;
  double last_step_ = 0;
};

/// Whether the file declares itself a trajectory.
bool is_trajectory(const Hdf5Reader& file);
bool is_trajectory(const std::filesystem::path& path);

}  // namespace isolume::nbody
