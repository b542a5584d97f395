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
  std::string_view residue;  ///< without the number that programs append: "TES" of "TES1"
  int number = 0;            ///< of the residue
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  double charge = 0;
};

/// Calls take(atom) with the reader at each atom's line of the next molecule (@<TRIPOS>MOLECULE); returns whether
/// there are more. `within`: the reader has already reached it, which is the case after a previous return value of
/// true. Throws InputError, also where the file declares NO_CHARGES.
bool for_each_mol2_atom(molecules::LineReader& file, const std::function<void(const Mol2Atom&)>& take,
                        std::optional<Eigen::Matrix3d>* cell = nullptr, bool within = false);

/// Reads the charges of the first molecule of a Tripos mol2 file, plain or gzipped; radii are those of the elements,
/// and lone pairs and dummies (LP, Du) have none. A record CRYSIN gives the cell. Throws InputError with the line
/// number, ResourceError, Cancelled.
Charges read_mol2(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// The same for all its molecules.
std::vector<Charges> read_mol2_molecules(const std::filesystem::path& path,
                                         const jobs::Progress& progress = {});

}  // namespace isolume::structures
