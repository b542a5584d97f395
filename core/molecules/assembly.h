#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include "core/base/remarks.h"
#include "core/molecules/cif_category.h"

namespace isolume::molecules {

/// Chains, and the motions that make copies of them; coordinates in angstrom.
struct AssemblyPart {
  std::vector<std::string> chains;
  std::vector<Eigen::Affine3d> operators;
};

/// A biological assembly: what a molecule of the crystal is in the cell, as authors or programs found.
struct Assembly {
  std::string name;  ///< "1", "PAU"
  std::vector<AssemblyPart> parts;
};

/// What a file says of its assemblies.
struct Assemblies {
  std::vector<Assembly> all;
  /// Chains are called as the entry counts them (label_asym_id), and not as authors call them.
  bool by_part = false;
};

/// Gathers REMARK 350 of a PDB file, line by line: https://www.wwpdb.org/documentation/file-format-content/format33/remarks1.html.
class PdbAssemblies {
 public:
  /// Takes a line that begins with REMARK 350.
  void take(std::string_view line);
  /// None, and a remark, where a line of them could not be read.
  Assemblies found(Remarks& remarks) const;

 private:
  Assemblies found_;
  Eigen::Matrix<double, 3, 4> rows_ = Eigen::Matrix<double, 3, 4>::Zero();
  bool is_damaged_ = false;
};

/// Gathers the categories pdbx_struct_assembly_gen and pdbx_struct_oper_list of an mmCIF file.
class MmcifAssemblies {
 public:
  bool take(const CifToken& tag, CifTokens& tokens);
  bool take_loop(const std::vector<std::string>& tags, CifTokens& tokens);
  /// None, and a remark, where one of them cannot be made.
  Assemblies found(Remarks& remarks) const;

 private:
  CifCategory parts_{"_pdbx_struct_assembly_gen_"}, operators_{"_pdbx_struct_oper_list_"};
};

/// The operators of an expression of mmCIF, in order: "1,2", "(1-60)", and products: "(X0)(1-5)" applies each of 1 to 5 and
/// then X0. Each as the identifiers whose matrices are multiplied. Nothing for what is no such expression, or makes more than
/// 100,000.
std::vector<std::vector<std::string>> operators_of(std::string_view expression);

}  // namespace isolume::molecules
