#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "app/scene/surfaces/label_surface.h"
#include "app/slices/label_layer.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::labs::anatomy {

/// Labels over the slices, and their values in files by number of colour.
struct NumberedMap {
  std::shared_ptr<const slices::LabelMap> map;
  std::vector<std::int64_t> labels;
  std::optional<std::size_t> only = {};  ///< the number of a single label; nothing: all
  bool operator==(const NumberedMap&) const = default;
};
struct LabelSurfaceInputs {
  std::vector<NumberedMap> maps;
  grid::Grid grid;  ///< of all maps, in mm
  bool operator==(const LabelSurfaceInputs&) const = default;
};

/// Closed smooth surfaces around the voxels of labels, in mm, each with the volume of its voxels.
struct LabelSurfaces {
  std::vector<scene::LabelMesh> meshes;
  vtkSmartPointer<vtkPolyData> coloured;  ///< all of them, with a colour at each point; never null
};
std::shared_ptr<const LabelSurfaces> label_surfaces(const LabelSurfaceInputs& inputs,
                                                    const jobs::Progress& progress);

}  // namespace isolume::labs::anatomy
