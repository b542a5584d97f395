#include "app/labs/anatomy/carried_labels.h"

#include <algorithm>
#include <limits>
#include <set>
#include <system_error>

#include "core/anatomy/transform.h"

namespace isolume::labs::anatomy {
namespace {

using namespace isolume::anatomy;

/// aal.txt and aal.nii.txt for aal.nii.gz.
std::vector<std::filesystem::path> name_files(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  for (std::filesystem::path stem = path; stem.has_extension(); stem.replace_extension())
    files.push_back(std::filesystem::path(stem).replace_extension(".txt"));
  return files;
}

Labels on_grid_of(const Labels& labels, const grid::Grid& grid, const jobs::Progress& progress) {
  return moved(labels, {.grid = grid, .field = volumes::zero_field(grid.dimensions), .remarks = {}},
               progress);
}

/// Numbers of colours by label, the same for both images.
using ColourNumbers = std::map<std::int64_t, std::size_t>;

std::shared_ptr<const slices::LabelMap> map_of(const Labels& labels, const ColourNumbers& numbers,
                                               const std::vector<std::uint32_t>& colours) {
  auto map = std::make_shared<slices::LabelMap>();
  map->counts = labels.grid.dimensions;
  map->colours = colours;
  std::vector<float> number_of;
  for (const std::int64_t value : labels.values)
    number_of.push_back(value == 0 ? std::numeric_limits<float>::quiet_NaN()
                                   : static_cast<float>(numbers.at(value)));
  map->numbers.resize(labels.indices.size());
  std::ranges::transform(labels.indices, map->numbers.begin(),
                         [&](std::uint32_t index) { return number_of[index]; });
  return map;
}

}  // namespace

std::shared_ptr<const NamedLabels> read_named_labels(const std::filesystem::path& path,
                                                     const jobs::Progress& progress) {
  auto named = std::make_shared<NamedLabels>(
      NamedLabels{.path = path, .labels = read_labels(path, progress), .names = {}});
  for (const auto& file : name_files(path)) {
    std::error_code failed;
    if (std::filesystem::is_regular_file(file, failed)) {
      named->names = read_label_names(file);
      break;
    }
  }
  return named;
}

std::shared_ptr<const CarriedLabels> carry(const LabelInputs& inputs, const jobs::Progress& progress) {
  auto result = std::make_shared<CarriedLabels>();
  const grid::Grid& grid = inputs.pair->grid;
  std::optional<Labels> carried, fixed;
  if (inputs.moving != nullptr) {
    const Labels& labels = inputs.moving->labels;
    const auto carried_by = [&](VectorField part) {
      carried = moved(labels, {.grid = grid, .field = std::move(part), .remarks = {}}, progress);
    };
    if (inputs.alignment != nullptr) {
      carried_by(whole_displacement(*inputs.alignment, inputs.morph));
    } else if (inputs.placement != nullptr) {
      carried_by(part_of(displacements_of(Transform(inputs.placement->found.map), grid, progress).field,
                         inputs.morph));
    } else {
      carried = on_grid_of(labels, grid, progress);
    }
  }
  if (inputs.fixed != nullptr) fixed = on_grid_of(inputs.fixed->labels, grid, progress);
  std::set<std::int64_t> all;
  for (const NamedLabels* each : {inputs.moving.get(), inputs.fixed.get()}) {
    if (each != nullptr) all.insert(each->labels.values.begin(), each->labels.values.end());
  }
  all.erase(0);
  result->labels.assign(all.begin(), all.end());
  const std::vector<std::uint32_t> colours = slices::label_colours(all.size());
  ColourNumbers numbers;
  for (const std::int64_t label : all) numbers.emplace(label, numbers.size());
  for (const std::int64_t label : all) {
    std::string name = std::to_string(label);
    for (const NamedLabels* each : {inputs.moving.get(), inputs.fixed.get()}) {
      if (each == nullptr || !each->names.contains(label)) continue;
      name += " " + each->names.at(label);
      break;
    }
    result->names.push_back(std::move(name));
  }
  if (carried) result->moving = map_of(*carried, numbers, colours);
  if (fixed) result->fixed = map_of(*fixed, numbers, colours);

  std::map<std::int64_t, double> dice;
  if (carried && fixed) {
    double sum = 0;
    for (const LabelOverlap& each : label_overlaps(*carried, *fixed)) {
      if (each.first == 0 || each.second == 0) continue;
      dice.emplace(each.label, each.dice());
      sum += each.dice();
    }
    if (!dice.empty()) result->mean_dice = sum / static_cast<double>(dice.size());
  }
  if (carried || fixed) {
    const auto& names = (carried ? inputs.moving : inputs.fixed)->names;
    for (const LabelVolume& each : label_volumes(carried ? *carried : *fixed)) {
      LabelRow row{.label = each.label,
                   .name = {},
                   .colour = colours[numbers.at(each.label)],
                   .volume = each,
                   .dice = {}};
      if (const auto name = names.find(each.label); name != names.end()) row.name = name->second;
      if (const auto found = dice.find(each.label); found != dice.end()) row.dice = found->second;
      result->rows.push_back(std::move(row));
    }
  }
  if (carried) result->carried = std::make_shared<const Labels>(std::move(*carried));
  return result;
}

}  // namespace isolume::labs::anatomy
