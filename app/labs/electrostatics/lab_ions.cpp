#include "app/labs/electrostatics/lab_ions.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/electrostatics/lattice_around.h"
#include "core/structures/molecule_of.h"
#include "core/structures/pdb.h"

namespace isolume::labs::electrostatics {
namespace {

structures::Charges charges_of_ions(const PlacedIons& ions, structures::Charges before) {
  std::vector<std::string> names;
  for (const auto& ion : ions) names.emplace_back(science::usual_ion(ion.charge));
  return science::with_ions(std::move(before), ions, names);
}

}  // namespace

std::shared_ptr<const PlacedIons> place_counter_ions(const PictureRequest& request,
                                                     const jobs::Progress& progress) {
  constexpr double least_spacing = 1;  // angstrom; an ion's place need not be finer
  const auto& charges = request.molecule->charges;
  auto how = request.how;
  if (science::is_poisson_boltzmann(how.method) || how.method == science::Method::pme)
    how.method = science::Method::debye_hueckel;
  const auto lattice = science::lattice_around(
      charges, std::max(least_spacing, request.where.spacing_angstrom), request.where.margin_angstrom);
  const auto wanted = science::counter_ions(structures::total_charge(charges));
  if (wanted.empty()) return std::make_shared<const PlacedIons>();
  return std::make_shared<const PlacedIons>(science::place_ions(lattice, charges, wanted, how, {}, progress));
}

void write_ions(const PlacedIons& ions, const ChargedMolecule* with, const std::filesystem::path& path,
                const jobs::Progress& progress) {
  if (path.extension() != ".pdb") {
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
