#include "core/anatomy/describe.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/anatomy/geodesic.h"
#include "core/base/counted.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

using Json = nlohmann::ordered_json;

std::string folded_text(float least, std::size_t folded, std::size_t mended) {
  std::string text = folded == 0 ? fmt::format("least Jacobian determinant {:.3g}, no folding", least)
                                 : fmt::format("least Jacobian determinant {:.3g}: the map folds in {}",
                                               least, counted(folded, "voxel"));
  if (mended > 0) text += fmt::format(" (smoothed about {} that folded)", counted(mended, "voxel"));
  return text;
}

struct Determinants {
  float least, greatest;
  double mean = 0;
  std::size_t folded = 0;

  explicit Determinants(const FieldValues& values) {
    const auto [low, high] = std::ranges::minmax(values);
    least = low;
    greatest = high;
    for (const float each : values) {
      mean += static_cast<double>(each) / static_cast<double>(values.size());
      if (!(each > 0)) ++folded;
    }
  }
};

}  // namespace

double largest_displacement_mm(const VectorField& field, const grid::Grid& grid) {
  return volumes::largest_length(field, {grid.spacing(0), grid.spacing(1), grid.spacing(2)});
}

Json json_of(const LinearRegistration& registration, const LinearParameters& parameters) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json matrix = Json::array();
  for (int row = 0; row < 3; ++row) {
    matrix.push_back(Json::array());
    for (int column = 0; column < 4; ++column)
      matrix.back().push_back(registration.map.matrix()(row, column));
  }
  return {{"model", std::get<std::string>(linear_schema().at("linear").get(parameters))},
          {"similarity",
           {{"measure", std::get<std::string>(linear_schema().at("similarity").get(parameters))},
            {"before", number(registration.similarity_before)},
            {"after", number(registration.similarity_after)}}},
          {"matrix", std::move(matrix)},
          {"largest_move_mm", registration.largest_move_mm},
          {"iterations", registration.iterations}};
}

std::string text_of(const LinearRegistration& registration, const LinearParameters& parameters) {
  if (parameters.model == LinearModel::none) return "no linear map";
  const std::string before = std::isnan(registration.similarity_before)
                                 ? "undefined"
                                 : fmt::format("{:.3g}", registration.similarity_before);
  return fmt::format("{} map: {} {} before, {:.3g} after; corners moved by up to {:.2f} mm",
                     parameters.model == LinearModel::rigid ? "rigid" : "affine",
                     name_of(parameters.similarity), before, registration.similarity_after,
                     registration.largest_move_mm);
}

Json json_of(const Registration& registration, const grid::Grid& grid) {
  Json levels = Json::array();
  for (const LevelResult& level : registration.levels) {
    levels.push_back({{"counts", level.counts},
                      {"iterations", level.iterations},
                      {"mismatch_before", level.mismatch_before},
                      {"mismatch_after", level.mismatch_after},
                      {"least_jacobian", level.least_jacobian}});
    if (registration.surfaces.empty()) continue;
    levels.back()["surfaces_before"] = level.surfaces_before;
    levels.back()["surfaces_after"] = level.surfaces_after;
  }
  DeformationParameters parameters;
  parameters.metric = registration.metric;
  Json json{{"mismatch",
             {{"metric", std::get<std::string>(deformation_schema().at("metric").get(parameters))},
              {"before", registration.mismatch_before},
              {"after", registration.mismatch_after}}},
            {"largest_displacement_mm", largest_displacement_mm(registration.displacement, grid)},
            {"jacobian",
             {{"least", registration.least_jacobian},
              {"folded", registration.folded},
              {"mended", registration.mended}}},
            {"levels", std::move(levels)}};
  if (!registration.kinetic_energies.empty()) {
    json["flow"] = {{"distance_mm", geodesic_distance(registration.kinetic_energies)},
                    {"kinetic_energies_mm2", registration.kinetic_energies}};
  }
  if (!registration.surfaces.empty()) json["surfaces"] = json_of(registration.surfaces);
  return json;
}

Json json_of(const std::vector<SurfaceResult>& surfaces) {
  Json rows = Json::array();
  for (const SurfaceResult& each : surfaces) {
    const auto distances = [](const MeshDistances& of) {
      return Json{{"mean_mm", of.mean}, {"greatest_mm", of.greatest}};
    };
    rows.push_back(
        {{"name", each.name}, {"before", distances(each.before)}, {"after", distances(each.after)}});
  }
  return rows;
}

std::string text_of(const std::vector<SurfaceResult>& surfaces) {
  if (surfaces.empty()) return {};
  MeshDistances before, after;
  for (const SurfaceResult& each : surfaces) {
    before.mean += each.before.mean / static_cast<double>(surfaces.size());
    after.mean += each.after.mean / static_cast<double>(surfaces.size());
    before.greatest = std::max(before.greatest, each.before.greatest);
    after.greatest = std::max(after.greatest, each.after.greatest);
  }
  return fmt::format("surfaces {:.3g} mm apart before (greatest {:.3g}), {:.3g} mm after (greatest {:.3g})",
                     before.mean, before.greatest, after.mean, after.greatest);
}

std::string text_of(const Registration& registration, const grid::Grid& grid) {
  std::string text =
      fmt::format("{} {:.3g} before, {:.3g} after, displacements up to {:.2f} mm, {}",
                  name_of(registration.metric), registration.mismatch_before, registration.mismatch_after,
                  largest_displacement_mm(registration.displacement, grid),
                  folded_text(registration.least_jacobian, registration.folded, registration.mended));
  if (!registration.kinetic_energies.empty())
    text += fmt::format(", geodesic distance {:.3g} mm", geodesic_distance(registration.kinetic_energies));
  if (!registration.surfaces.empty()) text += ", " + text_of(registration.surfaces);
  return text;
}

Json json_of(const LandmarkPairs& pairs, const LandmarkErrors& errors) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    rows.push_back({{"name", pairs[i].name},
                    {"before_mm", errors.before[i]},
                    {"linear_mm", errors.linear[i]},
                    {"after_mm", errors.after[i]}});
  }
  return {{"root_mean_square_mm",
           {{"before", root_mean_square(errors.before)},
            {"linear", root_mean_square(errors.linear)},
            {"after", root_mean_square(errors.after)}}},
          {"pairs", std::move(rows)}};
}

std::string text_of(const LandmarkErrors& errors) {
  return fmt::format("landmarks {:.3g} mm apart before, {:.3g} by the linear map, {:.3g} after",
                     root_mean_square(errors.before), root_mean_square(errors.linear),
                     root_mean_square(errors.after));
}

namespace {

Json json_of_stream(const AtlasStore& store) {
  const AtlasStore::Times& times = store.times();
  Json pass = Json::array();
  for (const dispatch::Report::Span& each : store.timeline().timeline) {
    pass.push_back({{"stage", store.timeline().shares[static_cast<std::size_t>(each.device)].device},
                    {"image", each.tile},
                    {"begin", each.begin},
                    {"end", each.end}});
  }
  return {{"seconds",
           {{"read", times.read},
            {"compute", times.work},
            {"write", times.write},
            {"elapsed", times.elapsed},
            {"least", times.bound}}},
          {"bytes", {{"read", times.bytes_read}, {"written", times.bytes_written}}},
          {"longest_pass", pass}};
}

std::string text_of_stream(const AtlasStore& store) {
  const AtlasStore::Times& times = store.times();
  return fmt::format(
      ", streamed in {:.2f} s of at least {:.2f} s: reading {:.2f} s, computing {:.2f} s, writing {:.2f} s",
      times.elapsed, times.bound, times.read, times.work, times.write);
}

}  // namespace

Json json_of(const Atlas& atlas) {
  Json json{
      {"images", atlas.largest_mm.size()},
      {"spread", {{"before", atlas.spread_before}, {"after", atlas.spread_after}}},
      {"jacobian", {{"least", atlas.least_jacobian}, {"folded", atlas.folded}, {"mended", atlas.mended}}},
      {"largest_displacements_mm", atlas.largest_mm}};
  if (!atlas.distances_mm.empty()) json["distances_mm"] = atlas.distances_mm;
  if (atlas.images != nullptr && atlas.images->is_streamed()) json["stream"] = json_of_stream(*atlas.images);
  return json;
}

std::string text_of(const Atlas& atlas) {
  const bool is_streamed = atlas.images != nullptr && atlas.images->is_streamed();
  const std::string distances =
      atlas.distances_mm.empty()
          ? std::string()
          : fmt::format("distances from the mean up to {:.2f} mm, ", std::ranges::max(atlas.distances_mm));
  return fmt::format(
             "{}, root mean square difference to the mean {:.3g} before, {:.3g} after, displacements up to {:.2f} mm, {}{}",
             counted(atlas.largest_mm.size(), "image"), atlas.spread_before, atlas.spread_after,
             std::ranges::max(atlas.largest_mm), distances,
             folded_text(atlas.least_jacobian, atlas.folded, atlas.mended)) +
         (is_streamed ? text_of_stream(*atlas.images) : std::string());
}

Json json_of_determinants(const FieldValues& determinants) {
  const Determinants all(determinants);
  return {{"least", all.least}, {"mean", all.mean}, {"greatest", all.greatest}, {"folded", all.folded}};
}

std::string text_of_determinants(const FieldValues& determinants) {
  const Determinants all(determinants);
  return fmt::format("{}, mean {:.3f}, greatest {:.3f}", folded_text(all.least, all.folded, 0), all.mean,
                     all.greatest);
}

}  // namespace isolume::anatomy
