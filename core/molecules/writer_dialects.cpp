#include "core/molecules/writer_dialects.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/letter_case.h"
#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/overlap.h"

namespace isolume::molecules {
namespace {

/// Product of (2i-1)!! over the three powers: the squared ratio of the norms of "xyz..." and of this
/// monomial.
double monomial_square(CartesianPowers p) {
  return odd_double_factorial(p.x) * odd_double_factorial(p.y) * odd_double_factorial(p.z);
}

bool any_shell(const Shell&) {
  return true;
}
bool cartesian_above_p(const Shell& shell) {
  return !shell.spherical && shell.angular_momentum > 1;
}
bool above_p(const Shell& shell) {
  return shell.angular_momentum > 1;
}

// The properties of ORCA, Psi4, Turbomole and CFOUR were established by the IOData project from real files.
double orca_primitive(const Shell& shell, double exponent) {
  static constexpr std::array<CartesianPowers, 6> unit{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}, {5, 0, 0}}};
  return 1 / primitive_norm(exponent, unit[static_cast<std::size_t>(shell.angular_momentum)]);
}
double raw_primitive(const Shell& shell, double exponent) {
  return 1 / primitive_norm(exponent, {shell.angular_momentum, 0, 0});
}
double turbomole_primitive(const Shell& shell, double) {
  return cartesian_above_p(shell) ? std::sqrt(odd_double_factorial(shell.angular_momentum)) : 1;
}
double cfour_function(const Shell&, CartesianPowers powers) {
  return std::sqrt(monomial_square(powers));
}
double psi4_function(const Shell& shell, CartesianPowers powers) {
  return std::sqrt(monomial_square(powers) / odd_double_factorial(shell.angular_momentum));
}

/// Single deviations.
std::vector<WriterDialect> single_dialects() {
  return {
      {.name = "primitive-norms",
       .explanation =
           "The contraction coefficients include the norms of the primitives; they were corrected.",
       .program = "Psi4",
       .concerns = any_shell,
       .primitive = raw_primitive},
      {.name = "primitive-norms-and-signs",
       .explanation =
           "The contraction coefficients include norms of primitives, those of products such as xy for d "
           "shells, and some f, g and h functions have the opposite sign; both were corrected.",
       .program = "ORCA",
       .concerns = above_p,
       .primitive = orca_primitive,
       .order = &orca_order,
       .only_spherical = true},
      {.name = "cartesian-shell-norms",
       .explanation =
           "Cartesian d, f and g shells are normalised differently from the format; they were corrected.",
       .program = "Turbomole",
       .concerns = cartesian_above_p,
       .primitive = turbomole_primitive},
      {.name = "cartesian-xx-norms",
       .explanation =
           "Cartesian functions such as xx are normalised differently from the format; the orbital "
           "coefficients were corrected.",
       .program = "CFOUR",
       .concerns = cartesian_above_p,
       .function = cfour_function},
      {.name = "cartesian-xy-norms",
       .explanation =
           "Cartesian functions such as xy are normalised differently from the format; the orbital "
           "coefficients were corrected.",
       .program = "Psi4",
       .concerns = cartesian_above_p,
       .function = psi4_function},
      {.name = "opposite-signs",
       .explanation = "Spherical functions of odd m above zero have the opposite sign; they were corrected.",
       .program = "NWChem",
       .concerns = above_p,
       .order = &nwchem_order,
       .only_spherical = true}};
}

constexpr std::array<const AngularOrder*, 5> known_orders{
    &lexicographic_order, &gamess_order, &reverse_lexicographic_order, &molden_order, &fchk_order};

std::vector<WriterDialect> wrong_orders() {
  std::vector<WriterDialect> all;
  for (const AngularOrder* order : known_orders) {
    all.push_back({.name = "swapped-10f-15g",
                   .explanation = "The functions of the d, f, g or h shells are not in the order of the "
                                  "format; they were reordered.",
                   .concerns = above_p,
                   .order = order});
  }
  return all;
}

/// Combined dialects: no function of the file is normalised (xtb), possibly in another order as well.
std::vector<WriterDialect> compound_dialects() {
  const WriterDialect raw{.name = "unnormalised-functions",
                          .explanation =
                              "The basis functions are not normalised, neither their primitives nor "
                              "Cartesian functions such as xy; the coefficients were corrected.",
                          .concerns = cartesian_above_p,
                          .primitive = raw_primitive,
                          .function = psi4_function};
  std::vector<WriterDialect> all{raw};
  std::vector<WriterDialect> ordered = single_dialects();
  ordered.push_back(raw);
  for (const WriterDialect& dialect : ordered) {
    if (dialect.order != nullptr) continue;
    for (const AngularOrder* order : known_orders) {
      all.push_back(dialect);
      all.back().order = order;
    }
  }
  return all;
}

std::vector<WriterDialect> all_dialects() {
  std::vector<WriterDialect> all = single_dialects();
  const auto append = [&all](const std::vector<WriterDialect>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(wrong_orders());
  const std::vector<WriterDialect> alone = all;
  // Contractions come last: normalising them first would hide the dialects above.
  all.push_back({.name = "unnormalised-contractions",
                 .explanation = "The contractions of the basis set are not normalised; they were normalised.",
                 .concerns = any_shell,
                 .normalise = true});
  for (const WriterDialect& dialect : alone) {
    if (dialect.primitive != nullptr) continue;
    all.push_back(dialect);
    all.back().normalise = true;
  }
  append(compound_dialects());
  for (const double length : {units::bohr_per_angstrom, units::angstrom_per_bohr}) {
    all.push_back({.name = "wrong-length-unit",
                   .explanation =
                       length > 1 ? "The coordinates are in angstrom although the file says bohr; converted."
                                  : "The coordinates are in bohr although the file says angstrom; converted.",
                   .concerns = any_shell,
                   .length = length});
  }
  return all;
}

bool applicable(const WriterDialect& dialect, const BasisSet& basis, const AngularOrder& read_as) {
  if (dialect.order == &read_as) return false;
  const auto& shells = basis.shells;
  if (dialect.only_spherical && std::any_of(shells.begin(), shells.end(), cartesian_above_p)) return false;
  return std::any_of(shells.begin(), shells.end(), dialect.concerns);
}

bool named_by(std::string_view program, const WriterDialect& dialect) {
  return !dialect.program.empty() &&
         lower_case(program).find(lower_case(dialect.program)) != std::string::npos;
}

}  // namespace

const WriterDialect& as_written() {
  static const WriterDialect none{.name = "as written", .explanation = "", .concerns = any_shell};
  return none;
}

std::vector<WriterDialect> known_dialects(std::string_view program, const BasisSet& basis,
                                          const AngularOrder& read_as) {
  std::vector<WriterDialect> all = all_dialects();
  std::erase_if(all, [&](const WriterDialect& one) { return !applicable(one, basis, read_as); });
  std::stable_partition(all.begin(), all.end(),
                        [program](const WriterDialect& one) { return named_by(program, one); });
  return all;
}

std::string explanation_of(const WriterDialect& dialect, std::string_view program) {
  std::string text(dialect.explanation);
  if (named_by(program, dialect)) text += fmt::format(" Files of {} are written so.", dialect.program);
  if (dialect.normalise && dialect.name != "unnormalised-contractions")
    text += " The contractions were normalised as well.";
  const bool beside_order = dialect.primitive != nullptr || dialect.function != nullptr;
  if (dialect.order != nullptr && beside_order && !dialect.only_spherical)
    text += " The order of the functions was corrected as well.";
  return text;
}

void Correction::apply(OrbitalSet& set) const {
  for (const Rearrangement& one : rearrangements) rearrange_rows(one, set.coefficients);
  set.coefficients.array().colwise() *= row_factors.array();
}

Correction correction_for(const WriterDialect& dialect, const Molecule& molecule, const BasisSet& basis,
                          const AngularOrder& read_as) {
  Correction result;
  result.molecule = molecule;
  for (Atom& atom : result.molecule.atoms) atom.position_bohr *= dialect.length;
  result.basis = basis;
  for (Shell& shell : result.basis.shells) {
    for (std::size_t p = 0; p < shell.exponents.size() && dialect.primitive != nullptr; ++p)
      shell.coefficients[p] *= dialect.primitive(shell, shell.exponents[p]);
    if (!dialect.normalise) continue;
    const double norm = self_overlap(shell);
    if (!(norm > 0)) continue;
    for (double& coefficient : shell.coefficients) coefficient /= std::sqrt(norm);
  }
  result.row_factors = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(result.basis.function_count()));
  Eigen::Index row = 0;
  for (const Shell& shell : result.basis.shells) {
    if (dialect.function != nullptr && !shell.spherical) {
      for (const CartesianPowers& powers : cartesian_powers(shell.angular_momentum))
        result.row_factors[row++] = dialect.function(shell, powers);
    } else {
      row += shell.function_count();
    }
  }
  if (dialect.order != nullptr) {
    result.rearrangements.push_back(rearrangement(result.basis, isolume_order, read_as));
    result.rearrangements.push_back(rearrangement(result.basis, *dialect.order, isolume_order));
  }
  return result;
}

}  // namespace isolume::molecules
