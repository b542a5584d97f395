#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/images/readers.h"

namespace isolume::images {

namespace fs = std::filesystem;

void require_sizes(const fs::path& file, const std::vector<std::uint64_t>& sizes) {
  double voxels = 1;
  for (const std::uint64_t size : sizes) {
    voxels *= static_cast<double>(size);
    // 2^48 numbers of 8 bytes exceed any machine's memory, and leave room for sums of offsets.
    if (size < 1 || size > std::numeric_limits<int>::max() || voxels > 0x1p48) {
      throw InputError(file, 0, fmt::format("no image has {} voxels", fmt::join(sizes, " x ")),
                       "The file is damaged: copy or export it again.");
    }
  }
}

double positive_spacing(const fs::path& file, double spacing_mm) {
  if (spacing_mm > 0 && std::isfinite(spacing_mm)) return spacing_mm;
  throw InputError(file, 0, fmt::format("a spacing of {} mm does not define a grid", spacing_mm),
                   "Export the image again.");
}

void require_grid(const fs::path& file, const Geometry& geometry) {
  const bool sensible = geometry.origin.allFinite() && geometry.step.allFinite() &&
                        std::abs(geometry.directions().determinant()) > 1e-3;
  if (!sensible) {
    throw InputError(file, 0,
                     fmt::format("its spacing ({} mm), origin or directions do not define a grid",
                                 fmt::join(geometry.spacing(), " x ")),
                     "Export the image again.");
  }
}

std::pair<std::string, std::string> format_unequal_bytes(std::uint64_t one, std::uint64_t other) {
  const std::pair texts{format_bytes(one), format_bytes(other)};
  if (texts.first != texts.second) return texts;
  return {fmt::format("{} B", one), fmt::format("{} B", other)};
}

void require_plausible(const fs::path& file, std::uint64_t pixel_bytes, std::uint64_t best_packing) {
  const std::uintmax_t file_bytes = fs::file_size(file);
  if (pixel_bytes / best_packing <= file_bytes) return;
  const auto [promised, there] = format_unequal_bytes(pixel_bytes, file_bytes);
  throw InputError(
      file, 0,
      fmt::format("its header promises {} of pixels, which a file of {} cannot hold", promised, there),
      "Copy or export it again.");
}

void require_plausible_jpeg(const fs::path& file, std::uint64_t pixel_bytes) {
  constexpr std::uint64_t small = std::uint64_t{64} << 20;
  if (pixel_bytes > small) require_plausible(file, pixel_bytes, 10000);
}

}  // namespace isolume::images
