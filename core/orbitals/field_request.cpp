#include "core/orbitals/field_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::orbitals {
namespace {

constexpr std::array<std::string_view, 9> kind_names{
    "orbital",      "orbital-density",    "density",       "alpha-density",        "beta-density",
    "spin-density", "density-difference", "superposition", "superposition-density"};

const molecules::OrbitalSet& set_of(const molecules::Wavefunction& wavefunction,
                                    const FieldRequest& request) {
  if (request.set < 0 || static_cast<std::size_t>(request.set) >= wavefunction.sets.size()) {
    throw Error(fmt::format("There is no orbital set {}; the file has {}.", request.set + 1,
                            wavefunction.sets.size()));
  }
  return wavefunction.sets[request.set];
}

int checked_orbital(const molecules::OrbitalSet& set, int orbital) {
  if (orbital < 0 || static_cast<std::size_t>(orbital) >= set.orbitals.size()) {
    throw Error(fmt::format("There is no orbital {}; the set \"{}\" has {}.", orbital + 1, set.name,
                            set.orbitals.size()));
  }
  return orbital;
}

/// "HOMO (20)", "LUMO (9, alpha)": counted from 1 within the spin, as users and files do.
std::string orbital_name(const molecules::OrbitalSet& set, int orbital) {
  const auto spin = set.orbitals[checked_orbital(set, orbital)].spin;
  const auto of_spin = set.of_spin(spin);
  const auto number = std::ranges::find(of_spin, orbital) - of_spin.begin() + 1;
  const std::string label = set.occupations_known ? molecules::frontier_label(set, orbital) : "orbital";
  if (!set.unrestricted()) return fmt::format("{} ({})", label, number);
  return fmt::format("{} ({}, {})", label, number, spin == molecules::Spin::alpha ? "alpha" : "beta");
}

double density_weight(FieldKind kind, const molecules::ElectronCount& electrons) {
  switch (kind) {
    case FieldKind::alpha_density:
      return electrons.alpha;
    case FieldKind::beta_density:
      return electrons.beta;
    case FieldKind::spin_density:
      return electrons.alpha - electrons.beta;
    default:
      return electrons.alpha + electrons.beta;
  }
}

/// The same quadratic field by fewer columns that hardly cancel. In C diag(w) C^T with weights of both signs, alpha
/// and beta cores nearly cancel: if left to the engine, this would cost a spin density all but five of its digits in
/// float. Here C = Q R, R diag(w) R^T = V diag(v) V^T in double, and Q V with weights v is the same matrix.
Combination without_cancellation(const Combination& combination) {
  const auto& weights = combination.weights;
  if (weights.size() == 0 || weights.minCoeff() >= 0 || weights.maxCoeff() <= 0) return combination;
  const Eigen::Index rank = std::min(combination.coefficients.rows(), combination.coefficients.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> factors(combination.coefficients);
  const Eigen::MatrixXd r = factors.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(r * weights.asDiagonal() * r.transpose());
  const Eigen::MatrixXd q =
      factors.householderQ() * Eigen::MatrixXd::Identity(combination.coefficients.rows(), rank);
  std::vector<Eigen::Index> kept;
  const double least = 1e-14 * solver.eigenvalues().cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < rank; ++i) {
    if (std::abs(solver.eigenvalues()[i]) > least) kept.push_back(i);
  }
  return {q * solver.eigenvectors()(Eigen::all, kept), solver.eigenvalues()(kept), true};
}

Combination combine_occupied(const molecules::OrbitalSet& set, FieldKind kind) {
  std::vector<Eigen::Index> columns;
  std::vector<double> weights;
  const bool unrestricted = set.unrestricted();
  require_occupations(set);
  if (kind != FieldKind::density && !unrestricted && set.open_shells == molecules::OpenShells::unknown) {
    throw Error(
        fmt::format("The file does not say how the electrons of the orbital set \"{}\" divide into alpha and "
                    "beta, so that there is no {}. Show the electron density, or open a file that states the "
                    "multiplicity.",
                    set.name, kind == FieldKind::spin_density ? "spin density" : "density of one spin"));
  }
  for (std::size_t i = 0; i < set.orbitals.size(); ++i) {
    const double weight = density_weight(kind, electrons_in(set.orbitals[i], unrestricted, set.open_shells));
    if (weight == 0) continue;
    columns.push_back(static_cast<Eigen::Index>(i));
    weights.push_back(weight);
  }
  Combination made;
  made.coefficients = set.coefficients(Eigen::all, columns);
  made.weights = Eigen::Map<const Eigen::VectorXd>(weights.data(), static_cast<Eigen::Index>(weights.size()));
  made.quadratic = true;
  return without_cancellation(made);
}

/// The terms with each orbital once, normalised to sum of weights^2 = 1.
std::map<int, double> normalised_terms(const molecules::OrbitalSet& set, const FieldRequest& request) {
  std::map<int, double> weights;
  for (const auto& term : request.terms) weights[checked_orbital(set, term.orbital)] += term.weight;
  double largest = 0;
  for (const auto& [orbital, weight] : weights) largest = std::max(largest, std::abs(weight));
  if (!std::isfinite(largest))
    throw Error("The weights of a superposition are too large. Give smaller ones.");
  int exponent = 0;  // squares of weights near 1 neither overflow nor vanish; a power of two rounds none
  std::frexp(largest, &exponent);
  double sum = 0;
  for (auto& [orbital, weight] : weights) {
    weight = std::ldexp(weight, -exponent);
    if (!std::isfinite(set.orbitals[orbital].energy_hartree)) {
      throw Error(
          fmt::format("A superposition needs energies; orbital {} has none in this file.", orbital + 1));
    }
    if (set.orbitals[orbital].spin != set.orbitals[weights.begin()->first].spin) {
      throw Error("A superposition takes orbitals of one spin only; alpha and beta were given.");
    }
    sum += weight * weight;
  }
  if (weights.empty()) throw Error("A superposition needs at least one orbital, as in homo:1,lumo:1.");
  if (!(sum > 0)) throw Error("The weights of a superposition must not all be zero.");
  for (auto& [orbital, weight] : weights) weight /= std::sqrt(sum);
  return weights;
}

/// psi(t) = sum_i c_i exp(-i E_i t) phi_i as one column (real part) or two (real, imaginary part).
Combination combine_superposition(const molecules::OrbitalSet& set, const FieldRequest& request) {
  const bool density = request.kind == FieldKind::superposition_density;
  const auto terms = normalised_terms(set, request);
  Combination made;
  made.quadratic = density;
  made.coefficients = Eigen::MatrixXd::Zero(set.coefficients.rows(), density ? 2 : 1);
  made.weights = Eigen::VectorXd::Ones(made.coefficients.cols());
  for (const auto& [orbital, weight] : terms) {
    const double phase = -set.orbitals[orbital].energy_hartree * request.time_atomic_units;
    made.coefficients.col(0) += weight * std::cos(phase) * set.coefficients.col(orbital);
    if (density) made.coefficients.col(1) += weight * std::sin(phase) * set.coefficients.col(orbital);
  }
  return made;
}

Combination combine_orbital(const molecules::OrbitalSet& set, int orbital, bool quadratic) {
  return {set.coefficients.col(checked_orbital(set, orbital)), Eigen::VectorXd::Ones(1), quadratic};
}

Combination combine_difference(const molecules::OrbitalSet& set, int orbital, int other) {
  Combination made{Eigen::MatrixXd(set.coefficients.rows(), 2), Eigen::Vector2d(1, -1), true};
  made.coefficients << set.coefficients.col(checked_orbital(set, orbital)),
      set.coefficients.col(checked_orbital(set, other));
  return made;
}

}  // namespace

std::string_view to_string(FieldKind kind) {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string field_name(const molecules::Wavefunction& wavefunction, const FieldRequest& request) {
  const auto& set = set_of(wavefunction, request);
  switch (request.kind) {
    case FieldKind::orbital:
      return orbital_name(set, request.orbital);
    case FieldKind::orbital_density:
      return fmt::format("density of {}", orbital_name(set, request.orbital));
    case FieldKind::density:
      return "electron density";
    case FieldKind::alpha_density:
      return "alpha density";
    case FieldKind::beta_density:
      return "beta density";
    case FieldKind::spin_density:
      return "spin density";
    case FieldKind::density_difference:
      return fmt::format("density difference {} - {}", orbital_name(set, request.orbital),
                         orbital_name(set, request.other_orbital));
    case FieldKind::superposition:
    case FieldKind::superposition_density:
      break;
  }
  std::string names;
  for (const auto& term : request.terms) {
    names += (names.empty() ? "" : ", ") + orbital_name(set, term.orbital);
  }
  return fmt::format("superposition of {}{}", names,
                     request.kind == FieldKind::superposition ? " (real part)" : " (density)");
}

std::string_view field_unit(FieldKind kind) {
  return is_amplitude(kind) ? "bohr^-3/2" : "e/bohr^3";
}

bool is_signed(FieldKind kind) {
  return is_amplitude(kind) || kind == FieldKind::spin_density || kind == FieldKind::density_difference;
}

bool is_amplitude(FieldKind kind) {
  return kind == FieldKind::orbital || kind == FieldKind::superposition;
}

Combination combine(const molecules::Wavefunction& wavefunction, const FieldRequest& request) {
  const auto& set = set_of(wavefunction, request);
  switch (request.kind) {
    case FieldKind::orbital:
      return combine_orbital(set, request.orbital, false);
    case FieldKind::orbital_density:
      return combine_orbital(set, request.orbital, true);
    case FieldKind::density_difference:
      return combine_difference(set, request.orbital, request.other_orbital);
    case FieldKind::superposition:
    case FieldKind::superposition_density:
      return combine_superposition(set, request);
    default:
      return combine_occupied(set, request.kind);
  }
}

Computed<grid::ScalarField> compute_field(const molecules::Wavefunction& wavefunction,
                                          const FieldRequest& request, const grid::Grid& grid,
                                          const Engine& engine, const EngineOptions& options,
                                          const jobs::Progress& progress, Keep keep) {
  if (grid.unit != grid::LengthUnit::bohr) throw Error("Wavefunctions are evaluated on grids in bohr.");
  const Combination combination = combine(wavefunction, request);
  Computed<grid::ScalarField> made;
  auto& field = made.values;
  field.grid = grid;
  field.name = field_name(wavefunction, request);
  field.unit = field_unit(request.kind);
  Eigen::MatrixXd column;
  if (!combination.quadratic) column = combination.coefficients * combination.weights;
  Computed<FieldOnDevice> kept;
  if (keep == Keep::where_computed) {
    kept = engine.on_device(wavefunction.molecule, wavefunction.basis,
                            combination.quadratic ? combination.coefficients : column,
                            combination.quadratic ? &combination.weights : nullptr, grid, options, progress);
  }
  if (kept.values != nullptr) {
    field.values = grid::Values(std::move(kept.values));
    made.report = std::move(kept.report);
  } else if (combination.quadratic) {
    auto density = engine.density(wavefunction.molecule, wavefunction.basis, combination.coefficients,
                                  combination.weights, grid, options, progress);
    field.values = std::move(density.values);
    made.report = std::move(density.report);
  } else {
    auto amplitudes =
        engine.amplitudes(wavefunction.molecule, wavefunction.basis, column, grid, options, progress);
    field.values = std::move(amplitudes.values.front());
    made.report = std::move(amplitudes.report);
  }
  made.report.job = field.name;
  return made;
}

}  // namespace isolume::orbitals
