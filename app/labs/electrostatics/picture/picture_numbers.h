#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "app/labs/electrostatics/picture/picture_request.h"
#include "core/electrostatics/potential/difference_numbers.h"

namespace isolume::labs::electrostatics {

/// Of a picture of a difference, in its unit: all points of the map, and the vertices of the molecular surface that have
/// colours.
struct PictureDifference {
  std::string unit;
  science::DifferenceNumbers map;
  std::optional<science::DifferenceNumbers> surface;
};

/// Whether the request is for the difference of two maps.
bool is_difference(const PictureRequest& request);
/// Throws Cancelled.
PictureDifference picture_difference(const scene::FieldPicture& picture, const jobs::Progress& progress = {});
/// unit; map and surface (null where none is coloured): count, rms, mean, largest.
nlohmann::ordered_json to_json(const PictureDifference& difference);

}  // namespace isolume::labs::electrostatics
