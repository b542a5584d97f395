#pragma once

#include <cstdint>
#include <vector>

#include "core/structures/secondary_structure.h"

namespace isolume::structures {

/// Cartoon representation of chains: triangles, counter-clockwise seen from outside.
struct Ribbon {
  std::vector<float> points;             ///< three coordinates each, in angstrom
  std::vector<float> normals;            ///< unit vectors, one per point
  std::vector<std::uint32_t> residues;   ///< residue of each point
  std::vector<std::uint32_t> triangles;  ///< three points each
  std::vector<bool> shown;               ///< for each residue, whether it is part of the ribbon
};

/// Splines through the alpha carbons, in the peptide planes: bands for helices, arrows towards the C-terminus for
/// strands, tubes for everything else and through the phosphorus of nucleotides. Strands run through the means of
/// neighbours. The ribbon is interrupted at chain breaks; isolated residues and those without alpha carbon or
/// phosphorus are left out. `secondary`: for each residue, like `backbones`.
Ribbon ribbon_of(const std::vector<Backbone>& backbones, const std::vector<Secondary>& secondary);

}  // namespace isolume::structures
