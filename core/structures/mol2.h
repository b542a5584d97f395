#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// A line of the record @<TRIPOS>ATOM: atom_id atom_name x y z atom_type subst_id subst_name charge.
struct Mol2Atom {
  std::string_view name, type;
  std::string_view residue;  ///< without the number that programs put behind it: "TES" of "TES1"
  int number = 0;            ///< of the residue
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  double charge = 0;
};

/// Calls take(atom) with the reader at each atom's line of the next molecule (@<TRIPOS>MOLECULE); true where there are
/// more. `within`: the reader has come to it already, as it has when this returned true. Throws InputError, also where the file says NO_CHARGES.
bool for_each_mol2_atom(molecules::LineReader& file, const std::function<void(const Mol2Atom&)>& take,
                        std::optional<Eigen::Matrix3d>* cell = nullptr, bool within = false);

/// Reads the charges of a Tripos mol2 file, plain or gzipped: of the first molecule, radii of the elements; lone pairs and
/// dummies (LP, Du) have none. A record CRYSIN says the cell. Throws InputError with the line's number, ResourceError,
/// Cancelled.
Charges read_mol2(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// The same of all its molecules.
std::vector<Charges> read_mol2_molecules(const std::filesystem::path& path,
                                         const jobs::Progress& progress = {});

}  // namespace isolume::structures
