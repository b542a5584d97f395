#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"
#include "core/nbody/bodies.h"

namespace isolume::nbody {

enum class SolverKind { direct, barnes_hut, fmm, particle_mesh };

/// Forces between bodies are those of Plummer spheres: a_i = sum_j m_j (x_j - x_i) / (r^2 + softening^2)^(3/2).
struct ForceOptions : dispatch::ComputeOptions {
  SolverKind solver = SolverKind::barnes_hut;  ///< for make_solver
  double softening = 0;
  /// Of tree codes: a cell of side s at distance d acts as a whole where d > s / opening_angle, measured from
  /// where it is nearest; of the fast multipole method, two cells act on each other as wholes where their radii
  /// together are less than opening_angle x their distance. Used where no error is asked for.
  double opening_angle = 0.6;
  /// Of tree codes: of the force on a body, relative; 99 of 100 bodies stay below it. 0: not asked for.
  double error = 0;
  /// Below 1: so many times the error is asked of the sums, as they would not keep it otherwise (forces_within_error).
  double error_factor = 1;
  /// Side of the periodic cube that the bodies are in, which only the particle mesh sums; 0: they are alone.
  double period = 0;

  double error_of_sums() const { return error_factor * error; }
};

/// Where the time of a sum went, in seconds.
struct ForceSeconds {
  double sort = 0;
  double tree = 0;
  double sums = 0;
};

/// Accelerations and potentials in the order of the bodies; the potential is -sum_j m_j / sqrt(r^2 +
/// softening^2), without the body's own. Bodies at the same place exert no force on each other, and count in
/// each other's potential where there is softening.
struct Forces {
  std::vector<double> ax, ay, az, potential;
  std::uint64_t body_pairs = 0;  ///< that were added one by one
  std::uint64_t cell_pairs = 0;  ///< bodies, or groups of them, with cells
  int order = 0;                 ///< of expansions, where the solver chooses it
  ForceSeconds seconds = {};
  dispatch::Report report = {};
};

/// One way to sum gravity. Keeps no state between calls; callable from several threads.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string_view name() const = 0;  ///< "direct", "barnes-hut"
  /// Throws Error for bodies or options that make no sense, ResourceError, Cancelled.
  virtual Forces forces(const Bodies& bodies, const ForceOptions& options,
                        const jobs::Progress& progress = {}) const = 0;
  /// The same on some bodies only, by all: `active` are their numbers, rising, at least one. What is found for the
  /// others means nothing. Solvers that cannot leave bodies out compute the forces on all, as this does.
  virtual Forces active_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                               const ForceOptions& options, const jobs::Progress& progress = {}) const;
  /// At places where no body need be, in their order: what a body without mass would feel there. A body at exactly such a
  /// place counts with its potential -m / softening, and exerts no force; where nothing is softened, it is left out.
  /// Throws as forces() does.
  virtual Forces forces_at(const Places& places, const Bodies& bodies, const ForceOptions& options,
                           const jobs::Progress& progress = {}) const;
};

/// Every pair, in single precision relative to the place of the sum's target, added up in double.
std::unique_ptr<Solver> make_direct_solver();
/// Barnes and Hut, Nature 324, 446 (1986): one list of interactions for a group of bodies (Barnes, J. Comput.
/// Phys. 87, 161 (1990)), near cells with quadrupoles. What cells exert that are distant from a group, or from
/// a cell of the tree, is a Taylor expansion about its middle to fifth order in both lengths together (Dehnen,
/// J. Comput. Phys. 179, 27 (2002)).
std::unique_ptr<Solver> make_barnes_hut_solver();
/// The fast multipole method, core/multipoles: the only one for errors below 1e-6.
std::unique_ptr<Solver> make_fmm_solver();
/// In a periodic cube against an even background: a particle mesh for what is smooth, pairs of near bodies for the rest
/// (particle_mesh.h), in double precision. 99 of 100 forces are within 1e-3 of random and clumped bodies, and within 2e-3 of
/// those near a lattice, where little of them is left.
std::unique_ptr<Solver> make_particle_mesh_solver();
/// Every pair in double precision, for tests and to sample errors of the others; of a periodic cube Ewald's sum.
std::unique_ptr<Solver> make_reference_solver();

/// On the CPU, whatever engine the options name; see engine.h.
std::unique_ptr<Solver> make_solver(SolverKind kind);

/// solver, softening, opening-angle, error, engine, devices and threads.
const parameters::Schema<ForceOptions>& force_schema();

/// Throws Error where an option is out of its range.
void check(const ForceOptions& options);
/// All 0, for so many bodies.
Forces no_forces(std::size_t count);
/// Throws Error where a force or a potential is not finite, naming the body (from 1 on).
void check_finite(const Forces& forces);

}  // namespace isolume::nbody
