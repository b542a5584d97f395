#include "app/labs/electrostatics/picture/wavefunction_source.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "app/labs/electrostatics/picture/method_text.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/language.h"
#include "core/electrostatics/quantum/quantum_potential.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/gaussians/density_map.h"

namespace isolume::labs::electrostatics {

struct OpenWavefunction::Found {
  struct OfSet {
    PotentialPointer potential;
    DensityPointer density;
    std::map<science::ChargeKind, science::AtomicCharges> charges;
  };
  std::mutex mutex;  ///< held while something is found: who comes later wants the same
  std::map<int, OfSet> sets;
};

OpenWavefunction::OpenWavefunction(molecules::Document document)
    : document_(std::move(document)), found_(std::make_unique<Found>()) {
  if (!document_.wavefunction) {
    throw InputError(document_.path, 0, fmt::format("this {} file holds no orbitals", document_.format),
                     "Give a Molden, FCHK or WFX file of the calculation.");
  }
}

OpenWavefunction::~OpenWavefunction() = default;

const molecules::OrbitalSet& OpenWavefunction::set(int set) const {
  if (set < 1 || set > set_count())
    throw Error(filled(localised("electrostatics", "There is no set %1 of orbitals. Give one from 1 to %2."),
                       {std::to_string(set), std::to_string(set_count())}));
  return document_.wavefunction->sets[static_cast<std::size_t>(set - 1)];
}

OpenWavefunction::PotentialPointer OpenWavefunction::potential(int set, int threads,
                                                               const jobs::Progress& progress) const {
  const std::scoped_lock lock(found_->mutex);
  progress.check();
  auto& kept = found_->sets[set].potential;
  if (!kept) {
    kept = std::make_shared<const gaussians::WavefunctionPotential>(science::expand(
        *document_.wavefunction, this->set(set), {.compute = {.threads = threads}}, progress));
  }
  return kept;
}

OpenWavefunction::DensityPointer OpenWavefunction::density(int set, const jobs::Progress& progress) const {
  constexpr double tolerance = gaussians::WavefunctionPotential::usual_tolerance;
  const std::scoped_lock lock(found_->mutex);
  progress.check();
  auto& kept = found_->sets[set].density;
  if (!kept) {
    kept = std::make_shared<const gaussians::HermiteDensity>(
        gaussians::electron_density(*document_.wavefunction, this->set(set), tolerance, progress));
  }
  return kept;
}

science::AtomicCharges OpenWavefunction::charges(int set, science::ChargeKind kind, int threads,
                                                 const jobs::Progress& progress) const {
  PotentialPointer source;
  if (kind == science::ChargeKind::esp) source = potential(set, threads, progress.part(0, 0.3));
  const std::scoped_lock lock(found_->mutex);
  progress.check();
  auto& kept = found_->sets[set].charges;
  const auto known = kept.find(kind);
  if (known != kept.end()) return known->second;
  auto found = science::atomic_charges(*document_.wavefunction, this->set(set), source.get(), kind,
                                       science::usual_shell_density, threads, progress.part(0.3, 1));
  return kept.emplace(kind, std::move(found)).first->second;
}

std::vector<science::WavefunctionAtom> OpenWavefunction::atoms(int set, const science::PotentialOptions& how,
                                                               const jobs::Progress& progress) const {
  using science::ChargeKind;
  const auto found = [&](ChargeKind kind, double from, double to) {
    return charges(set, kind, how.threads, progress.part(from, to));
  };
  const auto fitted = found(ChargeKind::esp, 0, 0.7);
  return science::wavefunction_atoms(
      document_.wavefunction->molecule, *potential(set, how.threads, progress.part(0.7, 0.8)),
      found(ChargeKind::mulliken, 0.8, 0.85), found(ChargeKind::loewdin, 0.85, 0.9), fitted,
      science::quantum_options(how), progress.part(0.9, 1));
}

std::shared_ptr<const ChargedMolecule> wavefunction_molecule(molecules::Document document,
                                                             const jobs::Progress& progress) {
  auto molecule = std::make_shared<ChargedMolecule>();
  molecule->path = document.path;
  molecule->molecule = document.molecule;
  molecule->shape = scene::molecule_shape(molecule->molecule);
  const auto open = std::make_shared<const OpenWavefunction>(std::move(document));
  const auto mulliken = open->charges(1, science::ChargeKind::mulliken, 0, progress);
  molecule->charges = science::charges_at_atoms(open->document().wavefunction->molecule, mulliken.charges);
  molecule->residues = science::residues_of(molecule->charges);
  for (auto& residue : molecule->residues.all) residue.has_parameters = true;  // those may be 0
  molecule->nearest = science::NearestAtoms(molecule->charges, science::reach_of_atoms);
  molecule->wavefunction = open;
  return molecule;
}

std::string why_meaningless(const ChargedMolecule& molecule, std::string_view key) {
  constexpr std::array<std::string_view, 6> kept{"unit",   "temperature", "engine",
                                                 "kernel", "devices",     "threads"};
  if (!molecule.wavefunction) {
    if (!wavefunction_schema().has(key) && key != "density-isovalue") return {};
    return localised("electrostatics", "This applies to wavefunctions; the file holds charges.");
  }
  const bool of_charges =
      science::potential_schema().has(key) && key != "probe" && std::ranges::find(kept, key) == kept.end();
  if (!of_charges && key != "compare" && key != "ions") return {};
  return localised("electrostatics",
                   "This does not apply to a wavefunction: its potential is that of nuclei and electrons, or "
                   "of derived point charges, in vacuum.");
}

namespace {

using WavefunctionMolecule = std::shared_ptr<const ChargedMolecule>;

/// Nothing for that of the wavefunction itself.
std::optional<science::ChargeKind> kind_of(PotentialOf of) {
  switch (of) {
    case PotentialOf::esp:
      return science::ChargeKind::esp;
    case PotentialOf::mulliken:
      return science::ChargeKind::mulliken;
    case PotentialOf::loewdin:
      return science::ChargeKind::loewdin;
    default:
      return std::nullopt;
  }
}

/// Nothing where no difference is wanted.
std::optional<PotentialOf> subtracted(DifferenceTo difference_to) {
  if (difference_to == DifferenceTo::nothing || difference_to == DifferenceTo::map) return std::nullopt;
  return static_cast<PotentialOf>(static_cast<int>(difference_to) - 1);
}

std::string name_of(PotentialOf of) {
  switch (of) {
    case PotentialOf::esp:
      return localised("electrostatics", "Potential of fitted charges");
    case PotentialOf::mulliken:
      return localised("electrostatics", "Potential of Mulliken charges");
    case PotentialOf::loewdin:
      return localised("electrostatics", "Potential of Löwdin charges");
    default:
      return localised("electrostatics", "Potential of the wavefunction");
  }
}

class WavefunctionSource final : public fields::FieldSource {
 public:
  WavefunctionSource(WavefunctionMolecule molecule, const WavefunctionChoices& choices,
                     const science::PotentialOptions& how, const MapGrid& where)
      : molecule_(std::move(molecule)), choices_(choices), where_(where) {
    how_.unit = how.unit;
    how_.temperature_kelvin = how.temperature_kelvin;
    static_cast<dispatch::ComputeOptions&>(how_) = how;
    how_.engines = how.engines;
    how_.quantum_engines = how.quantum_engines;
  }

  std::string name() const override {
    return !subtracted(choices_.difference_to) ? name_of(choices_.of)
                                               : localised("electrostatics", "Difference");
  }
  const void* subject() const override { return molecule_.get(); }
  std::string key() const override {
    return fmt::format("wavefunction {} {} {}|{} {}|{} {}|{}|{}|{}", static_cast<int>(choices_.of),
                       static_cast<int>(choices_.difference_to), choices_.set, where_.spacing_angstrom,
                       where_.margin_angstrom, static_cast<int>(how_.unit), how_.temperature_kelvin,
                       how_.engine, how_.kernel, how_.devices);
  }
  grid::Grid grid() const override { return grid_of_map(structures::box_of(molecule_->charges), where_); }
  double points_within(double seconds) const override {
    const bool exact =
        choices_.of == PotentialOf::wavefunction || choices_.difference_to == DifferenceTo::wavefunction;
    const double a_point = exact ? molecule_->costs->of(exact_integrals, 0) : 0;
    return a_point > 0 ? seconds / a_point : std::numeric_limits<double>::infinity();
  }
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    const auto start = std::chrono::steady_clock::now();
    const auto other = subtracted(choices_.difference_to);
    auto found = potential_of(choices_.of, grid, progress.part(0, other ? 0.5 : 1));
    if (other) {
      const auto less = potential_of(*other, grid, progress.part(0.5, 1));
      std::ranges::transform(found.values.values.host(), less.values.values.host(),
                             found.values.values.host().begin(), std::minus<>());
      if (choices_.of != PotentialOf::wavefunction) found.report = less.report;
    }
    auto made = made_map(std::move(found.values), name(), found.report.by(), start);
    made.method = method(grid);
    return made;
  }

 private:
  /// The name says of what the potential is; that of a difference does not.
  std::string method(const grid::Grid& grid) const {
    std::string said = localised("electrostatics", "In vacuum") + ", " + spacing_text(grid);
    if (how_.unit == science::PotentialUnit::kt_per_e)
      said += fmt::format(", {:g} K", how_.temperature_kelvin);
    const auto other = subtracted(choices_.difference_to);
    if (!other) return said;
    return filled(localised("electrostatics", "%1 minus %2"), {name_of(choices_.of), name_of(*other)}) +
           ". " + said;
  }
  science::Potential<grid::ScalarField> potential_of(PotentialOf of, const grid::Grid& grid,
                                                     const jobs::Progress& progress) const {
    const auto& wavefunction = *molecule_->wavefunction;
    const auto finding = progress.part(0, 0.3), summing = progress.part(0.3, 1);
    if (const auto kind = kind_of(of)) {
      const auto found = wavefunction.charges(choices_.set, *kind, how_.threads, finding);
      return science::potential_on(
          grid, science::charges_at_atoms(wavefunction.document().wavefunction->molecule, found.charges),
          how_, summing);
    }
    const auto source = wavefunction.potential(choices_.set, how_.threads, finding);
    const auto start = std::chrono::steady_clock::now();
    auto found = science::quantum_potential_on(grid, *source, science::quantum_options(how_), summing);
    molecule_->costs->record(exact_integrals, grid.point_count(), milliseconds_since(start) / 1000);
    return found;
  }

  static constexpr int exact_integrals = -1;  ///< among the costs of a point
  const WavefunctionMolecule molecule_;
  const WavefunctionChoices choices_;
  science::PotentialOptions how_;  ///< of sums in vacuum
  const MapGrid where_;
};

class DensitySurfaceSource final : public fields::FieldSource {
 public:
  DensitySurfaceSource(WavefunctionMolecule molecule, int set, double isovalue, const MapGrid& where)
      : molecule_(std::move(molecule)), set_(set), isovalue_(isovalue), where_(where) {}

  std::string name() const override { return localised("electrostatics", "Density of electrons"); }
  const void* subject() const override { return molecule_.get(); }
  std::string key() const override {
    return fmt::format("density {} {}|{} {}", set_, isovalue_, where_.spacing_angstrom,
                       where_.margin_angstrom);
  }
  grid::Grid grid() const override { return grid_of_map(structures::box_of(molecule_->charges), where_); }
  fields::MadeField compute(const grid::Grid& grid, const jobs::Progress& progress) const override {
    const auto start = std::chrono::steady_clock::now();
    const auto density = molecule_->wavefunction->density(set_, progress.part(0, 0.3));
    // A thousandth of the density would move the surface by less than any picture shows.
    auto field = gaussians::density_map(*density, grid, 1e-3 * isovalue_, progress.part(0.3, 1));
    return made_map(std::move(field), name(), "CPU", start, isovalue_);
  }

 private:
  const WavefunctionMolecule molecule_;
  const int set_;
  const double isovalue_;
  const MapGrid where_;
};

}  // namespace

std::shared_ptr<const fields::FieldSource> wavefunction_source(WavefunctionMolecule molecule,
                                                               const WavefunctionChoices& choices,
                                                               const science::PotentialOptions& how,
                                                               const MapGrid& where) {
  return std::make_shared<const WavefunctionSource>(std::move(molecule), choices, how, where);
}

std::shared_ptr<const fields::FieldSource> density_surface_source(WavefunctionMolecule molecule, int set,
                                                                  double isovalue, const MapGrid& where) {
  return std::make_shared<const DensitySurfaceSource>(std::move(molecule), set, isovalue, where);
}

}  // namespace isolume::labs::electrostatics
