#include "app/labs/livewire/views/label_surface.h"

#include <utility>

#include "app/scene/surfaces/label_surface.h"
#include "core/contours/label_map.h"

namespace isolume::labs::livewire {

std::vector<LabelSurface> surfaces_of(const contours::ContourSet& set, const images::Geometry& geometry,
                                      const jobs::Progress& progress) {
  std::vector<LabelSurface> surfaces;
  const auto count = static_cast<double>(set.labels().size());
  for (std::size_t i = 0; i < set.labels().size(); ++i) {
    const auto& label = set.labels()[i];
    const auto part = progress.part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
    const auto mask = contours::mask_of_label(set, label.value, geometry, part.part(0, 0.1));
    auto mesh = scene::surface_of_label(mask, geometry, part.part(0.1, 1));
    if (mesh->GetNumberOfPolys() > 0) surfaces.push_back({label, std::move(mesh)});
  }
  progress.report(1, "surface");
  return surfaces;
}

void export_surfaces(const std::vector<LabelSurface>& surfaces, const std::filesystem::path& path) {
  std::vector<scene::LabelMesh> meshes;
  for (const auto& [label, mesh] : surfaces) meshes.push_back({label.value, mesh});
  scene::write_label_meshes(meshes, path);
}

}  // namespace isolume::labs::livewire
