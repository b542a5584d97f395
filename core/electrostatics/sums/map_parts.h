#pragma once

#include <cstddef>
#include <functional>

#include "core/electrostatics/sums/grid_planes.h"
#include "core/electrostatics/sums/kept_parts.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Division of a map that does not fit into memory.
struct Parts {
  int planes = 0;  ///< per part, across the grid's first axis; the last part may have fewer
  int count = 0;
  std::size_t bytes = 0;  ///< for a part's values and what is needed to compute it
};
/// Chooses parts of at most this many bytes. They begin at multiples of `together` planes, for which `scratch_bytes`
/// are needed in addition. Throws ResourceError where the smallest part does not fit.
Parts parts_of_planes(const grid::Grid& grid, int together, std::size_t scratch_bytes, std::size_t bytes);

/// Calls `compute(planes, values, progress)` for each part in turn, with a buffer for its values only, and `use` with
/// the field on its planes. Parts in `kept` are not computed again, and computed ones are added to it. Throws
/// ResourceError, and what the callbacks throw.
void compute_parts(const grid::Grid& grid, const Parts& parts,
                   const std::function<grid::ScalarField(const grid::Grid&)>& empty_field,
                   const std::function<void(const GridPlanes&, float*, const jobs::Progress&)>& compute,
                   const std::function<void(const grid::ScalarField&, const jobs::Progress&)>& use,
                   const jobs::Progress& progress, KeptParts* kept = nullptr);

}  // namespace isolume::electrostatics
