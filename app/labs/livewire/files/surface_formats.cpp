#include <fmt/format.h>

#include "app/labs/livewire/files/contour_formats.h"
#include "app/labs/livewire/views/label_surface.h"
#include "core/base/error.h"
#include "core/contours/measures.h"

namespace isolume::labs::livewire {
namespace {

void write_surfaces(const Drawing& drawing, const std::filesystem::path& path, const Tell&,
                    const jobs::Progress& progress) {
  const images::Geometry& geometry = drawing.image->volume.geometry;
  if (!geometry.has_thickness) {
    throw Error(fmt::format(
        "{}: the image is one slice of unknown thickness, which has no surface. Write .svg.", path.string()));
  }
  if (!geometry.has_one_scale()) {
    throw Error(fmt::format(
        "{}: the image's ultrasound regions have different scales, so there is no surface. Write .csv.",
        path.string()));
  }
  if (const std::size_t outside = contours::contours_without_scale(drawing.set, geometry); outside > 0) {
    throw Error(fmt::format("{}: {} contours do not lie within one ultrasound region. Delete them first.",
                            path.string(), outside));
  }
  export_surfaces(surfaces_of(drawing.set, geometry, progress), path);
}

}  // namespace

std::vector<ContourFormat> surface_formats() {
  return {{.suffix = ".stl", .areas_alone = true, .holds_positions = true, .write = write_surfaces},
          {.suffix = ".ply", .areas_alone = true, .holds_positions = true, .write = write_surfaces},
          {.suffix = ".vtp", .areas_alone = true, .holds_positions = true, .write = write_surfaces}};
}

}  // namespace isolume::labs::livewire
