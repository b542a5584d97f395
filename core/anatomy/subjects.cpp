#include "core/anatomy/subjects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <unsupported/Eigen/MatrixFunctions>

#include "core/anatomy/alignment.h"
#include "core/anatomy/atlas_devices.h"
#include "core/anatomy/describe.h"
#include "core/anatomy/pace.h"
#include "core/anatomy/phantom.h"
#include "core/anatomy/transform.h"
#include "core/base/error.h"
#include "core/images/document.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

namespace fs = std::filesystem;
using PlacedPointer = std::shared_ptr<const PlacedSubjects>;
using AveragePointer = std::shared_ptr<const Average>;

/// The mean of linear maps: exp of the mean of their logarithms (V. Arsigny et al., WBIR 2006). Nothing where one has no
/// real logarithm.
std::optional<Eigen::Affine3d> mean_of(const std::vector<Eigen::Affine3d>& maps) {
  Eigen::Matrix4d sum = Eigen::Matrix4d::Zero();
  for (const Eigen::Affine3d& each : maps) sum += each.matrix().log();
  const Eigen::Matrix4d mean = (sum / static_cast<double>(maps.size())).exp();
  if (!mean.allFinite()) return std::nullopt;
  Eigen::Affine3d map;
  map.matrix() = mean;
  return map;
}

/// From the first image to another one. Throws Error naming the image.
Eigen::Affine3d map_from(const Subject& first, const Subject& subject, const Image& image,
                         const LinearParameters& parameters, const jobs::Progress& progress) {
  const bool is_first = &image == first.image.get() || (!subject.path.empty() && subject.path == first.path);
  if (is_first) return Eigen::Affine3d::Identity();
  require_same_kind(image.grid(), subject.name, first.image->grid(), first.name);
  try {
    return register_linear({first.image->grid(), first.image->values()}, {image.grid(), image.values()},
                           parameters, nullptr, {}, progress)
        .map;
  } catch (const ResourceError&) {
    throw;
  } catch (const Error& error) {
    throw Error(fmt::format("{} onto {}: {}", subject.name, first.name, error.what()));
  }
}

std::vector<Eigen::Affine3d> maps_of_all(const std::vector<Eigen::Affine3d>& own,
                                         const AtlasProcesses& processes) {
  std::vector<double> numbers;
  for (const Eigen::Affine3d& each : own)
    numbers.insert(numbers.end(), each.matrix().data(), each.matrix().data() + each.matrix().size());
  numbers = processes.all(numbers);
  std::vector<Eigen::Affine3d> all(numbers.size() / 16);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].matrix() = Eigen::Map<const Eigen::Matrix4d>(numbers.data() + 16 * i);
  return all;
}

constexpr std::array phantom_sizes{0.02, -0.12, 0.12, -0.08, 0.08, -0.04};

double root_mean_square_mm(const VectorField& field, const grid::Grid& grid) {
  double sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    for (const float each : field.components[static_cast<std::size_t>(axis)])
      sum += std::pow(static_cast<double>(each) * grid.spacing(axis), 2);
  }
  return std::sqrt(sum / static_cast<double>(field.components[0].size()));
}

/// The values of an image by its displacement and then its linear map.
FieldValues deformed(const PlacedSubjects& placed, std::size_t index, const VectorField& displacement) {
  const DisplacementImage whole{.grid = placed.grid,
                                .field = displacement_then(placed.grid, displacement, placed.maps[index]),
                                .remarks = {}};
  return moved(*image_of((*placed.subjects)[index]), whole, false);
}

Spacing spacing_of(const grid::Grid& grid) {
  return {grid.spacing(0), grid.spacing(1), grid.spacing(2)};
}

std::size_t place_among(const std::vector<std::size_t>& averaged, std::size_t index) {
  return static_cast<std::size_t>(std::ranges::find(averaged, index) - averaged.begin());
}

}  // namespace

std::vector<fs::path> images_in(const fs::path& folder) {
  // Voxels of .nhdr, .mhd and .hdr files.
  static const std::set<std::string> of_headers{".raw", ".zraw", ".img", ".gz"};
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    const std::string name = path.filename().string();
    const bool is_voxels = of_headers.contains(path.extension().string()) && !name.ends_with(".nii.gz");
    if (entry.is_regular_file() && !is_voxels && !name.starts_with('.') && images::is_image(path))
      paths.push_back(path);
  }
  if (paths.empty()) {
    throw Error(
        fmt::format("{}: it has no images. Choose a folder with files of images, such as .nii.gz or .nrrd.",
                    folder.string()));
  }
  std::ranges::sort(paths);
  return paths;
}

Subjects read_subjects(const std::vector<fs::path>& paths, const jobs::Progress& progress) {
  Subjects subjects;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto count = static_cast<double>(paths.size()), done = static_cast<double>(i);
    subjects.push_back({.path = paths[i],
                        .name = paths[i].filename().string(),
                        .image = std::make_shared<const Image>(
                            read_image(paths[i], progress.part(done / count, (done + 1) / count)))});
  }
  return subjects;
}

std::vector<std::string> short_names(const Subjects& subjects) {
  std::vector<std::string> names;
  for (const Subject& each : subjects) names.push_back(each.name);
  if (names.size() < 2) return names;
  std::string_view end = names[0];
  for (const std::string& each : names)
    while (!each.ends_with(end)) end.remove_prefix(1);
  const std::size_t separator = end.find_first_of("._-");
  if (separator == std::string_view::npos) return names;
  const std::size_t less = end.size() - separator;
  const bool is_whole = std::ranges::any_of(names, [&](const auto& each) { return each.size() <= less; });
  if (is_whole) return names;
  for (std::string& each : names) each.resize(each.size() - less);
  return names;
}

Subjects phantom_subjects() {
  constexpr int side = 64;
  constexpr double spacing_mm = 3;
  grid::Grid grid =
      grid::centred(Eigen::Vector3d::Zero(), {side, side, side}, spacing_mm, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  Subjects subjects;
  for (const double size : phantom_sizes) {
    subjects.push_back(
        {.path = {},
         .name = fmt::format("Phantom {}", subjects.size() + 1),
         .image = std::make_shared<const Image>(
             Image{.field = {.grid = grid, .values = head_phantom(side, size), .name = {}, .unit = {}},
                   .remarks = {}})});
  }
  return subjects;
}

std::vector<double> phantom_ages() {
  std::vector<double> ages;
  for (const double size : phantom_sizes) ages.push_back(60 + 100 * size);
  return ages;
}

std::shared_ptr<const Image> image_of(const Subject& subject, const jobs::Progress& progress) {
  return subject.image != nullptr ? subject.image
                                  : std::make_shared<const Image>(read_image(subject.path, progress));
}

FieldValues placed_values(const PlacedSubjects& placed, std::size_t index) {
  if (!placed.values.empty()) return placed.values[index];
  return on_grid(*image_of((*placed.subjects)[index]), placed.grid, placed.maps[index]).values;
}

PlacedPointer place_subjects(const std::shared_ptr<const Subjects>& subjects,
                             const LinearParameters& parameters, const jobs::Progress& progress,
                             const Subject* first_of_all, const AtlasProcesses& processes) {
  const Subject& first = first_of_all != nullptr ? *first_of_all : subjects->front();
  auto placed = std::make_shared<PlacedSubjects>();
  placed->subjects = subjects;
  placed->grid = first.image->grid();
  const bool keeps_values =
      std::ranges::all_of(*subjects, [](const Subject& each) { return each.image != nullptr; });
  processes.together([&] {
    require_registrable(placed->grid, first.name);
    for (std::size_t i = 0; i < subjects->size(); ++i) {
      const auto count = static_cast<double>(subjects->size()), done = static_cast<double>(i);
      const Subject& subject = (*subjects)[i];
      const auto image = image_of(subject, progress);
      if (subject.image == nullptr) {
        for (const Remark& each : image->remarks)
          placed->remarks.add(each.kind, fmt::format("{}: {}", subject.name, each.text), each.count);
      }
      placed->maps.push_back(
          map_from(first, subject, *image, parameters, progress.part(done / count, (done + 1) / count)));
    }
  });
  const std::vector<Eigen::Affine3d> all_maps = maps_of_all(placed->maps, processes);
  if (all_maps.size() < 2) throw Error("An average needs at least two images.");
  // The mean of the maps is the identity: the average has the pose and size of all images, and not those of the first.
  if (parameters.model != LinearModel::none) {
    if (const auto mean = mean_of(all_maps)) {
      for (Eigen::Affine3d& each : placed->maps) each = each * mean->inverse();
    } else {
      placed->remarks.assumed(
          "The linear maps of the images have no mean: the average has the pose and size of the first.");
    }
  }
  processes.together([&] {
    for (std::size_t i = 0; i < subjects->size(); ++i) {
      progress.check();
      const Subject& subject = (*subjects)[i];
      Resampled there =
          resampled(*image_of(subject, progress), subject.name, placed->grid, first.name, placed->maps[i]);
      for (const Remark& each : there.remarks) placed->remarks.add(each.kind, each.text, each.count);
      const auto [low, high] = std::ranges::minmax(there.values);
      if (low == high) {
        throw Error(fmt::format(
            "{} has the value {} everywhere on the grid of {}: there is nothing to align. Leave it out.",
            subject.name, low, first.name));
      }
      placed->ranges.push_back({low, high});
      if (keeps_values) placed->values.push_back(std::move(there.values));
    }
  });
  return placed;
}

Atlas atlas_of(const PlacedSubjects& placed, std::span<const std::size_t> averaged,
               std::span<const double> weights, const AtlasParameters& parameters,
               const OnAtlasIteration& on_iteration, const jobs::Progress& progress,
               const AtlasProcesses& processes, const std::shared_ptr<const FluidEngines>& engines) {
  const Counts& counts = placed.grid.dimensions;
  const AtlasImages images(averaged.size(),
                           [&](std::size_t i) { return placed_values(placed, averaged[i]); });
  Atlas atlas =
      build_atlas(images, weights, counts, spacing_of(placed.grid), parameters, levels_of(counts, parameters),
                  on_iteration, progress, processes, compute_of(parameters, engines));
  const auto deform = [&](std::size_t i, const VectorField& displacement) {
    FieldValues values = deformed(placed, averaged[i], displacement);
    if (parameters.intensities == Intensities::range) {
      const auto [low, high] = placed.ranges[averaged[i]];
      for (float& each : values) each = (each - low) / (high - low);
    }
    return values;
  };
  take_average(atlas, deform, weights, progress, processes);
  return atlas;
}

AveragePointer average(const PlacedPointer& placed, const std::vector<double>& weights,
                       const AtlasParameters& parameters, const std::function<void(AveragePointer)>& show,
                       const jobs::Progress& progress, const std::shared_ptr<const FluidEngines>& engines) {
  const Counts& counts = placed->grid.dimensions;
  const auto levels = levels_of(counts, parameters);
  Average so_far;
  so_far.placed = placed;
  so_far.weights = weights;
  so_far.levels = levels.size();
  std::vector<double> used;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    so_far.averaged.push_back(i);
    used.push_back(weights[i]);
  }
  if (used.size() < 2)
    throw Error("An average needs at least two images with a weight above 0. Raise a weight.");
  Pace pace;
  const auto on_iteration = [&](const AtlasIteration& iteration) {
    so_far.spreads.push_back(iteration.spread);
    so_far.level = iteration.level;
    pace([&] {
      auto shown = std::make_shared<Average>(so_far);
      const Counts& at = levels[iteration.level].counts;
      shown->mean = volumes::resized(iteration.mean, at, counts);
      FieldValues deviation(iteration.variance.begin(), iteration.variance.end());
      for (float& each : deviation) each = std::sqrt(each);
      shown->deviation = volumes::resized(deviation, at, counts);
      show(std::move(shown));
    });
  };
  so_far.atlas =
      atlas_of(*placed, so_far.averaged, used, parameters, on_iteration, progress, AtlasProcesses(), engines);
  so_far.mean = std::move(so_far.atlas.mean);
  so_far.deviation = std::move(so_far.atlas.variance);
  for (float& each : so_far.deviation) each = std::sqrt(each);
  so_far.finished = true;
  so_far.moved_mm.resize(weights.size());
  for (std::size_t i = 0; i < used.size(); ++i)
    so_far.moved_mm[so_far.averaged[i]] = root_mean_square_mm(so_far.atlas.images->field(i), placed->grid);
  so_far.text = text_of(so_far.atlas);
  so_far.numbers = json_of(so_far.atlas);
  return std::make_shared<const Average>(std::move(so_far));
}

FieldValues subject_values(const PlacedSubjects& placed, const Average* average, std::size_t index) {
  if (average == nullptr || !average->finished) return placed_values(placed, index);
  const std::size_t place = place_among(average->averaged, index);
  if (place == average->averaged.size()) return placed_values(placed, index);
  return deformed(placed, index, average->atlas.images->field(place));
}

VectorField whole_displacement(const Average& average, std::size_t index) {
  return displacement_then(average.placed->grid,
                           average.atlas.images->field(place_among(average.averaged, index)),
                           average.placed->maps.at(index));
}

std::string text_of(const Average& average) {
  if (average.finished) return average.text;
  return fmt::format("Level {} of {}, iteration {}, spread {:.3g}", average.level + 1, average.levels,
                     average.spreads.size(), average.spreads.empty() ? 0.0 : average.spreads.back());
}

}  // namespace isolume::anatomy
