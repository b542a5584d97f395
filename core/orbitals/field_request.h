#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"
#include "core/orbitals/engine.h"

namespace isolume::orbitals {

enum class FieldKind {
  orbital,          ///< psi_i
  orbital_density,  ///< |psi_i|^2
  density,          ///< total: sum over alpha and beta of occupation x psi^2
  alpha_density,
  beta_density,
  spin_density,           ///< alpha - beta
  density_difference,     ///< |psi_i|^2 - |psi_j|^2: an electron moved from orbital j to orbital i
  superposition,          ///< Re sum_i c_i exp(-i E_i t) phi_i
  superposition_density,  ///< |sum_i c_i exp(-i E_i t) phi_i|^2
};

/// "orbital", "orbital-density", "density" ...: the names used in panels, flags and files.
std::string_view to_string(FieldKind kind);

struct SuperpositionTerm {
  int orbital = 0;  ///< position in the set
  double weight = 1;
};

/// A field of a wavefunction. Orbitals are positions in `set`.
struct FieldRequest {
  FieldKind kind = FieldKind::orbital;
  int set = 0;
  int orbital = 0;
  int other_orbital = 0;                 ///< density_difference: j
  std::vector<SuperpositionTerm> terms;  ///< superposition; normalised to sum of weights^2 = 1
  double time_atomic_units = 0;          ///< superposition; 1 a.u. = 24.19 as
};

/// "HOMO (20)", "electron density", ... and "bohr^-3/2" or "e/bohr^3".
std::string field_name(const molecules::Wavefunction& wavefunction, const FieldRequest& request);
std::string_view field_unit(FieldKind kind);
/// Whether the field has both signs (lobes), unlike a density, which is never negative.
bool is_signed(FieldKind kind);
/// Whether the electron density of the field is its square (for an amplitude) or the field itself.
bool is_amplitude(FieldKind kind);

/// A request as columns and weights: amplitude = coefficients * weights where `quadratic` is false, else sum_k
/// weights[k] (column k)^2.
struct Combination {
  Eigen::MatrixXd coefficients;  ///< functions x K
  Eigen::VectorXd weights;       ///< K; 1 for amplitudes
  bool quadratic = false;
};
/// Throws Error for an orbital that does not exist, a superposition without terms or energies.
Combination combine(const molecules::Wavefunction& wavefunction, const FieldRequest& request);

enum class Keep {
  in_host_memory,
  where_computed,  ///< values may stay on a device until they are read
};
/// The field on a grid, its name in the report. Memory is checked first (ResourceError with numbers).
Computed<grid::ScalarField> compute_field(const molecules::Wavefunction& wavefunction,
                                          const FieldRequest& request, const grid::Grid& grid,
                                          const Engine& engine, const EngineOptions& options = {},
                                          const jobs::Progress& progress = {},
                                          Keep keep = Keep::in_host_memory);

struct BoxOptions {
  double spacing_bohr = 0.1 / 0.529177210903;
  /// Added on every side of the box determined by the basis functions; may be negative.
  double margin_bohr = 0;
  /// The box contains all points where the field's magnitude may reach this; 0 uses the nuclei's box plus
  /// `margin_bohr`.
  double isovalue = 0;
};
/// A grid that encloses the field at the requested isovalue, from the extent of the basis functions weighted with
/// the request's coefficients. Diffuse orbitals get a larger box, compact ones a tighter one.
grid::Grid enclosing_grid(const molecules::Wavefunction& wavefunction, const FieldRequest& request,
                          const BoxOptions& options);

}  // namespace isolume::orbitals
