#include "core/electrostatics/map_parts.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/lattice/point_number.h"

namespace isolume::electrostatics {

Parts parts_of_planes(const lattice::Lattice& lattice, int together, std::size_t scratch_bytes,
                      std::size_t bytes) {
  const int n = lattice.dimensions[0];
  const std::size_t points = static_cast<std::size_t>(lattice.dimensions[1]) *
                             static_cast<std::size_t>(lattice.dimensions[2]),
                    block = static_cast<std::size_t>(std::min(together, n));
  // Overflow means more than any memory.
  const std::size_t of_block =
      points > SIZE_MAX / (block * sizeof(float)) ? SIZE_MAX : points * block * sizeof(float);
  const std::size_t least = of_block > SIZE_MAX - scratch_bytes ? SIZE_MAX : of_block + scratch_bytes;
  if (least > bytes) {
    throw ResourceError(
        fmt::format("The least part of a map of {:.4g} points", lattice::point_number(lattice)), least, bytes,
        "Take a larger spacing or more memory.");
  }
  const std::size_t blocks = (bytes - scratch_bytes) / of_block;
  const auto planes = static_cast<int>(std::min(blocks * block, static_cast<std::size_t>(n)));
  return {.planes = planes,
          .count = (n + planes - 1) / planes,
          .bytes = points * static_cast<std::size_t>(planes) * sizeof(float) + scratch_bytes};
}

void compute_parts(const lattice::Lattice& lattice, const Parts& parts,
                   const std::function<lattice::ScalarField(const lattice::Lattice&)>& empty_field,
                   const std::function<void(const LatticePlanes&, float*, const jobs::Progress&)>& compute,
                   const std::function<void(const lattice::ScalarField&, const jobs::Progress&)>& use,
                   const jobs::Progress& progress) {
  dispatch::require_memory(fmt::format("A part of {} planes of the map", parts.planes), parts.bytes,
                           "Take a larger spacing or less memory for the map.");
  for (int i = 0; i < parts.count; ++i) {
    const int first = i * parts.planes;
    const LatticePlanes planes{first, std::min(first + parts.planes, lattice.dimensions[0])};
    const auto part = progress.part(static_cast<double>(i) / parts.count, (i + 1.0) / parts.count);
    auto field = empty_field(lattice_of_planes(lattice, planes));
    compute(planes, field.values.data(), part.part(0, 0.8));
    use(field, part.part(0.8, 1));
  }
}

}  // namespace isolume::electrostatics
