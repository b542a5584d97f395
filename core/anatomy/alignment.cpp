#include "core/anatomy/alignment.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/anatomy/describe.h"
#include "core/anatomy/geodesic.h"
#include "core/anatomy/pace.h"
#include "core/anatomy/phantom.h"
#include "core/anatomy/transform.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/handover.h"
#include "core/images/colours.h"
#include "core/images/window.h"
#include "core/volumes/gaussian.h"
#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

using PairPointer = std::shared_ptr<const Pair>;
using PlacementPointer = std::shared_ptr<const Placement>;

Spacing spacing_of(const grid::Grid& grid) {
  return {grid.spacing(0), grid.spacing(1), grid.spacing(2)};
}

template <class Work>
void for_voxels(std::size_t count, const Work& work) {
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1 << 14), [&](const auto& range) {
    for (std::size_t at = range.begin(); at != range.end(); ++at) work(at);
  });
}

constexpr int phantom_side = 96;
constexpr double phantom_deformation = 0.12;

grid::Grid phantom_grid() {
  grid::Grid grid = grid::centred(Eigen::Vector3d::Zero(), {phantom_side, phantom_side, phantom_side}, 2,
                                  grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  return grid;
}

/// Values mapped from their range to 0 to 1.
class Normalised {
 public:
  explicit Normalised(std::span<const float> values) {
    const auto [low, high] = std::ranges::minmax(values);
    low_ = low;
    factor_ = high > low ? 1 / (high - low) : 0;
  }
  float operator()(float value) const { return (value - low_) * factor_; }

 private:
  float low_ = 0, factor_ = 0;
};

void add_of(Remarks& all, const std::filesystem::path& file, const Remarks& remarks) {
  for (const Remark& each : remarks)
    all.add(each.kind, fmt::format("{}: {}", file.filename().string(), each.text), each.count);
}

/// Shows what an iteration has reached, at full resolution.
class Showing {
 public:
  Showing(PlacementPointer placement, const FluidParameters& parameters, bool has_surfaces,
          std::function<void(std::shared_ptr<const Alignment>)> show)
      : placement_(std::move(placement)),
        parameters_(parameters),
        has_surfaces_(has_surfaces),
        show_(std::move(show)) {}

  void operator()(const Iteration& iteration) {
    mismatches_.push_back(iteration.mismatch);
    if (has_surfaces_) surface_distances_.push_back(iteration.surfaces);
    if (iteration.level >= first_level_) pace_([&] { show(iteration); });
  }
  /// Another registration, which is shown from this level on.
  void begin_again(std::size_t first_level) {
    mismatches_.clear();
    surface_distances_.clear();
    first_level_ = first_level;
  }
  std::vector<double>& mismatches() { return mismatches_; }
  std::vector<double>& surface_distances() { return surface_distances_; }

 private:
  void show(const Iteration& iteration) {
    auto shown = std::make_shared<Alignment>();
    shown->placement = placement_;
    shown->metric = parameters_.metric;
    shown->smoothness_mm = parameters_.smoothness_mm;
    shown->displacement = volumes::resized(iteration.displacement, placement_->pair->grid.dimensions);
    shown->warped = FieldValues(placement_->moving.size());
    volumes::warp(placement_->moving, shown->displacement, shown->warped);
    const auto jacobian = volumes::jacobian_range(iteration.displacement);
    shown->least_jacobian = jacobian.least;
    shown->folded = jacobian.folded;
    shown->level = iteration.level;
    shown->levels = iteration.levels;
    shown->mismatches = mismatches_;
    shown->surface_distances = surface_distances_;
    show_(std::move(shown));
  }

  PlacementPointer placement_;
  FluidParameters parameters_;
  bool has_surfaces_;
  std::size_t first_level_ = 0;
  std::function<void(std::shared_ptr<const Alignment>)> show_;
  std::vector<double> mismatches_, surface_distances_;
  Pace pace_;
};

std::string name_of(const std::filesystem::path& path) {
  return path.empty() ? "the phantom" : path.filename().string();
}

/// A registration that begins while the deformation found before is shown.
struct Restart {
  const PlacementPointer& placement;
  const DeformationParameters& parameters;
  const std::vector<Level>& levels;
  Masks masks;

  std::size_t middle() const { return levels.size() > 2 ? levels.size() - 2 : 0; }
  Spacing spacing() const { return spacing_of(placement->pair->grid); }
  /// Where forces reach farther now, the deformation is smoothed by a part of what the longer reach adds.
  VectorField displacement(const Alignment& before) const {
    VectorField field = before.displacement;
    if (parameters.smoothness_mm <= before.smoothness_mm) return field;
    const double added_mm =
        std::sqrt(std::pow(parameters.smoothness_mm, 2) - std::pow(before.smoothness_mm, 2));
    std::array<double, 3> sigma{};
    for (std::size_t axis = 0; axis < 3; ++axis) sigma[axis] = added_mm / 2 / spacing()[axis];
    for (auto& component : field.components) volumes::smooth_gaussian(component, field.counts, sigma);
    return field;
  }
  std::shared_ptr<const Alignment> shown(const Alignment& before) const {
    auto shown = std::make_shared<Alignment>();
    shown->placement = placement;
    shown->metric = parameters.metric;
    shown->smoothness_mm = before.smoothness_mm;
    shown->displacement = before.displacement;
    shown->warped = FieldValues(placement->moving.size());
    volumes::warp(placement->moving, shown->displacement, shown->warped);
    shown->least_jacobian = before.least_jacobian;
    shown->folded = before.folded;
    shown->level = middle();
    shown->levels = levels.size();
    shown->mismatches = before.mismatches;
    return shown;
  }
  /// Measured at the middle level.
  bool brings_nearer(const Alignment& before) const {
    const Counts &counts = before.displacement.counts, &coarse = levels[middle()].counts;
    const LevelImages images(placement->pair->fixed, placement->moving, counts, parameters, masks);
    const auto [fixed, moving] = images.at(coarse);
    const VectorField field = volumes::resized(displacement(before), coarse);
    const FieldValues weights = images.weights(field);
    FieldValues warped(moving.size());
    volumes::warp(moving, field, warped);
    Mismatch mismatch(coarse, level_spacing(counts, spacing(), coarse), parameters);
    mismatch.set_fixed(fixed, weights);
    const double now = mismatch.measure(warped, nullptr);
    return now < mismatch.measure(moving, nullptr);
  }
  void advance(const Alignment& before, Showing& showing, const LandmarkTerm& pairs,
               const jobs::Progress& progress, const FluidCompute& compute,
               const SurfaceTerm& surfaces) const {
    const VectorField field = displacement(before);
    std::vector<Level> up_to_middle(levels.begin(),
                                    levels.begin() + static_cast<std::ptrdiff_t>(middle()) + 1);
    register_images(
        placement->pair->fixed, placement->moving, field.counts, spacing(), parameters, up_to_middle,
        {.displacement = &field, .first_level = middle()},
        [&](const Iteration& iteration) { showing(iteration); }, progress, pairs, masks,
        with_engine_of(parameters, compute), surfaces);
  }
};

}  // namespace

void set_moving(Pair& pair, std::shared_ptr<const Image> image) {
  pair.moving = on_grid(*image, pair.grid).values;
  pair.moving_image = std::move(image);
}

PairPointer read_pair(const std::filesystem::path& fixed, const std::filesystem::path& moving,
                      const jobs::Progress& progress) {
  auto pair = std::make_shared<Pair>();
  pair->fixed_path = fixed;
  pair->moving_path = moving;
  Image image = read_image(fixed, progress.part(0, moving.empty() ? 1 : 0.5));
  require_registrable(image.grid(), fixed.filename().string());
  pair->grid = image.grid();
  add_of(pair->remarks, fixed, image.remarks);
  if (!moving.empty()) {
    auto other = std::make_shared<const Image>(read_image(moving, progress.part(0.5, 0.9)));
    require_same_kind(other->grid(), moving.filename().string(), pair->grid, fixed.filename().string());
    add_of(pair->remarks, moving, other->remarks);
    set_moving(*pair, std::move(other));
  }
  pair->fixed = std::move(image.field.values.host());
  return pair;
}

PairPointer phantom_pair() {
  auto pair = std::make_shared<Pair>();
  pair->grid = phantom_grid();
  pair->fixed = head_phantom(phantom_side, 0);
  set_moving(*pair, std::make_shared<const Image>(
                        Image{.field = {.grid = pair->grid,
                                        .values = head_phantom(phantom_side, phantom_deformation),
                                        .name = {},
                                        .unit = {}},
                              .remarks = {}}));
  return pair;
}

Labels phantom_labels(bool is_moving) {
  const FieldValues parts = head_parts(phantom_side, is_moving ? phantom_deformation : 0);
  Labels labels{.grid = phantom_grid(), .values = {0, 1, 2, 3, 4, 5}, .indices = {}, .remarks = {}};
  for (const float each : parts) labels.indices.push_back(static_cast<std::uint32_t>(each));
  return labels;
}

PlacementPointer place(const PairPointer& pair, const LinearParameters& parameters,
                       const std::function<void(PlacementPointer)>& show, const jobs::Progress& progress,
                       const LandmarkPairs& landmarks, const MaskPair& masks, const Eigen::Affine3d* shown) {
  const auto placed = [&](const LinearRegistration& found) {
    return std::make_shared<Placement>(Placement{
        .pair = pair, .parameters = parameters, .masks = masks, .found = found, .moving = {}, .remarks = {}});
  };
  const auto show_map = [&](const Eigen::Affine3d& map) {
    const auto so_far = placed({.map = map});
    so_far->moving = on_grid(*pair->moving_image, pair->grid, map).values;
    show(so_far);
  };
  if (shown != nullptr) show_map(*shown);
  Pace pace;
  const auto on_iteration = [&](const Eigen::Affine3d& map) {
    if (shown == nullptr) pace([&] { show_map(map); });
  };
  const FieldValues of_fixed = masks.fixed != nullptr
                                   ? inside_image(*masks.fixed, pair->grid, name_of(pair->fixed_path))
                                   : FieldValues();
  const Image& moving = *pair->moving_image;
  const FieldValues of_moving = masks.moving != nullptr
                                    ? inside_image(*masks.moving, moving.grid(), name_of(pair->moving_path))
                                    : FieldValues();
  const auto placement =
      placed(register_linear({pair->grid, pair->fixed, of_fixed}, {moving.grid(), moving.values(), of_moving},
                             parameters, nullptr, on_iteration, progress, landmarks));
  Resampled there = resampled(*pair->moving_image, pair->moving_path.filename().string(), pair->grid,
                              pair->fixed_path.filename().string(), placement->found.map);
  placement->moving = std::move(there.values);
  placement->remarks = std::move(there.remarks);
  placement->finished = true;
  return placement;
}

std::shared_ptr<const Alignment> align(const PlacementPointer& placement,
                                       const DeformationParameters& parameters,
                                       const std::function<void(std::shared_ptr<const Alignment>)>& show,
                                       const jobs::Progress& progress, const LandmarkPairs& landmarks,
                                       const Alignment* before, const FluidCompute& compute,
                                       const FurtherTerms& further) {
  const grid::Grid& grid = placement->pair->grid;
  const Counts& counts = grid.dimensions;
  const auto levels = levels_of(counts, parameters);
  const PlacedMasks masks =
      placed_on(placement->masks, grid, name_of(placement->pair->fixed_path), placement->found.map);
  const Restart restart{
      .placement = placement, .parameters = parameters, .levels = levels, .masks = masks.view()};
  if (before != nullptr && !placement->finished) return restart.shown(*before);
  const LandmarkTerm pairs{.pairs = on_grid(landmarks, grid, placement->found.map),
                           .weight = parameters.landmark_weight};
  const bool is_fluid = parameters.model == DeformationModel::fluid;
  const bool compares_classes = is_fluid && further.compares_classes();
  FluidParameters shown = parameters;
  if (compares_classes) shown.metric = Metric::squares;
  Showing showing(placement, shown, follows_surfaces(parameters.model) && !further.surfaces.empty(), show);
  jobs::Progress rest = progress;
  if (before != nullptr && before->displacement.counts == counts && levels.size() > 1 &&
      restart.brings_nearer(*before)) {
    show(restart.shown(*before));
    if (is_fluid && !compares_classes) {
      restart.advance(*before, showing, pairs, progress.part(0, 0.2), compute, further.surfaces);
      rest = progress.part(0.2, 1);
    }
    showing.begin_again(levels.size() - 1);
  }
  Registration found = deform(
      placement->pair->fixed, placement->moving, counts, spacing_of(grid), parameters, levels,
      [&](const Iteration& iteration) { showing(iteration); }, rest, pairs, masks.view(), compute, further);
  auto alignment = std::make_shared<Alignment>();
  alignment->placement = placement;
  alignment->metric = found.metric;
  alignment->smoothness_mm = parameters.smoothness_mm;
  alignment->displacement = std::move(found.displacement);
  alignment->warped = std::move(found.warped);
  alignment->level = levels.size() - 1;
  alignment->levels = levels.size();
  alignment->mismatches = std::move(showing.mismatches());
  alignment->surface_distances = std::move(showing.surface_distances());
  alignment->surfaces = std::move(found.surfaces);
  if (follows_surfaces(parameters.model)) alignment->remarks = further.remarks;
  alignment->mismatch_before = found.mismatch_before;
  alignment->mismatch_after = found.mismatch_after;
  alignment->least_jacobian = found.least_jacobian;
  alignment->folded = found.folded;
  alignment->mended = found.mended;
  alignment->leaves_landmarks_out = !landmarks.empty() && !follows_landmarks(parameters.model);
  alignment->kinetic_energies = std::move(found.kinetic_energies);
  alignment->velocities = std::move(found.velocities);
  alignment->report = std::move(found.report);
  if (compute.engines != nullptr && !alignment->report.who.empty()) {
    alignment->report.job = "registration";
    compute.engines->record(alignment->report);
  }
  alignment->finished = true;
  return alignment;
}

Eigen::Vector3d moving_point(const Alignment& alignment, const Eigen::Vector3d& fixed) {
  const grid::Grid& grid = alignment.pair().grid;
  const Eigen::Vector3d index = grid.index_at(fixed);
  const bool is_moved = is_on_grid(index, grid);
  return alignment.placement->found.map *
         (is_moved ? grid.position(index + vector_at(alignment.displacement, index)) : fixed);
}

VectorField whole_displacement(const Alignment& alignment) {
  return displacement_then(alignment.pair().grid, alignment.displacement, alignment.placement->found.map);
}

VectorField whole_displacement(const Alignment& alignment, double morph) {
  if (morph == 1) return whole_displacement(alignment);
  if (alignment.velocities.empty()) return part_of(whole_displacement(alignment), morph);
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  map.matrix() += morph * (alignment.placement->found.map.matrix() - map.matrix());
  return displacement_then(alignment.pair().grid, displacement_at(alignment.velocities, morph), map);
}

VectorField part_of(VectorField displacement, double morph) {
  for (auto& component : displacement.components) {
    for (float& each : component) each *= static_cast<float>(morph);
  }
  return displacement;
}

FieldValues warped_image(const Alignment& alignment) {
  const Pair& pair = alignment.pair();
  return moved(*pair.moving_image, {.grid = pair.grid, .field = whole_displacement(alignment), .remarks = {}},
               false);
}

namespace {

/// The moving image on the way that the comparison asks for.
FieldValues warped_of(const Pair& pair, const Placement* placement, const Alignment* alignment,
                      const Comparison& comparison) {
  if (!pair.has_moving()) return pair.fixed;
  if (comparison.morph == 1 || placement == nullptr)
    return alignment != nullptr ? alignment->warped : placement != nullptr ? placement->moving : pair.moving;
  VectorField part =
      alignment != nullptr
          ? whole_displacement(*alignment, comparison.morph)
          : part_of(displacements_of(Transform(placement->found.map), pair.grid).field, comparison.morph);
  return moved(*pair.moving_image, {.grid = pair.grid, .field = std::move(part), .remarks = {}}, false);
}

images::Volume volume_of(const grid::Grid& grid, FieldValues values) {
  auto field = std::make_shared<grid::ScalarField>();
  field->grid = grid;
  field->values = std::move(values);
  return images::volume_of(field);
}

}  // namespace

images::Volume second_of(const Pair& pair, const Placement* placement, const Alignment* alignment,
                         const Comparison& comparison) {
  FieldValues values = warped_of(pair, placement, alignment, comparison);
  const Normalised of_moving(pair.has_moving() ? pair.moving_image->values()
                                               : std::span<const float>(pair.fixed));
  for_voxels(values.size(), [&](std::size_t at) { values[at] = of_moving(values[at]); });
  return volume_of(pair.grid, std::move(values));
}

images::Volume picture_of(const Pair& pair, const Placement* placement, const Alignment* alignment,
                          const Comparison& comparison) {
  const FieldValues& moving = pair.has_moving() ? pair.moving : pair.fixed;
  const FieldValues warped = warped_of(pair, placement, alignment, comparison);
  const std::size_t count = pair.fixed.size();
  FieldValues values(count);
  const Normalised of_fixed(pair.fixed);
  const Normalised of_moving(pair.has_moving() ? pair.moving_image->values()
                                               : std::span<const float>(pair.fixed));
  switch (comparison.shown) {
    case Shown::fixed:
      values = pair.fixed;
      break;
    case Shown::moving:
      values = moving;
      break;
    case Shown::warped:
      values = warped;
      break;
    case Shown::wipe:
    case Shown::flicker:
      for_voxels(count, [&](std::size_t at) { values[at] = of_fixed(pair.fixed[at]); });
      break;
    case Shown::overlay:
      for_voxels(count, [&](std::size_t at) {
        values[at] = (of_fixed(pair.fixed[at]) + of_moving(warped[at])) / 2;
      });
      break;
    case Shown::difference:
      for_voxels(count,
                 [&](std::size_t at) { values[at] = of_fixed(pair.fixed[at]) - of_moving(warped[at]); });
      break;
    case Shown::jacobian:
      if (alignment != nullptr) {
        values = volumes::jacobian_determinants(alignment->displacement);
      } else {
        std::ranges::fill(values, 1.F);
      }
      break;
    case Shown::checkerboard: {
      const auto& [nx, ny, nz] = pair.grid.dimensions;
      const double side = std::ranges::max(pair.grid.spacing().cwiseProduct(Eigen::Vector3d(nx, ny, nz))) /
                          comparison.squares;
      const Eigen::Vector3d squares_per_voxel = pair.grid.spacing() / side;
      const auto square = [&](std::size_t index, int axis) {
        return static_cast<int>(static_cast<double>(index) * squares_per_voxel[axis]);
      };
      const auto width = static_cast<std::size_t>(nx), height = static_cast<std::size_t>(ny);
      for_voxels(count, [&](std::size_t at) {
        const int sum =
            square(at % width, 0) + square(at / width % height, 1) + square(at / (width * height), 2);
        values[at] = sum % 2 == 0 ? of_fixed(pair.fixed[at]) : of_moving(warped[at]);
      });
      break;
    }
  }
  images::Volume picture = volume_of(pair.grid, std::move(values));
  if (comparison.shown == Shown::overlay) {
    std::uint8_t* const colours = images::add_colours(picture, 1);
    const auto level = [](float value) {
      return static_cast<std::uint8_t>(255 * std::clamp(value, 0.F, 1.F) + 0.5F);
    };
    for_voxels(count, [&](std::size_t at) {
      colours[3 * at] = colours[3 * at + 2] = level(of_moving(warped[at]));
      colours[3 * at + 1] = level(of_fixed(pair.fixed[at]));
    });
  }
  return picture;
}

images::ValueRange shown_values(const images::Volume& picture, const Comparison& comparison) {
  switch (comparison.shown) {
    case Shown::overlay:
    case Shown::checkerboard:
    case Shown::wipe:
    case Shown::flicker:
      return {0, 1};
    case Shown::difference:
      return {-1, 1};
    case Shown::jacobian:
      return {0, 2};
    default:
      break;
  }
  const images::Window window = images::percentile_window(picture, 0.01, 0.998);
  return {window.centre - window.width / 2, window.centre + window.width / 2};
}

std::string text_of(const Placement& placement) {
  if (!placement.finished) return "Searching the linear map";
  std::string text = text_of(placement.found, placement.parameters);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string text_of(const Alignment& alignment) {
  const std::string_view difference = name_of(alignment.metric);
  if (alignment.finished) {
    std::string text =
        fmt::format("Deformation: {} {:.3g} before, {:.3g} after; least Jacobian {:.3g}", difference,
                    alignment.mismatch_before, alignment.mismatch_after, alignment.least_jacobian);
    if (!alignment.kinetic_energies.empty())
      text += fmt::format("; geodesic distance {:.3g} mm", geodesic_distance(alignment.kinetic_energies));
    if (!alignment.surfaces.empty()) text += "; " + text_of(alignment.surfaces);
    if (alignment.leaves_landmarks_out) text += "; this model does not follow landmarks";
    if (alignment.mended > 0)
      text += fmt::format("; smoothed about {} that folded", counted(alignment.mended, "voxel"));
    if (alignment.folded > 0) text += fmt::format("; folded in {}", counted(alignment.folded, "voxel"));
    return text;
  }
  return fmt::format("Level {} of {}, iteration {}, {} {:.3g}", alignment.level + 1, alignment.levels,
                     alignment.mismatches.size(), difference,
                     alignment.mismatches.empty() ? alignment.mismatch_before : alignment.mismatches.back());
}

}  // namespace isolume::anatomy
