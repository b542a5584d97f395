#include "core/electrostatics/surfaces/residue_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/surfaces/surface_samples.h"
#include "core/fields/numbers.h"

namespace isolume::electrostatics {
namespace {

std::vector<double> sum_at_atoms(const structures::Charges& charges, const PotentialOptions& options,
                                 const jobs::Progress& progress) {
  PotentialOptions at_places = options;
  at_places.kernel = "auto";  // the map's kernel may only support grids
  return potential_at({charges.x, charges.y, charges.z}, charges, at_places, progress).values;
}

/// The Coulomb sum with the solute's permittivity. Direct sums for a million atoms would take minutes.
PotentialOptions sum_in_solute(const PotentialOptions& options, std::size_t atoms) {
  if (atoms <= most_atoms_by_pairs) return by_method(options, Method::direct);
  PotentialOptions fast = by_method(options, Method::fmm);
  fast.error = fast_sum_error;
  return fast;
}

/// The reaction field of the solvent on the map's points.
grid::ScalarField answer_of_solvent(const structures::Charges& charges, const grid::ScalarField& potential,
                                    const PotentialOptions& options, const jobs::Progress& progress) {
  PotentialOptions dry = options;
  dry.method = Method::pb_linear;
  dry.solvent_dielectric = options.solute_dielectric;
  dry.salt_molar = 0;
  auto answer = potential_on(potential.grid, charges, dry, progress).values;
  std::ranges::transform(potential.values, answer.values, answer.values.begin(), std::minus<>());
  return answer;
}

void add_surface(const SurfaceSamples& surface, const Residues& residues,
                 std::vector<ResidueValues>& values) {
  std::vector<double> sums(values.size());
  for (std::size_t i = 0; i < surface.atom.size(); ++i) {
    if (surface.atom[i] == NearestAtoms::none || std::isnan(surface.potential[i])) continue;
    const std::size_t residue = residues.of_atom[static_cast<std::size_t>(surface.atom[i])];
    auto& value = values[residue];
    const auto there = static_cast<double>(surface.potential[i]);
    value.area += surface.area[i];
    sums[residue] += surface.area[i] * there;
    value.lowest = std::fmin(value.lowest, there);
    value.highest = std::fmax(value.highest, there);
  }
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& value = values[i];
    if (value.area > 0) value.mean = sums[i] / value.area;
    // The potential of all others alone is not the one there.
    if (!value.has_parameters) value.mean = value.lowest = value.highest = unknown;
  }
}

}  // namespace

std::vector<double> potential_at_atoms(const structures::Charges& charges, const grid::ScalarField& potential,
                                       const PotentialOptions& options, const jobs::Progress& progress) {
  if (!is_poisson_boltzmann(options.method)) return sum_at_atoms(charges, options, progress);
  auto at_atoms = sum_at_atoms(charges, sum_in_solute(options, charges.size()), progress.part(0, 0.2));
  const auto answer = answer_of_solvent(charges, potential, options, progress.part(0.2, 1));
  for (std::size_t i = 0; i < at_atoms.size(); ++i) {
    const auto there = fields::value_at(answer, charges.place(i));
    if (!there) throw Error(fmt::format("Atom {} lies outside of the map. Give a larger margin.", i + 1));
    at_atoms[i] += *there;
  }
  return at_atoms;
}

std::vector<ResidueValues> residue_surface_values(const structures::Charges& charges,
                                                  const grid::ScalarField& potential,
                                                  const SampledSurface& surface,
                                                  const PotentialOptions& options, SolventSurfaces& known,
                                                  const jobs::Progress& progress) {
  const auto residues = residues_of(charges);
  std::vector<ResidueValues> values;
  for (const auto& residue : residues.all) {
    auto& value = values.emplace_back();
    value.name = residue.name;
    value.atoms = residue.atoms.size();
    value.has_parameters = residue.has_parameters;
    for (const std::uint32_t atom : residue.atoms) value.charge += charges.charge[atom];
  }
  add_surface(sample_surface(charges, potential, surface, options, known, progress), residues, values);
  return values;
}

double kj_per_mol_of_unit(const PotentialOptions& options) {
  return units::joule_per_calorie *
         coulomb_constant(PotentialUnit::kcal_per_mol_e, options.temperature_kelvin) /
         coulomb_constant(options.unit, options.temperature_kelvin);
}

std::vector<ResidueValues> residue_values(const structures::Charges& charges,
                                          const grid::ScalarField& potential, const PotentialOptions& options,
                                          const SampledSurface& surface, const jobs::Progress& progress) {
  const auto at_atoms = potential_at_atoms(charges, potential, options, progress.part(0, 0.7));
  SolventSurfaces known;
  return residue_values(charges, potential, at_atoms, options, surface, known, progress.part(0.7, 1));
}

std::vector<ResidueValues> residue_values(const structures::Charges& charges,
                                          const grid::ScalarField& potential,
                                          std::span<const double> at_atoms, const PotentialOptions& options,
                                          const SampledSurface& surface, SolventSurfaces& known,
                                          const jobs::Progress& progress) {
  const auto residues = residues_of(charges);
  const double kj_per_unit = kj_per_mol_of_unit(options);
  auto values = residue_surface_values(charges, potential, surface, options, known, progress);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (const std::uint32_t atom : residues.all[i].atoms)
      values[i].energy_kj_per_mol += kj_per_unit * charges.charge[atom] * at_atoms[atom];
  }
  return values;
}

void write_residue_values(const std::vector<ResidueValues>& values, std::string_view potential_unit,
                          const std::filesystem::path& path) {
  fmt::memory_buffer lines;
  auto out = std::back_inserter(lines);
  fmt::format_to(
      out,
      "# charge in e; area in square angstrom; mean, lowest and highest potential on the surface in "
      "{}; energy in kJ/mol\nresidue,atoms,charge,area,mean,lowest,highest,energy,parameters\n",
      potential_unit);
  const auto number = [](double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; };
  // Avoids a negative zero.
  const auto rounded = [](double value) { return std::round(value * 1e4) / 1e4 + 0.0; };
  for (const auto& each : values) {
    fmt::format_to(out, "{},{},{:.4f},{},{},{},{},{},{}\n", csv_cell(each.name), each.atoms,
                   rounded(each.charge), number(each.area), number(each.mean), number(each.lowest),
                   number(each.highest), number(each.energy_kj_per_mol), each.has_parameters ? "yes" : "no");
  }
  AtomicFile file(path);
  file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
  file.commit();
}

void write_atom_values(const structures::Charges& charges, std::span<const double> at_atoms,
                       const PotentialOptions& options, const std::filesystem::path& path,
                       const std::vector<bool>& selected) {
  const auto residues = residues_of(charges);
  const double kj_per_unit = kj_per_mol_of_unit(options);
  fmt::memory_buffer lines;
  auto out = std::back_inserter(lines);
  fmt::format_to(
      out,
      "# atom: its number in the file, counted from 1; charge in e; radius in angstrom; potential at the "
      "atom from all other charges, in {}; energy in kJ/mol\n"
      "atom,name,residue,charge,radius,potential,energy\n",
      to_text(options.unit));
  for (std::size_t i = 0; i < charges.size(); ++i) {
    if (!selected.empty() && !selected[i]) continue;
    const std::string name = i < charges.labels.size() ? charges.labels[i].atom : std::string();
    fmt::format_to(out, "{},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", i + 1, csv_cell(name),
                   csv_cell(residues.all[residues.of_atom[i]].name), charges.charge[i] + 0.0,
                   charges.radius[i], at_atoms[i], kj_per_unit * charges.charge[i] * at_atoms[i] + 0.0);
  }
  AtomicFile file(path);
  file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
  file.commit();
}

}  // namespace isolume::electrostatics
