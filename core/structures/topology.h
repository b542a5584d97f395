#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"

namespace isolume::structures {

/// An atom of GROMACS's [ atoms ], its charge in e.
struct TopologyAtom {
  std::string name, residue;
  double charge = 0;
  bool is_massless = false;  ///< a virtual site, as in TIP4P
};
using TopologyMolecule = std::vector<TopologyAtom>;

/// The molecules of a GROMACS topology (TOP, ITP).
struct Topology {
  std::vector<std::pair<std::string, TopologyMolecule>> kinds;  ///< by name, in the order of the file
  std::vector<std::pair<std::string, std::size_t>> molecules;   ///< names and counts; empty in an ITP file
  std::vector<std::filesystem::path> files;                     ///< all that were read
  Remarks remarks;

  const TopologyMolecule* find(const std::string& name) const;
};

/// Reads [ moleculetype ], [ atoms ] and [ molecules ], and files named in #include if they exist next to the file;
/// #ifdef is evaluated with the file's own #define only, and a remark names macros whose lines of atoms or molecules are
/// left out therefore. A molecule that is used but defined in a file that does not
/// exist there causes an error that names the line of #include. Throws InputError with the line number,
/// ResourceError, Cancelled.
Topology read_topology(const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
