#pragma once

#include "core/parameters/schema.h"

namespace isolume::labs::anatomy {

/// What the left button does in the large view.
enum class RegionTool { none, seeds, labels };
struct Brush {
  RegionTool tool = RegionTool::none;
  int label = 1;  ///< 0: the background
  double radius_mm = 3;
};
const parameters::Schema<Brush>& brush_schema();
inline constexpr int most_painted_labels = 250;

}  // namespace isolume::labs::anatomy
