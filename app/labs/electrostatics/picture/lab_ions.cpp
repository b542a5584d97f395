#include "app/labs/electrostatics/picture/lab_ions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suffix.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/structures/molecule_of.h"
#include "core/structures/pdb.h"

namespace isolume::labs::electrostatics {
namespace {

struct KnownIon {
  const char* name;
  double charge;
};

KnownIon known(IonKind kind, double solute_charge) {
  constexpr std::array<KnownIon, 7> all{
      {{"", 0}, {"NA", 1}, {"K", 1}, {"MG", 2}, {"CA", 2}, {"ZN", 2}, {"CL", -1}}};
  if (kind == IonKind::usual) return solute_charge > 0 ? all.back() : all[1];
  return all[static_cast<std::size_t>(kind)];
}
KnownIon known(Cation kind) {
  constexpr std::array<KnownIon, 4> all{{{"NA", 1}, {"K", 1}, {"MG", 2}, {"CA", 2}}};
  return all[static_cast<std::size_t>(kind)];
}
KnownIon known(Anion kind) {
  constexpr std::array<KnownIon, 4> all{{{"CL", -1}, {"BR", -1}, {"F", -1}, {"I", -1}}};
  return all[static_cast<std::size_t>(kind)];
}

struct AskedIons {
  std::vector<double> charges;
  std::vector<std::string> names;

  void add(const KnownIon& ion, std::size_t count = 1) {
    charges.insert(charges.end(), count, ion.charge);
    names.insert(names.end(), count, ion.name);
  }
};

AskedIons asked_for(const MapView& view, double solute_charge, const grid::Grid& grid) {
  const auto shown = view.ions;
  const auto ion = known(view.ion, solute_charge);
  AskedIons asked;
  if (shown == IonsShown::neutral || shown == IonsShown::neutral_salt)
    asked.add(ion, science::neutralising_ions(solute_charge, ion.charge).size());
  if (shown == IonsShown::counted) asked.add(ion, static_cast<std::size_t>(view.ion_count));
  if (shown == IonsShown::salt || shown == IonsShown::neutral_salt) {
    const auto cation = known(view.cation), anion = known(view.anion);
    const auto anions = static_cast<std::size_t>(std::lround(-cation.charge / anion.charge));
    for (std::size_t units = science::salt_units(view.ion_molar, grid); units > 0; --units) {
      asked.add(cation);
      asked.add(anion, anions);
    }
  }
  return asked;
}

science::PotentialOptions how_placed(science::PotentialOptions how) {
  if (science::is_poisson_boltzmann(how.method) || how.method == science::Method::pme)
    how.method = science::Method::debye_hueckel;
  return how;
}

/// In angstrom; an ion's place need not be finer.
double spacing_of_places(const MapGrid& where) {
  return std::max(1.0, where.spacing_angstrom);
}

structures::Charges charges_of_ions(const PlacedIons& ions, structures::Charges before) {
  return science::with_ions(std::move(before), ions.all, ions.names);
}

}  // namespace

std::string PlacedIons::counts() const {
  std::map<std::string, int> each;
  for (const auto& name : names) ++each[name];
  std::vector<std::string> texts;
  for (const auto& [name, count] : each) texts.push_back(fmt::format("{} {}", count, name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

double PlacedIons::charge() const {
  double sum = 0;
  for (const auto& ion : all) sum += ion.charge;
  return sum;
}

std::string asked_ions(const PictureRequest& request) {
  const auto& view = request.view;
  return fmt::format("{} {} {} {} {} {}|{} {}|{}", static_cast<int>(view.ions), static_cast<int>(view.ion),
                     view.ion_count, view.ion_molar, static_cast<int>(view.cation),
                     static_cast<int>(view.anion), spacing_of_places(request.where),
                     request.where.margin_angstrom, science::relevant_text(how_placed(request.how)));
}

std::shared_ptr<const PlacedIons> placed_ions(const PictureRequest& request, const jobs::Progress& progress) {
  const auto& charges = request.molecule->charges;
  const auto how = how_placed(request.how);
  const auto grid =
      science::grid_around(charges, spacing_of_places(request.where), request.where.margin_angstrom);
  auto asked = asked_for(request.view, structures::total_charge(charges), grid);
  auto ions = std::make_shared<PlacedIons>();
  if (asked.charges.empty()) return ions;
  ions->all = science::place_ions(grid, charges, asked.charges, how, {}, progress);
  ions->names = std::move(asked.names);
  return ions;
}

void write_ions(const PlacedIons& ions, const ChargedMolecule* with, const std::filesystem::path& path,
                const jobs::Progress& progress) {
  if (suffix_of(path) != ".pdb") {
    throw Error(
        fmt::format("{}: ions are written as a PDB file. Give a name that ends with .pdb.", path.string()));
  }
  structures::write_pdb(charges_of_ions(ions, with ? with->charges : structures::Charges()), {}, path,
                        progress);
}

molecules::Molecule molecule_of_ions(const PlacedIons& ions) {
  return structures::molecule_of(charges_of_ions(ions, {}), "ions");
}

}  // namespace isolume::labs::electrostatics
