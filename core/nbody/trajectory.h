#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/nbody/diagnostics.h"
#include "core/nbody/hdf5_file.h"
#include "core/nbody/initial_conditions.h"
#include "core/nbody/nbody_simulation.h"

namespace isolume::nbody {

/// A file of moments of one system, HDF5: attributes format, version, origins (a line each) and made_by of the
/// file; datasets id [bodies], mass [bodies], origin [bodies], and, a row for each moment, step, time, time_step,
/// softening, position [bodies, 3] and velocity [bodies, 3], all in double precision, with G = 1. Of bodies in a comoving
/// box it is of version 2 and has the attributes box_side (Mpc/h), omega_matter, omega_lambda and hubble and the dataset
/// energy_lost (see Expansion), too; where the units of bodies are known, the attributes unit_length_cm, unit_mass_g,
/// unit_speed_cm_s and gravitation; units are those of ComovingBox, and time is the natural logarithm of the scale factor.
class TrajectoryWriter {
 public:
  /// `made_by`: what it was made from, for people. Throws Error.
  TrajectoryWriter(const std::filesystem::path& path, const NBodySimulation& simulation,
                   const std::string& made_by)
      : TrajectoryWriter(path, *simulation.labels(), simulation.bodies().mass, made_by) {}
  TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels,
                   const std::vector<double>& mass, const std::string& made_by);
  /// Of so many bodies, whose labels come in parts; from `labels` are origins and the box.
  TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels, std::uint64_t bodies,
                   const std::string& made_by);
  /// Of bodies from `first` on.
  void add_labels(std::uint64_t first, std::span<const double> mass, std::span<const std::uint64_t> id,
                  std::span<const std::uint8_t> origin);
  /// The moment that the simulation is at.
  void add(const NBodySimulation& simulation) {
    add(simulation.bodies(), {.step = simulation.step(),
                              .time = simulation.time(),
                              .options = simulation.options(),
                              .energy_lost = simulation.energy_lost()});
  }
  struct Moment {
    std::int64_t step = 0;
    double time = 0;
    const RunOptions& options;  ///< that the bodies move with
    double energy_lost = 0;     ///< in a comoving box
  };
  void add(const Bodies& bodies, const Moment& moment);
  /// The same in parts: a moment more, then bodies of it, from `first` on. All of them are given.
  void begin(const Moment& moment);
  void add_part(std::uint64_t first, const Bodies& bodies) { add_part(first, bodies, 0, bodies.size()); }
  /// The file appears now. Throws Error where the disk is full; what was there before stays then.
  void finish() { file_.finish(); }

  static std::uint64_t bytes_a_moment(std::size_t bodies) { return (6 * bodies + 5) * sizeof(double); }
  /// Throws ResourceError, with what to do, where so many moments of so many bodies do not fit on the disk.
  static void require_space(const std::filesystem::path& path, std::size_t bodies, std::uint64_t moments,
                            const std::string& what_to_do);

  /// Parts that begin at its multiples are written fastest.
  static constexpr std::size_t bodies_a_part = std::size_t{1} << 20;

 private:
  /// Those of `bodies` from `from` on.
  void add_part(std::uint64_t first, const Bodies& bodies, std::size_t from, std::size_t count);

  Hdf5Writer file_;
  std::vector<double> row_;
  bool in_a_box_;
};

/// Reads any moment without reading those before. Throws InputError.
class Trajectory {
 public:
  explicit Trajectory(const std::filesystem::path& path);

  std::size_t bodies() const { return mass_.size(); }
  std::size_t moments() const { return time_.size(); }
  const std::vector<double>& time() const { return time_; }
  const std::vector<double>& step() const { return step_; }
  const std::string& made_by() const { return made_by_; }
  const std::optional<ComovingBox>& box() const { return box_; }
  /// In a comoving box (see Expansion), not a number where the file does not tell; 0 outside.
  double energy_lost(std::size_t moment) const { return energy_lost_.empty() ? 0 : energy_lost_[moment]; }
  /// The bodies of a moment below moments(), to be looked at or to go on from, with the time step and the softening that
  /// they had, as far as the file tells; in a comoving box else with usual_softening.
  InitialConditions moment(std::size_t number) const;

 private:
  std::vector<double> rows(const std::string& name) const;

  Hdf5Reader file_;
  std::vector<double> time_, step_, mass_;
  std::vector<double> time_step_, softening_, energy_lost_;  ///< empty where the file does not tell
  std::vector<std::uint64_t> id_;
  std::vector<std::uint8_t> origin_;
  std::vector<std::string> origins_;
  std::string made_by_;
  std::optional<ComovingBox> box_;
  std::optional<Units> units_;
};

/// Whether it says that it is one.
bool is_trajectory(const Hdf5Reader& file);
bool is_trajectory(const std::filesystem::path& path);

}  // namespace isolume::nbody
