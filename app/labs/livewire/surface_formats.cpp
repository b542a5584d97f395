#include "app/labs/livewire/contour_formats.h"
#include "app/labs/livewire/label_surface.h"

namespace isolume::labs::livewire {
namespace {

void write_surfaces(const Drawing& drawing, const std::filesystem::path& path, const Tell&,
                    const jobs::Progress& progress) {
  export_surfaces(surfaces_of(drawing.set, drawing.image->volume.geometry, progress), path);
}

}  // namespace

std::vector<ContourFormat> surface_formats() {
  return {{.suffix = ".stl", .areas_alone = true, .write = write_surfaces},
          {.suffix = ".ply", .areas_alone = true, .write = write_surfaces},
          {.suffix = ".vtp", .areas_alone = true, .write = write_surfaces}};
}

}  // namespace isolume::labs::livewire
