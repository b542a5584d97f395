#include "app/labs/electrostatics/picture/map_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/labs/electrostatics/picture/method_text.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/language.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/surfaces/boundary_values.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/structures/molecule_of.h"

namespace isolume::labs::electrostatics {

/// Solvers of the last grids, the preview's and the refined one: each continues from its last solution when a slider
/// moves.
class Solvers {
 public:
  explicit Solvers(std::shared_ptr<science::SolventSurfaces> surfaces) : surfaces_(std::move(surfaces)) {}

  science::PoissonBoltzmannResult solve(const structures::Charges& charges, const grid::Grid& grid,
                                        const science::PotentialOptions& how, bool energy,
                                        const jobs::Progress& progress) {
    const std::scoped_lock lock(mutex_);
    progress.check();
    science::PoissonBoltzmannWork work{.energy = energy, .estimate_error = false, .keep = true};
    if (charges.size() > many_atoms) {
      work.keep = false;
      return science::PoissonBoltzmann(charges, grid, surfaces_).solve(how, work, progress);
    }
    auto found = std::ranges::find_if(solvers_, [&](const auto& each) { return each->grid == grid; });
    if (found == solvers_.end()) {
      while (solvers_.size() >= most_kept) solvers_.erase(solvers_.begin());
      solvers_.push_back(std::make_unique<Solver>(charges, grid, surfaces_));
      found = solvers_.end() - 1;
    }
    std::rotate(found, found + 1, solvers_.end());
    return solvers_.back()->equation.solve(how, work, progress);
  }

  using FieldPointer = std::shared_ptr<const grid::ScalarField>;
  void remember(const FieldPointer& field, SolvedEnergy energy) {
    const std::scoped_lock lock(energies_mutex_);
    std::erase_if(energies_, [](const auto& each) { return each.first.expired(); });
    energies_.emplace_back(field, std::move(energy));
  }
  std::optional<SolvedEnergy> energy_of(const grid::ScalarField& field) const {
    const std::scoped_lock lock(energies_mutex_);
    for (const auto& [known, energy] : energies_)
      if (known.lock().get() == &field) return energy;
    return std::nullopt;
  }

 private:
  /// The equations of the preview and of the map are kept; those of many atoms take a gigabyte and are not.
  static constexpr std::size_t most_kept = 2, many_atoms = 300'000;
  struct Solver {
    Solver(const structures::Charges& charges, const grid::Grid& on,
           std::shared_ptr<science::SolventSurfaces> surfaces)
        : grid(on), equation(charges, on, std::move(surfaces)) {}
    grid::Grid grid;
    science::PoissonBoltzmann equation;
  };
  const std::shared_ptr<science::SolventSurfaces> surfaces_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Solver>> solvers_;  ///< the last used one at the end
  mutable std::mutex energies_mutex_;
  std::vector<std::pair<std::weak_ptr<const grid::ScalarField>, SolvedEnergy>> energies_;
};

namespace {

using MoleculePointer = std::shared_ptr<const ChargedMolecule>;

grid::Grid grid_of(const ChargedMolecule& molecule, const MapGrid& where) {
  return grid_of_map(structures::box_of(molecule.charges), where);
}

/// Finding where a probe rolls takes longer than a preview may where there are more atoms than these; the atoms' spheres stand in
/// for it there, until it is known.
bool is_quick(const ChargedMolecule& molecule, double probe_angstrom) {
  constexpr std::size_t most_atoms = 12'000;
  return molecule.charges.size() <= most_atoms || molecule.surfaces->knows(probe_angstrom);
}

class PotentialSource final : public fields::FieldSource {
 public:
  PotentialSource(MoleculePointer molecule, const science::PotentialOptions& how, const MapGrid& where)
      : molecule_(std::move(molecule)), how_(how), where_(where) {}

  std::string name() const override {
    return where_.compare == science::Compared::nothing ? localised("electrostatics", "Potential")
                                                        : localised("electrostatics", "Difference");
  }
  const void* subject() const override { return molecule_.get(); }
  std::string key() const override {
    std::string key = fmt::format("potential|{} {} {}|{}", where_.spacing_angstrom, where_.margin_angstrom,
                                  static_cast<int>(where_.compare), science::relevant_text(how_));
    if (const auto other = science::compared_method(where_.compare))
      key += science::relevant_text(science::by_method(how_, *other));
    return key;
  }
  grid::Grid grid() const override { return grid_of(*molecule_, where_); }
  double points_within(double seconds) const override;
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    return make(grid, false, progress);
  }
  fields::MadeField preview(const grid::Grid& grid, const jobs::Progress& progress) const override {
    return make(grid, true, progress);
  }

 private:
  fields::MadeField make(const grid::Grid& grid, bool in_passing, const jobs::Progress& progress) const;
  double seconds_per_point(science::Method method) const;
  bool compares_with(science::Method method) const;

  const MoleculePointer molecule_;
  const science::PotentialOptions how_;
  const MapGrid where_;
};

/// Of all pairs; what other sums do is for the most part the same for few points as for many.
double PotentialSource::seconds_per_point(science::Method method) const {
  if (method != science::Method::direct && method != science::Method::debye_hueckel) return 0;
  constexpr double usual_pairs_a_second =
      1e9;  // of a thread; what the machine does is known after the first map
  const double pairs_a_second = usual_pairs_a_second * dispatch::processor_threads();
  return molecule_->costs->of(static_cast<int>(method),
                              static_cast<double>(molecule_->charges.size()) / pairs_a_second);
}

bool PotentialSource::compares_with(science::Method method) const {
  return science::compared_method(where_.compare) == method;
}

/// Of the Poisson-Boltzmann equation. Always the same, since the solution on the last preview's grid is the start of the next
/// one's; and with no fewer than a molecule is seen by.
double points_of_equation(std::size_t atoms, double seconds) {
  constexpr double of_atom = 1e-5,
                   of_point = 4e-6;  // seconds of a thread, the surface that a probe leaves found anew
  constexpr double least = 20'000;
  const double left = seconds * dispatch::processor_threads() - of_atom * static_cast<double>(atoms);
  return std::max(least, left / of_point);
}

double PotentialSource::points_within(double seconds) const {
  using science::Method;
  constexpr double points_at_half_the_spacing = 8;
  const double times = where_.compare == science::Compared::half_spacing ? 1 + points_at_half_the_spacing : 1;
  double a_point = times * seconds_per_point(how_.method);
  for (const auto method : {Method::direct, Method::debye_hueckel})
    if (compares_with(method)) a_point += seconds_per_point(method);
  double points = a_point > 0 ? seconds / a_point : std::numeric_limits<double>::infinity();
  if (science::is_poisson_boltzmann(how_.method) || compares_with(Method::pb_linear) ||
      compares_with(Method::pb_nonlinear))
    points = std::min(points, points_of_equation(molecule_->charges.size(), seconds) / times);
  return points;
}

/// Of maps with a sharp boundary of permittivities; null for others. The grid points within the solute are found when a
/// surface is first coloured.
fields::ValuesAtPlaces values_near_boundary(const MoleculePointer& molecule,
                                            const std::shared_ptr<const grid::ScalarField>& potential,
                                            const science::PotentialOptions& how) {
  if (!science::is_poisson_boltzmann(how.method)) return nullptr;
  struct Found {
    std::mutex mutex;
    std::optional<science::BoundaryValues> values;
  };
  return [molecule, potential, how, found = std::make_shared<Found>()](std::span<const float> places,
                                                                       const jobs::Progress& progress) {
    const std::scoped_lock alone(found->mutex);
    if (!found->values)
      found->values.emplace(potential->grid, molecule->charges, how, *molecule->surfaces, progress);
    return found->values->at(*potential, places);
  };
}

/// `in_passing`: nobody asks for its energy, and spheres may stand in for a surface that is not known yet.
fields::MadeField PotentialSource::make(const grid::Grid& grid, bool in_passing,
                                        const jobs::Progress& progress) const {
  const auto start = std::chrono::steady_clock::now();
  grid::ScalarField field;
  std::string maker;
  std::optional<science::PolarSolvation> energy;
  const auto first = progress.part(0, where_.compare == science::Compared::nothing ? 1 : 0.3);
  auto how = how_;
  if (in_passing && how.surface == science::DielectricSurface::ses &&
      !is_quick(*molecule_, how.probe_angstrom))
    how.surface = science::DielectricSurface::vdw;
  if (science::is_poisson_boltzmann(how.method)) {
    auto found = molecule_->solvers->solve(molecule_->charges, grid, how, !in_passing, first);
    field = std::move(found.potential);
    maker = found.report.by();
    energy = found.energy;
  } else {
    auto found = science::potential_on(grid, molecule_->charges, how, first);
    field = std::move(found.values);
    maker = found.report.by();
    molecule_->costs->record(static_cast<int>(how_.method), grid.point_count(),
                             milliseconds_since(start) / 1000);
  }
  field = science::less_compared(std::move(field), molecule_->charges, how, where_.compare,
                                 molecule_->surfaces, progress.part(0.3, 1));
  auto made = made_map(std::move(field), name(), std::move(maker), start);
  made.method = method_text(*molecule_, how, where_.compare, grid);
  if (where_.compare == science::Compared::nothing)
    made.at_places = values_near_boundary(molecule_, made.field, how);
  if (energy) molecule_->solvers->remember(made.field, {*energy, how_});
  return made;
}

/// Where the surface is that of residues of which no charge is known.
std::shared_ptr<const fields::Blanks> blanks_of(const MoleculePointer& molecule) {
  const auto names = residues_without_charge(*molecule);
  if (names.empty()) return nullptr;
  constexpr std::size_t most_named = 3;
  const bool all_named = names.size() <= most_named;
  const std::string first =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + std::min(names.size(), most_named), ", "));
  fields::Blanks blanks;
  blanks.why = filled(localised("electrostatics", "Striped: residues without charge (%1)."),
                      {all_named ? first : fmt::format("{}: {} ...", names.size(), first)});
  blanks.at = [molecule](std::span<const float> places) {
    const auto atoms = molecule->nearest.at(places);
    std::vector<bool> blank(atoms.size());
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      if (atoms[i] == science::NearestAtoms::none) continue;
      const auto residue = molecule->residues.of_atom[static_cast<std::size_t>(atoms[i])];
      blank[i] = !molecule->residues.all[residue].has_parameters;
    }
    return blank;
  };
  return std::make_shared<const fields::Blanks>(std::move(blanks));
}

class SurfaceSource final : public fields::FieldSource {
 public:
  SurfaceSource(MoleculePointer molecule, const MapSurface& surface, const MapGrid& where)
      : molecule_(std::move(molecule)), surface_(surface), where_(where) {}

  std::string name() const override { return localised("electrostatics", "Molecular surface"); }
  const void* subject() const override { return molecule_.get(); }
  std::string key() const override {
    const bool rolls =
        surface_.form == science::MolecularSurface::ses || surface_.form == science::MolecularSurface::sas;
    return fmt::format("surface {} {}|{} {}", static_cast<int>(surface_.form),
                       rolls ? surface_.how.probe_angstrom : 0, where_.spacing_angstrom,
                       where_.margin_angstrom);
  }
  grid::Grid grid() const override { return grid_of(*molecule_, where_); }
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    return make(grid, surface_.form, progress);
  }
  fields::MadeField preview(const grid::Grid& grid, const jobs::Progress& progress) const override {
    auto form = surface_.form;
    if (form == science::MolecularSurface::ses && !is_quick(*molecule_, surface_.how.probe_angstrom))
      form = science::MolecularSurface::vdw;
    return make(grid, form, progress);
  }

 private:
  fields::MadeField make(const grid::Grid& grid, science::MolecularSurface form,
                         const jobs::Progress& progress) const {
    const auto start = std::chrono::steady_clock::now();
    auto found = science::molecular_surface(grid, molecule_->charges, form, surface_.how,
                                            *molecule_->surfaces, progress);
    auto made = made_map(std::move(found.field), name(), found.report.who.empty() ? "CPU" : found.report.by(),
                         start, found.isovalue);
    made.blanks = blanks_of(molecule_);
    return made;
  }

  const MoleculePointer molecule_;
  const MapSurface surface_;
  const MapGrid where_;
};

}  // namespace

grid::Grid grid_of_map(const structures::Box& box, const MapGrid& where) {
  const auto grid = science::grid_around(box, where.spacing_angstrom, where.margin_angstrom);
  dispatch::require_memory("The map", grid.point_count() * 2 * sizeof(float), "Choose a larger spacing.");
  return grid;
}

fields::MadeField made_map(grid::ScalarField field, std::string name, std::string maker,
                           std::chrono::steady_clock::time_point start, std::optional<double> surface_at) {
  field.name = std::move(name);
  fields::MadeField made;
  made.field = std::make_shared<const grid::ScalarField>(std::move(field));
  made.maker = std::move(maker);
  made.milliseconds = milliseconds_since(start);
  made.both_signs = !surface_at.has_value();
  made.surface_at = surface_at;
  return made;
}

std::vector<std::string> residues_without_charge(const ChargedMolecule& molecule) {
  std::vector<std::string> names;
  for (const auto& residue : molecule.residues.all) {
    if (!residue.has_parameters) names.push_back(residue.name);
  }
  return names;
}

std::size_t find_residue(const ChargedMolecule& molecule, const std::string& name) {
  const auto& all = molecule.residues.all;
  const auto found = std::ranges::find(all, name, &science::Residues::Residue::name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  throw Error(filled(localised("electrostatics", "There is no residue %1. Write names like %2."),
                     {isolume::quoted(name), all.front().name}));
}

std::shared_ptr<const ChargedMolecule> charged_molecule(const std::filesystem::path& path,
                                                        structures::Charges charges,
                                                        std::optional<structures::Preparation> preparation,
                                                        std::vector<structures::SecondaryRange> recorded) {
  auto molecule = std::make_shared<ChargedMolecule>();
  molecule->path = path;
  molecule->charges = std::move(charges);
  molecule->preparation = std::move(preparation);
  molecule->molecule = structures::molecule_of(molecule->charges, path.filename().string());
  molecule->shape = scene::molecule_shape(molecule->molecule);
  molecule->residues = science::residues_of(molecule->charges);
  molecule->decisions = molecule->preparation
                            ? structures::decisions_of(*molecule->preparation, molecule->residues)
                            : structures::decisions_of(molecule->residues);
  const auto backbones = structures::backbones_of(molecule->charges, molecule->residues);
  molecule->secondary = recorded.empty()
                            ? structures::assigned_secondary(backbones)
                            : structures::recorded_secondary(molecule->charges, molecule->residues, recorded);
  molecule->recorded = std::move(recorded);
  molecule->ribbon = structures::ribbon_of(backbones, molecule->secondary);
  molecule->nearest = science::NearestAtoms(molecule->charges, science::reach_of_atoms);
  molecule->solvers = std::make_shared<Solvers>(molecule->surfaces);
  return molecule;
}

std::optional<SolvedEnergy> polar_solvation(const ChargedMolecule& molecule,
                                            const grid::ScalarField& potential) {
  return molecule.solvers ? molecule.solvers->energy_of(potential) : std::nullopt;
}

std::optional<double> polar_solvation_error(const ChargedMolecule& molecule,
                                            const grid::ScalarField& potential, const SolvedEnergy& energy,
                                            const jobs::Progress& progress) {
  const auto coarse = science::PoissonBoltzmann(molecule.charges, potential.grid, molecule.surfaces)
                          .energy_at_twice_the_spacing(energy.how, progress);
  if (!coarse) return std::nullopt;
  return std::abs(energy.solvation.kj_per_mol - *coarse);
}

std::shared_ptr<const fields::FieldSource> potential_source(MoleculePointer molecule,
                                                            const science::PotentialOptions& how,
                                                            const MapGrid& where) {
  return std::make_shared<const PotentialSource>(std::move(molecule), how, where);
}

std::shared_ptr<const fields::FieldSource> surface_source(MoleculePointer molecule, const MapSurface& surface,
                                                          const MapGrid& where) {
  return std::make_shared<const SurfaceSource>(std::move(molecule), surface, where);
}

}  // namespace isolume::labs::electrostatics
