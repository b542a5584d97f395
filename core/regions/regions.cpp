#include "core/regions/regions.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/regions/random_walker.h"

namespace isolume::regions {
namespace {

std::string_view name_of(Method method) {
  switch (method) {
    case Method::graph_cut:
      return "graph-cut";
    case Method::random_walker:
      return "random-walker";
    case Method::watershed:
      return "watershed";
    case Method::region_growing:
      break;
  }
  return "region-growing";
}

}  // namespace

const parameters::Schema<RegionParameters>& region_schema() {
  using parameters::field;
  using P = RegionParameters;
  static const parameters::Schema<P> schema{std::vector<parameters::Field<P>>{
      field("method", &P::method, "Method",
            {{"graph-cut", "Graph cut"},
             {"random-walker", "Random walker"},
             {"region-growing", "Region growing"},
             {"watershed", "Watershed"}})
          .group("Regions")
          .help(
              "How labels spread from the seeds. The graph cut is the fastest; the random walker also gives "
              "probabilities. The watershed joins basins: parts of the image between edges."),
      field("edge", &P::edge, "Edge")
          .range(0.01, 100)
          .usual(0.1, 10)
          .logarithmic()
          .only_when("method", {"graph-cut", "random-walker"})
          .group("Regions")
          .help("Difference of neighbours that counts as an edge, divided by the root mean square difference "
                "of all neighbours."),
      field("likelihood", &P::likelihood, "Likelihood")
          .range(0, 10)
          .usual(0, 1)
          .only_when("method", {"graph-cut"})
          .group("Regions")
          .help("Weight of the values of the seeds, which a voxel of their region should have, too. 0: edges "
                "alone count."),
      field("tolerance", &P::tolerance, "Tolerance")
          .unit("standard deviations")
          .range(0, 100)
          .usual(0, 10)
          .only_when("method", {"region-growing"})
          .group("Regions")
          .help("How far values may lie from the mean of the seeds of their region."),
      field("basin-smoothing", &P::basin_sigma_mm, "Basin smoothing")
          .unit("mm")
          .range(0, 1000)
          .usual(0, 5)
          .only_when("method", {"watershed"})
          .group("Regions")
          .help("Standard deviation of a Gaussian before the gradient. Large values give fewer and larger "
                "basins, and lose small edges."),
  }};
  return schema;
}

Regions find_regions(const SeededImage& image, const RegionParameters& parameters, GraphCut* cut,
                     const jobs::Progress& progress) {
  Regions result;
  result.method = parameters.method;
  switch (parameters.method) {
    case Method::graph_cut: {
      require_seeds(image, 2);
      std::optional<GraphCut> own;
      if (cut == nullptr) cut = &own.emplace(image.grid, image.values, parameters.edge);
      GraphCut::Result found = cut->cut(image.seeds, parameters.likelihood, progress);
      result.labels = std::move(found.labels);
      result.energy = found.energy;
      result.expansions = found.expansions;
      result.sigma = cut->sigma();
      break;
    }
    case Method::random_walker: {
      Walked found = walk_randomly(image, parameters.edge, 1e-4, progress);
      result.labels = std::move(found.labels);
      result.iterations = found.iterations;
      result.sigma = found.sigma;
      result.certainty.resize(result.labels.size());
      for (std::size_t i = 0; i < result.labels.size(); ++i)
        result.certainty[i] = found.probabilities[result.labels[i] - 1U][i];
      break;
    }
    case Method::region_growing: {
      Grown found = grow_regions(image, parameters.tolerance, progress);
      result.labels = std::move(found.labels);
      result.intervals = std::move(found.intervals);
      break;
    }
    case Method::watershed: {
      require_seeds(image, 2);
      const Relief relief =
          relief_of(image.grid, image.values, parameters.basin_sigma_mm, progress.part(0, 0.3));
      result.basins = find_basins(relief, progress.part(0.3, 0.6)).count;
      result.labels = flood(relief, image, progress.part(0.6, 1));
      break;
    }
  }
  const bool has_links = parameters.method == Method::graph_cut || parameters.method == Method::random_walker;
  if (has_links && result.sigma == 0)
    result.remarks.warn("All voxels have the same value: regions depend on distances alone.");
  return result;
}

nlohmann::ordered_json json_of(const Regions& regions) {
  nlohmann::ordered_json json{{"method", name_of(regions.method)}};
  if (regions.method == Method::graph_cut || regions.method == Method::random_walker)
    json["sigma"] = regions.sigma;
  if (regions.energy) json["energy"] = *regions.energy;
  if (regions.expansions > 0) json["expansions"] = regions.expansions;
  if (regions.method == Method::random_walker) json["iterations"] = regions.iterations;
  if (regions.method == Method::watershed) json["basins"] = regions.basins;
  for (const Interval& each : regions.intervals) json["intervals"].push_back({each.low, each.high});
  return json;
}

std::string text_of_basins(std::size_t count) {
  return fmt::format("watershed: {} (parts of the image that edges enclose)", counted(count, "basin"));
}

std::string text_of(const Regions& regions) {
  switch (regions.method) {
    case Method::graph_cut:
      return fmt::format("graph cut: a difference of {:.3g} between neighbours counts as an edge",
                         regions.sigma);
    case Method::random_walker:
      return fmt::format(
          "random walker, {} iterations: a difference of {:.3g} between neighbours counts as an edge",
          regions.iterations, regions.sigma);
    case Method::watershed:
      return text_of_basins(regions.basins) + ", joined to regions over their weakest edges";
    case Method::region_growing:
      break;
  }
  std::string text = "region growing: values";
  for (const Interval& each : regions.intervals)
    text += fmt::format(" {:.4g} to {:.4g};", each.low, each.high);
  text.pop_back();
  return text;
}

}  // namespace isolume::regions
