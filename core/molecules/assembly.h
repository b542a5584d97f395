#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Geometry>

#include "core/base/remarks.h"
#include "core/molecules/cif_category.h"

namespace isolume::molecules {

/// Chains, and the transformations that make copies of them; coordinates in angstrom.
struct AssemblyPart {
  std::vector<std::string> chains;
  std::vector<Eigen::Affine3d> operators;
};

/// A biological assembly: the functional molecule in the crystal, as determined by authors or programs.
struct Assembly {
  std::string name;  ///< "1", "PAU"
  std::vector<AssemblyPart> parts;
};

/// The assemblies defined in a file.
struct Assemblies {
  std::vector<Assembly> all;
  /// Chains are identified by label_asym_id rather than by the authors' names.
  bool by_part = false;
};

/// Gathers REMARK 350 of a PDB file, line by line: https://www.wwpdb.org/documentation/file-format-content/format33/remarks1.html.
class PdbAssemblies {
 public:
  /// Takes a line that begins with REMARK 350.
  void take(std::string_view line);
  /// None, with a remark, if one of their lines could not be read.
  Assemblies found(Remarks& remarks) const;

 private:
  Assemblies found_;  ///< one for each block, whose name lists those that it defines: "1, 2"
  Eigen::Matrix<double, 3, 4> rows_ = Eigen::Matrix<double, 3, 4>::Zero();
  bool is_damaged_ = false;
};

/// Gathers the categories pdbx_struct_assembly_gen and pdbx_struct_oper_list of an mmCIF file.
class MmcifAssemblies {
 public:
  bool take(const CifToken& tag, CifTokens& tokens);
  bool take_loop(const std::vector<std::string>& tags, CifTokens& tokens);
  /// None, with a remark, if one of them cannot be built.
  Assemblies found(Remarks& remarks) const;

 private:
  CifCategory parts_{"_pdbx_struct_assembly_gen_"}, operators_{"_pdbx_struct_oper_list_"};
};

/// The operators of an mmCIF expression, in order: "1,2", "(1-60)", and products: "(X0)(1-5)" applies each of 1 to 5
/// and then X0. Each is a list of identifiers whose matrices are multiplied. Nothing for an invalid expression, or
/// one with more than 100,000 operators.
std::vector<std::vector<std::string>> operators_of(std::string_view expression);

}  // namespace isolume::molecules
