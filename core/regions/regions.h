#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/parameters/schema.h"
#include "core/regions/graph_cut.h"
#include "core/regions/region_growing.h"
#include "core/regions/seeded_image.h"
#include "core/regions/watershed.h"

/// Regions of an image from a few voxels of each: seeds, which a person paints.
namespace isolume::regions {

enum class Method { graph_cut, random_walker, region_growing, watershed };

struct RegionParameters {
  Method method = Method::graph_cut;
  double edge = 1;            ///< sigma of links / root mean square difference of neighbours
  double likelihood = 0.1;    ///< weight of the seeds' values, of the graph cut
  double tolerance = 2.5;     ///< standard deviations, of region growing
  double basin_sigma_mm = 1;  ///< of the Gaussian before the watershed's gradient

  bool operator==(const RegionParameters&) const = default;
};
const parameters::Schema<RegionParameters>& region_schema();

struct Regions {
  std::vector<Label> labels;
  Method method = Method::graph_cut;
  double sigma = 0;                 ///< of links; 0: the method has none
  std::optional<double> energy;     ///< of the graph cut
  int expansions = 0;               ///< of the graph cut of several labels
  int iterations = 0;               ///< of the random walker
  FieldValues certainty;            ///< of the random walker: probability of each voxel's label
  std::vector<Interval> intervals;  ///< of region growing, of each label from 1
  std::size_t basins = 0;           ///< of the watershed
  Remarks remarks;
};

/// Labels of all voxels. `cut`: that of the same image and edge, which continues its flow; null: a new one. Throws as
/// require_seeds, ResourceError; Cancelled.
Regions find_regions(const SeededImage& image, const RegionParameters& parameters, GraphCut* cut = nullptr,
                     const jobs::Progress& progress = {});

/// {"method", "sigma", "energy", "expansions", "iterations", "intervals": [[low, high]], "basins"}, those that the method has.
/// Intervals are null for labels without seeds.
nlohmann::ordered_json json_of(const Regions& regions);
/// "graph cut: a difference of 0.12 between neighbours counts as an edge"
std::string text_of(const Regions& regions);
/// "watershed: 812 basins (parts of the image that edges enclose)"
std::string text_of_basins(std::size_t count);

/// Times of a slice of 512 x 512 and of cubes: {"slice": {...}, "cubes": [{...}]}, each with "counts", "links_ms",
/// "cut_ms" (the first cut), "stroke_ms" (after one more stroke), "voxels" of the region and "energy".
nlohmann::ordered_json benchmark(const std::vector<int>& sides, const jobs::Progress& progress);
std::vector<std::string> lines_of(const nlohmann::ordered_json& benchmark);

}  // namespace isolume::regions
