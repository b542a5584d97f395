#include "app/labs/anatomy/painted_regions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::anatomy {
namespace {

using regions::Label;
using workbench::said;

double distance_to(const Eigen::Vector3d& point, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  const Eigen::Vector3d along = to - from;
  const double length = along.squaredNorm();
  const double part = length > 0 ? std::clamp(along.dot(point - from) / length, 0.0, 1.0) : 0;
  return (point - from - part * along).norm();
}

/// Seeds as core/regions numbers them: the painted labels in order, then the background.
struct Seeds {
  std::vector<Label> voxels;
  std::vector<int> labels;  ///< painted label of each number from 1
};

Seeds seeds_of(const Strokes& strokes, const grid::Grid& grid) {
  std::set<int> painted;
  for (const Stroke& each : strokes) {
    if (each.is_seed) painted.insert(each.label);
  }
  Seeds seeds{std::vector<Label>(grid.point_count()), {painted.begin(), painted.end()}};
  // The background is the last one, which several labels begin with.
  if (!seeds.labels.empty() && seeds.labels.front() == 0)
    std::ranges::rotate(seeds.labels, seeds.labels.begin() + 1);
  for (const Stroke& each : strokes) {
    if (!each.is_seed) continue;
    const auto number = std::ranges::find(seeds.labels, each.label) - seeds.labels.begin() + 1;
    draw(each, grid, static_cast<Label>(number), seeds.voxels);
  }
  return seeds;
}

std::shared_ptr<const slices::LabelMap> map_of(const regions::Basins& basins, const grid::Grid& grid) {
  auto map = std::make_shared<slices::LabelMap>();
  map->counts = grid.dimensions;
  constexpr std::uint32_t colours = 61;  // neighbours have different ones nearly always
  map->colours = slices::label_colours(colours);
  map->numbers.resize(basins.numbers.size());
  std::ranges::transform(basins.numbers, map->numbers.begin(),
                         [](std::uint32_t number) { return static_cast<float>(number % colours); });
  return map;
}

}  // namespace

nlohmann::json json_of(const Strokes& strokes) {
  nlohmann::json all = nlohmann::json::array();
  for (const Stroke& each : strokes) {
    nlohmann::json positions = nlohmann::json::array();
    for (const Eigen::Vector3d& p : each.positions_mm) positions.push_back({p.x(), p.y(), p.z()});
    all.push_back({{"is_seed", each.is_seed},
                   {"label", each.label},
                   {"radius_mm", each.radius_mm},
                   {"axis", each.axis},
                   {"positions_mm", std::move(positions)}});
  }
  return all;
}

Strokes strokes_of(const nlohmann::json& json) {
  Strokes strokes;
  for (const nlohmann::json& each : json) {
    Stroke stroke{.is_seed = each.at("is_seed").get<bool>(),
                  .label = each.at("label").get<int>(),
                  .radius_mm = each.at("radius_mm").get<double>(),
                  .axis = each.at("axis").get<int>(),
                  .positions_mm = {}};
    for (const nlohmann::json& p : each.at("positions_mm"))
      stroke.positions_mm.emplace_back(p.at(0).get<double>(), p.at(1).get<double>(), p.at(2).get<double>());
    if (stroke.label < 0 || stroke.label > most_painted_labels || stroke.axis < 0 || stroke.axis > 2 ||
        !(stroke.radius_mm > 0) || stroke.positions_mm.empty()) {
      throw Error(
          said(QObject::tr("A stroke of the session has a label, an axis, a radius or positions that are not "
                           "possible.")));
    }
    strokes.push_back(std::move(stroke));
  }
  return strokes;
}

void draw(const Stroke& stroke, const grid::Grid& grid, Label value, std::vector<Label>& voxels) {
  const auto& counts = grid.dimensions;
  const auto across = static_cast<std::size_t>(stroke.axis);
  const int slice = static_cast<int>(std::lround(grid.index_at(stroke.positions_mm.front())[stroke.axis]));
  if (slice < 0 || slice >= counts[across]) return;
  const auto set = [&](const std::array<int, 3>& index) {
    voxels[(static_cast<std::size_t>(index[2]) * static_cast<std::size_t>(counts[1]) +
            static_cast<std::size_t>(index[1])) *
               static_cast<std::size_t>(counts[0]) +
           static_cast<std::size_t>(index[0])] = value;
  };
  // Positions on the slice itself, so that distances are within it.
  std::vector<Eigen::Vector3d> positions;
  for (const Eigen::Vector3d& each : stroke.positions_mm) {
    Eigen::Vector3d index = grid.index_at(each);
    index[stroke.axis] = slice;
    positions.push_back(grid.position(index));
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Eigen::Vector3d &from = positions[i], &to = positions[std::min(i + 1, positions.size() - 1)];
    const Eigen::Vector3d begin = grid.index_at(from), end = grid.index_at(to);
    std::array<int, 3> first{}, last{};
    for (int axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      const double reach = axis == stroke.axis ? 0 : stroke.radius_mm / grid.spacing(axis);
      const auto within = [&](double place) {
        return static_cast<int>(std::clamp(place, -1.0, static_cast<double>(counts[at])));
      };
      first[at] = std::max(within(std::floor(std::min(begin[axis], end[axis]) - reach)), 0);
      last[at] = std::min(within(std::ceil(std::max(begin[axis], end[axis]) + reach)), counts[at] - 1);
    }
    first[across] = last[across] = slice;
    std::array<int, 3> index{};
    for (index[2] = first[2]; index[2] <= last[2]; ++index[2]) {
      for (index[1] = first[1]; index[1] <= last[1]; ++index[1]) {
        for (index[0] = first[0]; index[0] <= last[0]; ++index[0]) {
          if (distance_to(grid.position(index[0], index[1], index[2]), from, to) <= stroke.radius_mm)
            set(index);
        }
      }
    }
    // A brush smaller than voxels sets those that it touches.
    std::array<int, 3> nearest{};
    bool is_inside = true;
    for (int axis = 0; axis < 3; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      const double rounded = std::round(begin[axis]);
      is_inside = is_inside && rounded >= 0 && rounded < counts[at];
      if (is_inside) nearest[at] = static_cast<int>(rounded);
    }
    if (is_inside) set(nearest);
  }
}

std::uint32_t colour_of_label(int label) {
  static const std::vector<std::uint32_t> few = slices::label_colours(8);
  static const std::vector<std::uint32_t> many = slices::label_colours(most_painted_labels);
  const auto at = static_cast<std::size_t>(label - 1);
  return at < few.size() ? few[at] : many[at];
}

std::shared_ptr<const PaintedRegions> paint_regions(const RegionInputs& inputs, CutSoFar& so_far,
                                                    const jobs::Progress& progress) {
  const isolume::anatomy::Pair& pair = *inputs.pair;
  const Seeds seeds = seeds_of(*inputs.strokes, pair.grid);
  auto result = std::make_shared<PaintedRegions>();
  std::vector<Label> found = seeds.voxels;
  std::set<Label> used(found.begin(), found.end());
  used.erase(0);
  const std::size_t needed = inputs.parameters.method == regions::Method::region_growing ? 1 : 2;
  if (used.size() < needed) {
    result->text = said(QObject::tr("Paint seeds of another region, or of the background (Shift)."));
    if (inputs.parameters.method == regions::Method::watershed) {
      const regions::Relief relief =
          regions::relief_of(pair.grid, pair.fixed, inputs.parameters.basin_sigma_mm, progress.part(0, 0.4));
      const regions::Basins basins = regions::find_basins(relief, progress.part(0.4, 1));
      result->basins = map_of(basins, pair.grid);
      result->report["basins"] = basins.count;
      result->text = regions::text_of_basins(basins.count) + ". " + result->text;
    }
  } else {
    const std::lock_guard lock(so_far.mutex);
    progress.check();
    const double edge = inputs.parameters.edge;
    if (inputs.parameters.method == regions::Method::graph_cut &&
        (so_far.pair != inputs.pair || so_far.edge != edge)) {
      so_far.cut.reset();
      so_far.cut.emplace(pair.grid, pair.fixed, edge);
      so_far.pair = inputs.pair;
      so_far.edge = edge;
    }
    regions::Regions divided =
        regions::find_regions({pair.grid, pair.fixed, seeds.voxels}, inputs.parameters,
                              so_far.cut && so_far.pair == inputs.pair ? &*so_far.cut : nullptr, progress);
    found = std::move(divided.labels);
    result->text = regions::text_of(divided);
    if (!divided.remarks.empty()) result->text += "\n" + divided.remarks.text();
    result->report = regions::json_of(divided);
  }
  // Numbers of core/regions as painted labels, then what was corrected.
  std::array<Label, 256> label_of{};
  for (std::size_t i = 0; i < seeds.labels.size(); ++i) label_of[i + 1] = static_cast<Label>(seeds.labels[i]);
  for (Label& each : found) each = label_of[each];
  for (const Stroke& each : *inputs.strokes) {
    if (!each.is_seed) draw(each, pair.grid, static_cast<Label>(each.label), found);
  }
  progress.check();

  isolume::anatomy::Labels& labels = result->labels;
  labels.grid = pair.grid;
  std::array<bool, 256> is_used{};
  for (const Label each : found) is_used[each] = true;
  std::array<std::uint32_t, 256> index_of{};
  auto map = std::make_shared<slices::LabelMap>();
  for (std::size_t label = 0; label < is_used.size(); ++label) {
    if (!is_used[label]) continue;
    index_of[label] = static_cast<std::uint32_t>(labels.values.size());
    labels.values.push_back(static_cast<std::int64_t>(label));
    map->colours.push_back(label == 0 ? 0xff000000U : colour_of_label(static_cast<int>(label)));
  }
  map->counts = pair.grid.dimensions;
  map->numbers.resize(found.size());
  labels.indices.resize(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::uint32_t index = index_of[found[i]];
    labels.indices[i] = index;
    map->numbers[i] = found[i] == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(index);
  }
  // A single colour has no range that a layer could map.
  if (map->colours.size() == 1) map->colours.push_back(map->colours.front());
  result->map = std::move(map);
  result->volumes = isolume::anatomy::label_volumes(labels);
  return result;
}

}  // namespace isolume::labs::anatomy
