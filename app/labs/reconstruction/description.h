#pragma once

#include "core/commands/lab_description.h"
#include "core/parameters/schema.h"

namespace isolume::labs::reconstruction {

LabDescription description();

enum class Shown { attenuation, difference, phantom };
enum class DataView { projections, sinogram };

/// What the views show.
struct ViewParameters {
  int size = 128;  ///< voxels of the volume along x and y
  Shown shown = Shown::attenuation;
  DataView data = DataView::projections;

  bool operator==(const ViewParameters&) const = default;
};
const parameters::Schema<ViewParameters>& view_schema();

}  // namespace isolume::labs::reconstruction
