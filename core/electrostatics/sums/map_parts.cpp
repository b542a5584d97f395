#include "core/electrostatics/sums/map_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/grid/point_number.h"

namespace isolume::electrostatics {

Parts parts_of_planes(const grid::Grid& grid, int together, std::size_t scratch_bytes, std::size_t bytes) {
  const int n = grid.dimensions[0];
  const std::size_t points = static_cast<std::size_t>(grid.dimensions[1]) *
                             static_cast<std::size_t>(grid.dimensions[2]),
                    block = static_cast<std::size_t>(std::min(together, n));
  // Overflow means more than any available memory.
  const std::size_t of_block =
      points > SIZE_MAX / (block * sizeof(float)) ? SIZE_MAX : points * block * sizeof(float);
  const std::size_t least = of_block > SIZE_MAX - scratch_bytes ? SIZE_MAX : of_block + scratch_bytes;
  if (least > bytes) {
    throw ResourceError(fmt::format("The least part of a map of {:.4g} points", grid::point_number(grid)),
                        least, bytes, "Take a larger spacing or more memory.");
  }
  const std::size_t blocks = (bytes - scratch_bytes) / of_block;
  const auto planes = static_cast<int>(std::min(blocks * block, static_cast<std::size_t>(n)));
  return {.planes = planes,
          .count = (n + planes - 1) / planes,
          .bytes = points * static_cast<std::size_t>(planes) * sizeof(float) + scratch_bytes};
}

void compute_parts(const grid::Grid& grid, const Parts& parts,
                   const std::function<grid::ScalarField(const grid::Grid&)>& empty_field,
                   const std::function<void(const GridPlanes&, float*, const jobs::Progress&)>& compute,
                   const std::function<void(const grid::ScalarField&, const jobs::Progress&)>& use,
                   const jobs::Progress& progress, KeptParts* kept) {
  dispatch::require_memory(fmt::format("A part of {} planes of the map", parts.planes), parts.bytes,
                           "Take a larger spacing or less memory for the map.");
  const int all = grid.dimensions[0];
  const auto share = [&](const GridPlanes& planes) {
    return progress.part(static_cast<double>(planes.first) / all, static_cast<double>(planes.end) / all);
  };
  int first = 0;
  for (std::size_t i = 0; kept != nullptr && i < kept->parts().size(); ++i) {
    const KeptParts::Part& part = kept->parts()[i];
    const GridPlanes planes{first, first + part.planes};
    auto field = empty_field(grid_of_planes(grid, planes));
    kept->read(part, field.values.data());
    use(field, share(planes));
    first = planes.end;
  }
  while (first < all) {
    const GridPlanes planes{first, std::min(first + parts.planes, all)};
    const auto part = share(planes);
    auto field = empty_field(grid_of_planes(grid, planes));
    compute(planes, field.values.data(), part.part(0, 0.8));
    if (kept != nullptr) kept->add(planes.count(), field.values.data());
    use(field, part.part(0.8, 1));
    first = planes.end;
  }
}

}  // namespace isolume::electrostatics
