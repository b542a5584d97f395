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
#include "core/nbody/bodies/bodies.h"
#include "core/nbody/bodies/softening.h"

namespace isolume::nbody {

enum class SolverKind {
  best,  ///< direct, barnes_hut or fmm, by number, error and engine; see with_best_solver()
  direct,
  barnes_hut,
  fmm,
  particle_mesh
};

/// Forces between bodies are those of Plummer spheres, a_i = sum_j m_j (x_j - x_i) / (r^2 + softening^2)^(3/2), or of
/// spheres with the density of a spline kernel.
struct ForceOptions : dispatch::ComputeOptions {
  SolverKind solver = SolverKind::best;
  double softening = 0;
  /// spline: by the direct solver and by barnes_hut.
  SofteningKind softening_kind = SofteningKind::plummer;
  /// For tree codes: a cell of side s at distance d acts as a whole where d > s / opening_angle, measured from its
  /// nearest point; for the fast multipole method, two cells act on each other as wholes where the sum of their radii
  /// is less than opening_angle x their distance. Used where no error is requested.
  double opening_angle = 0.6;
  /// For tree codes: requested relative force error, which 99 of 100 bodies stay below. 0: not requested.
  double error = 0;
  /// Factor below 1 applied to the error in the sums where they would not keep it otherwise (forces_within_error).
  double error_factor = 1;
  /// Side of the periodic cube of the bodies, which only the particle mesh supports; 0: isolated bodies.
  double period = 0;

  double error_of_sums() const { return error_factor * error; }
};

/// Time spent in the stages of a sum, in seconds.
struct ForceSeconds {
  double sort = 0;
  double tree = 0;
  double sums = 0;
};

/// Accelerations and potentials in the order of the bodies; Plummer's potential is
/// -sum_j m_j / sqrt(r^2 + softening^2), without the body's own. Coincident bodies exert no force on each other, and
/// contribute to each other's potential if gravity is softened.
struct Forces {
  std::vector<double> ax, ay, az, potential;
  std::uint64_t body_pairs = 0;  ///< summed directly
  std::uint64_t cell_pairs = 0;  ///< body-cell, group-cell or cell-cell interactions
  int order = 0;                 ///< of expansions, where the solver chooses it
  ForceSeconds seconds = {};
  dispatch::Report report = {};
};

/// One method of summing gravity. Keeps no state between calls; callable from several threads.
class Solver {
 public:
  virtual ~Solver() = default;
  virtual std::string_view name() const = 0;  ///< "direct", "barnes-hut"
  /// Throws Error for invalid bodies or options, ResourceError, Cancelled.
  virtual Forces forces(const Bodies& bodies, const ForceOptions& options,
                        const jobs::Progress& progress = {}) const = 0;
  /// The same for some of the bodies only, due to all: `active` are their indices, ascending, at least one. Results
  /// for the others are undefined. Solvers that cannot leave bodies out compute the forces on all, as this does.
  virtual Forces active_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                               const ForceOptions& options, const jobs::Progress& progress = {}) const;
  /// Forces at positions where no body need be, in their order: what a massless body would feel there. A body at
  /// exactly such a position contributes the potential -m / softening and no force; without softening, it is left
  /// out. Throws as forces() does.
  virtual Forces forces_at(const Places& places, const Bodies& bodies, const ForceOptions& options,
                           const jobs::Progress& progress = {}) const;
};

/// Direct sum over every pair, in single precision relative to the target, accumulated in double; with spline softening
/// in double precision throughout (pairwise.h).
std::unique_ptr<Solver> make_direct_solver();
/// Barnes and Hut, Nature 324, 446 (1986): one interaction list for a group of bodies (Barnes, J. Comput. Phys. 87,
/// 161 (1990)), near cells with quadrupoles. Cells distant from a group, or from a cell of the tree, contribute to a
/// Taylor expansion about its middle, to fifth order in both lengths together (Dehnen, J. Comput. Phys. 179, 27
/// (2002)). With spline softening, cells act from beyond the support of the kernel only.
std::unique_ptr<Solver> make_barnes_hut_solver();
/// The fast multipole method, core/multipoles: the only solver for errors below 1e-6.
std::unique_ptr<Solver> make_fmm_solver();
/// In a periodic cube against a uniform background: a particle mesh for the smooth part, near pairs for the rest
/// (particle_mesh.h), in double precision. 99 of 100 forces are within 1e-3 for random and clumped bodies, and within
/// 2e-3 for those near a lattice, where contributions nearly cancel.
std::unique_ptr<Solver> make_particle_mesh_solver();
/// Direct sum in double precision, for tests and to sample the errors of the others; Ewald's sum for a periodic cube.
std::unique_ptr<Solver> make_reference_solver();

/// On the CPU, whatever engine the options name; see engine.h. Null for SolverKind::best.
std::unique_ptr<Solver> make_solver(SolverKind kind);
/// The key and the title of a solver: "barnes-hut", "Barnes-Hut".
const parameters::Choice& choice_of(SolverKind kind);

/// solver, softening, softening-kind, opening-angle, error, engine, devices and threads.
const parameters::Schema<ForceOptions>& force_schema();

/// Throws Error where an option is out of range.
void check(const ForceOptions& options);
/// Throws Error where the softening length is so much larger than the region of the bodies and positions that single
/// precision, in which solvers other than the particle mesh sum, cannot hold the forces.
void check_softening(const ForceOptions& options, const Bodies& bodies, const Places& places = {});
/// The same for a region with this largest extent along an axis.
void check_softening(const ForceOptions& options, double extent);
/// All 0, for so many bodies.
Forces no_forces(std::size_t count);
/// Throws Error where a force or a potential is not finite, naming the body (from 1 on). `numbers`: indices of the
/// bodies among all, if these are a part.
void check_finite(const Forces& forces, std::span<const std::uint64_t> numbers = {});

}  // namespace isolume::nbody
