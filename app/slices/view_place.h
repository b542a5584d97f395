#pragma once

#include <optional>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "core/images/document.h"

namespace isolume::slices {

class LinkedSlices;
class SliceModel;

/// What a person looks at in linked slices, as sessions keep it.
struct ViewPlace {
  images::SliceId slice;
  Eigen::Vector3d cursor_mm = Eigen::Vector3d::Zero();
  std::optional<images::Window> window;  ///< nothing before there is an image
};
ViewPlace place_of(const SliceModel& model, LinkedSlices* views);
void go_to(const ViewPlace& place, SliceModel& model, LinkedSlices* views);

/// {"slice": {"axis", "index"}, "cursor_mm": [x, y, z], "window": {"centre", "width"}}
nlohmann::json to_json(const ViewPlace& place);
/// Throws Error or JSON's exceptions.
ViewPlace view_place_of(const nlohmann::json& json);

}  // namespace isolume::slices
