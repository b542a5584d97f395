#include "core/regions/regions.h"

#include <fmt/format.h>

#include "core/regions/random_walker.h"

namespace isolume::regions {
namespace {

std::string_view name_of(Method method) {
  switch (method) {
    case Method::graph_cut:
      return "graph-cut";
    case Method::random_walker:
      return "random-walker";
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
             {"region-growing", "Region growing"}})
          .group("Regions")
          .help(
              "How labels spread from the seeds. The graph cut is the fastest; the random walker also gives "
              "probabilities."),
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
  }
  if (parameters.method != Method::region_growing && result.sigma == 0)
    result.remarks.warn("All voxels have the same value: regions depend on distances alone.");
  return result;
}

nlohmann::ordered_json json_of(const Regions& regions) {
  nlohmann::ordered_json json{{"method", name_of(regions.method)}};
  if (regions.method != Method::region_growing) json["sigma"] = regions.sigma;
  if (regions.energy) json["energy"] = *regions.energy;
  if (regions.expansions > 0) json["expansions"] = regions.expansions;
  if (regions.method == Method::random_walker) json["iterations"] = regions.iterations;
  for (const Interval& each : regions.intervals) json["intervals"].push_back({each.low, each.high});
  return json;
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
