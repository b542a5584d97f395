#pragma once

#include <memory>
#include <string>

#include "app/stage/scene.h"

namespace isolume::stage {

struct LobesPlot {
  std::string title;
  std::string file;           ///< of the shipped samples: "samples/benzene.fchk.gz"
  std::string superposition;  ///< ORBITAL:WEIGHT,...
  double isovalue = 0.03;     ///< bohr^-3/2
};

/// A time-dependent superposition of a molecule's orbitals: Re sum_i c_i exp(-i E_i t) phi_i. Throws Error if
/// the file cannot be read, or lacks these orbitals.
std::unique_ptr<Scene> make_lobes_scene(const LobesPlot& plot);

}  // namespace isolume::stage
