#include "core/orbitals/parameters.h"

#include <array>
#include <cmath>
#include <complex>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace isolume::orbitals {
namespace {

/// 1 a.u. of time = 0.024188843265857 fs (CODATA 2018).
constexpr double femtoseconds_per_atomic_unit = 0.024188843265857;

std::vector<parameters::Choice> field_choices() {
  constexpr std::array labels{
      "Orbital",      "Orbital density",    "Electron density", "Alpha density",        "Beta density",
      "Spin density", "Density difference", "Superposition",    "Superposition density"};
  std::vector<parameters::Choice> choices;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    choices.push_back({std::string(to_string(static_cast<FieldKind>(i))), labels[i]});
  }
  return choices;
}

SuperpositionTerm to_term(std::string_view text, const molecules::OrbitalSet& set, molecules::Spin spin) {
  const std::size_t colon = text.find(':');
  SuperpositionTerm term;
  term.orbital = molecules::find_orbital(set, text.substr(0, colon), spin);
  if (colon == std::string_view::npos) return term;
  const auto given = parse_finite(text.substr(colon + 1));
  if (!given) {
    throw Error(fmt::format(
        "superposition: expected ORBITAL:WEIGHT with a number as weight, found {}. Example: homo:1,lumo:0.5.",
        quoted(text)));
  }
  term.weight = *given;
  return term;
}

std::vector<SuperpositionTerm> to_terms(std::string_view text, const molecules::OrbitalSet& set,
                                        molecules::Spin spin) {
  std::vector<SuperpositionTerm> terms;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    terms.push_back(to_term(trimmed(text.substr(start, comma - start)), set, spin));
    start = comma + 1;
  }
  return terms;
}

bool needs_orbital(FieldKind kind) {
  return kind == FieldKind::orbital || kind == FieldKind::orbital_density ||
         kind == FieldKind::density_difference;
}

}  // namespace

const parameters::Schema<FieldParameters>& field_schema() {
  using P = FieldParameters;
  using parameters::field;
  static const parameters::Schema<P> own({
      field("field", &P::field, "Field", field_choices()).group("Field").help("What is computed and shown."),
      field("set", &P::set, "Orbital set")
          .range(1, 1000)
          .group("Field")
          .help("Which orbital set of the file (canonical, natural, localised), from 1."),
      field("orbital", &P::orbital, "Orbital")
          .group("Field")
          .only_when("field", {"orbital", "orbital-density", "density-difference"})
          .help("homo, lumo, homo-1, lumo+2, or a number from 1 within the spin."),
      field("spin", &P::spin, "Spin", {{"alpha", "Alpha"}, {"beta", "Beta"}})
          .group("Field")
          .only_when("field", {"orbital", "orbital-density", "density-difference", "superposition",
                               "superposition-density"})
          .help("Spin of the orbital; restricted calculations have alpha only."),
      field("other-orbital", &P::other_orbital, "Other orbital")
          .group("Field")
          .only_when("field", {"density-difference"})
          .help("The orbital that a density difference subtracts."),
      field("superposition", &P::superposition, "Superposition")
          .group("Superposition")
          .only_when("field", {"superposition", "superposition-density"})
          .help("ORBITAL:WEIGHT, separated by commas; weights are normalised."),
      field("time", &P::time_femtoseconds, "Time")
          .unit("fs")
          .range(-1e6, 1e6)
          .usual(0, 2)
          .group("Superposition")
          .only_when("field", {"superposition", "superposition-density"})
          .help("Time at which the superposition's phases are taken."),
      field("spacing", &P::spacing_angstrom, "Spacing")
          .unit("angstrom")
          .range(0.005, 5)
          .usual(0.03, 0.5)
          .logarithmic()
          .group("Grid")
          .help("Distance between neighbouring grid points."),
      field("margin", &P::margin_angstrom, "Margin")
          .unit("angstrom")
          .range(-20, 50)
          .usual(-2, 5)
          .group("Grid")
          .help("Added on every side of the box that encloses the field."),
  });
  static const parameters::Schema<P> schema(own.fields(), dispatch::compute_schema());
  return schema;
}

FieldRequest to_request(const FieldParameters& parameters, const molecules::Wavefunction& wavefunction) {
  FieldRequest request;
  request.kind = parameters.field;
  request.set = parameters.set - 1;
  if (request.set < 0 || request.set >= static_cast<int>(wavefunction.sets.size())) {
    throw Error(fmt::format("set: there is no orbital set {}; the file has {}.", parameters.set,
                            wavefunction.sets.size()));
  }
  const auto& set = wavefunction.sets[request.set];
  if (needs_orbital(parameters.field)) {
    request.orbital = molecules::find_orbital(set, parameters.orbital, parameters.spin);
  }
  if (parameters.field == FieldKind::density_difference) {
    request.other_orbital = molecules::find_orbital(set, parameters.other_orbital, parameters.spin);
  }
  if (parameters.field == FieldKind::superposition || parameters.field == FieldKind::superposition_density) {
    request.terms = to_terms(parameters.superposition, set, parameters.spin);
    request.time_atomic_units = parameters.time_femtoseconds / femtoseconds_per_atomic_unit;
  }
  return request;
}

double loop_femtoseconds(const FieldParameters& parameters, const molecules::Wavefunction& wavefunction) {
  const FieldRequest request = to_request(parameters, wavefunction);
  const auto& set = wavefunction.sets[static_cast<std::size_t>(request.set)];
  // <psi(0)|psi(t)>: 1 where all phases have returned. A density does not depend on a common phase.
  const auto likeness = [&](double femtoseconds) {
    std::complex<double> sum = 0;
    double norm = 0;
    for (const auto& [orbital, weight] : request.terms) {
      const double energy = set.orbitals[static_cast<std::size_t>(orbital)].energy_hartree;
      sum += std::polar(weight * weight, -energy * femtoseconds / femtoseconds_per_atomic_unit);
      norm += weight * weight;
    }
    return (request.kind == FieldKind::superposition_density ? std::abs(sum) : sum.real()) / norm;
  };
  constexpr double first = 0.5, last = 2, at_most = 10, step = 0.001, close = 0.9;
  double best = last, best_likeness = -2;
  double before = likeness(first - step), now = likeness(first);
  for (double time = first; time < at_most && (time <= last || best_likeness < close); time += step) {
    const double after = likeness(time + step);
    const bool peak = now >= before && now >= after;
    if (peak && now > best_likeness && (time <= last || now >= close)) {
      best = time;
      best_likeness = now;
    }
    before = std::exchange(now, after);
  }
  return best;
}

}  // namespace isolume::orbitals
