#pragma once

#include <cstddef>
#include <functional>

#include "core/electrostatics/kept_parts.h"
#include "core/electrostatics/lattice_planes.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::electrostatics {

/// How a map that does not fit into memory is computed part after part.
struct Parts {
  int planes = 0;  ///< of a part, across the lattice's first axis; the last may have fewer
  int count = 0;
  std::size_t bytes = 0;  ///< of a part's values, and of what is needed to compute it
};
/// Parts of at most so many bytes. They begin at multiples of `together` planes, for as many of which at a time `scratch_bytes`
/// are needed besides. Throws ResourceError where the least part does not fit.
Parts parts_of_planes(const lattice::Lattice& lattice, int together, std::size_t scratch_bytes,
                      std::size_t bytes);

/// Calls `compute(planes, values, progress)` for one part after the other, which has room for its values alone, and `use` with
/// the field on its planes. Parts that `kept` has are not computed again, and it gets those that are. Throws ResourceError, and
/// what all of them do.
void compute_parts(const lattice::Lattice& lattice, const Parts& parts,
                   const std::function<lattice::ScalarField(const lattice::Lattice&)>& empty_field,
                   const std::function<void(const LatticePlanes&, float*, const jobs::Progress&)>& compute,
                   const std::function<void(const lattice::ScalarField&, const jobs::Progress&)>& use,
                   const jobs::Progress& progress, KeptParts* kept = nullptr);

}  // namespace isolume::electrostatics
