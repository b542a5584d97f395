#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/labs/anatomy/brush.h"
#include "app/slices/label_layer.h"
#include "core/anatomy/alignment.h"
#include "core/anatomy/labels.h"
#include "core/regions/regions.h"

namespace isolume::labs::anatomy {

/// What a round brush covers of one slice.
struct Stroke {
  bool is_seed = true;  ///< false: it changes labels that were found
  int label = 1;        ///< 0: the background
  double radius_mm = 3;
  int axis = 2;                               ///< of the grid, across the slice
  std::vector<Eigen::Vector3d> positions_mm;  ///< at least one
  bool operator==(const Stroke&) const = default;
};
using Strokes = std::vector<Stroke>;
nlohmann::json json_of(const Strokes& strokes);
/// Throws Error, and JSON's exceptions.
Strokes strokes_of(const nlohmann::json& json);
/// Sets the voxels of a slice with centres within the radius of the stroke, and those that its points lie in. Points
/// outside of the grid set none.
void draw(const Stroke& stroke, const grid::Grid& grid, regions::Label value,
          std::vector<regions::Label>& voxels);

/// The cut of an image so far, which another stroke continues.
struct CutSoFar {
  std::mutex mutex;
  std::shared_ptr<const isolume::anatomy::Pair> pair;
  double edge = 0;
  std::optional<regions::GraphCut> cut;
};

struct RegionInputs {
  std::shared_ptr<const isolume::anatomy::Pair> pair;  ///< its fixed image is divided
  std::shared_ptr<const Strokes> strokes;              ///< one at least
  regions::RegionParameters parameters;
  bool operator==(const RegionInputs&) const = default;
};
struct PaintedRegions {
  std::shared_ptr<const slices::LabelMap> map;  ///< without the background
  /// Of the watershed until seeds join them; null otherwise.
  std::shared_ptr<const slices::LabelMap> basins;
  isolume::anatomy::Labels labels;
  std::vector<isolume::anatomy::LabelVolume> volumes;
  std::string text;  ///< how they were found, or what is missing
  nlohmann::ordered_json report;
};
/// Seeds alone, and basins, where the method needs seeds of two regions, and there are such of one. Throws as regions::find_regions.
std::shared_ptr<const PaintedRegions> paint_regions(const RegionInputs& inputs, CutSoFar& so_far,
                                                    const jobs::Progress& progress);
/// 0xffRRGGBB of a label above 0.
std::uint32_t colour_of_label(int label);

}  // namespace isolume::labs::anatomy
