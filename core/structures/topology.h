#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/jobs/progress.h"

namespace isolume::structures {

/// An atom of GROMACS's [ atoms ], its charge in e.
struct TopologyAtom {
  std::string name, residue;
  double charge = 0;
  bool is_massless = false;  ///< a place without an atom, as TIP4P has one
};
using TopologyMolecule = std::vector<TopologyAtom>;

/// The molecules of a topology of GROMACS (TOP, ITP).
struct Topology {
  std::vector<std::pair<std::string, TopologyMolecule>> kinds;  ///< by name, in the order of the file
  std::vector<std::pair<std::string, std::size_t>> molecules;   ///< names and counts; empty in an ITP file

  const TopologyMolecule* find(const std::string& name) const;
};

/// Reads [ moleculetype ], [ atoms ] and [ molecules ], and what #include names where it lies beside the file; of #ifdef what
/// holds where only the file's own #define counts. A molecule that is asked for, but stands in a file that is not beside it,
/// is an error that names the line of #include. Throws InputError with the line's number, ResourceError, Cancelled.
Topology read_topology(const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
