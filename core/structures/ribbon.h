#pragma once

#include <cstdint>
#include <vector>

#include "core/structures/secondary_structure.h"

namespace isolume::structures {

/// What shows how chains run: triangles, counter-clockwise seen from outside.
struct Ribbon {
  std::vector<float> points;             ///< three coordinates each, in angstrom
  std::vector<float> normals;            ///< of unit length, one a point
  std::vector<std::uint32_t> residues;   ///< which of them each point belongs to
  std::vector<std::uint32_t> triangles;  ///< three points each
  std::vector<bool> shown;               ///< of each residue, whether it is a part of it
};

/// Splines through the alpha carbons, in a plane with the peptides: bands for helices, arrows towards the end of the chain
/// for strands, tubes for all else and through the phosphorus of nucleotides. Strands run through the means of neighbours. Where
/// residues are not joined it is interrupted; those that are joined to none, or have no alpha carbon or
/// phosphorus, are left out. `secondary`: of each residue, as `backbones`.
Ribbon ribbon_of(const std::vector<Backbone>& backbones, const std::vector<Secondary>& secondary);

}  // namespace isolume::structures
