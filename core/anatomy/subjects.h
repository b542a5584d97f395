#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/anatomy/atlas.h"
#include "core/anatomy/image.h"
#include "core/anatomy/linear.h"
#include "core/anatomy/parameters.h"

namespace isolume::anatomy {

/// One of the images that are averaged.
struct Subject {
  std::filesystem::path path;  ///< empty: it is no file
  std::string name;
  std::shared_ptr<const Image> image;  ///< null: it is read from the file each time it is needed
};
using Subjects = std::vector<Subject>;
/// Its image. Throws as read_image.
std::shared_ptr<const Image> image_of(const Subject& subject, const jobs::Progress& progress = {});

/// The images of a folder, sorted by name; files that hold voxels for a header are not listed. Throws Error if there is none.
std::vector<std::filesystem::path> images_in(const std::filesystem::path& folder);
/// Throws as read_image.
Subjects read_subjects(const std::vector<std::filesystem::path>& paths, const jobs::Progress& progress = {});
/// Names without what all of them have at their end after a dot, a hyphen or an underscore: "sub-01" of
/// "sub-01_T1w.nii.gz" where the others end with "_T1w.nii.gz", too.
std::vector<std::string> short_names(const Subjects& subjects);
/// Six heads whose folds and ventricles differ, of 64^3 voxels of 3 mm.
Subjects phantom_subjects();
/// Ages in years that go with their deformations.
std::vector<double> phantom_ages();

/// Images of this process on the grid of the first one of all, each as a linear map places it. The maps found from the first image to each are
/// multiplied by the inverse of their mean, so that no image's pose and size counts more than another's.
struct PlacedSubjects {
  std::shared_ptr<const Subjects> subjects;
  grid::Grid grid;
  std::vector<FieldValues> values;  ///< empty where images are read each time: placed_values() makes them
  std::vector<std::array<float, 2>> ranges;  ///< the least and the greatest of the values of each image
  std::vector<Eigen::Affine3d> maps;         ///< a point p of the grid lies at map * p in an image
  Remarks remarks;
};
/// `first`: the first image of all processes, where they are several; null: that of `subjects`. Throws as register_linear,
/// require_registrable and require_same_kind, and Error naming an image that has one value everywhere on the grid.
std::shared_ptr<const PlacedSubjects> place_subjects(const std::shared_ptr<const Subjects>& subjects,
                                                     const LinearParameters& parameters,
                                                     const jobs::Progress& progress,
                                                     const Subject* first = nullptr,
                                                     const AtlasProcesses& processes = AtlasProcesses());

/// The values of an image on the grid. Throws as image_of.
FieldValues placed_values(const PlacedSubjects& placed, std::size_t index);

/// The average of images, or what has been found of it so far, on the grid of the first one.
struct Average {
  std::shared_ptr<const PlacedSubjects> placed;
  std::vector<std::size_t> averaged;  ///< the images that count: their weight is not 0
  std::vector<double> weights;        ///< of all images
  FieldValues mean, deviation;        ///< of the values compared: the standard deviation about the mean
  std::vector<double> spreads;        ///< of each iteration so far, at its level
  std::size_t level = 0, levels = 0;
  Atlas atlas;  ///< of those averaged; without its mean and variance, and with nothing before it is finished
  bool finished = false;
  // When it is finished: these read all displacements, which would keep a window waiting.
  std::vector<std::optional<double>>
      moved_mm;                    ///< root mean square displacement of each image; nothing without a weight
  std::string text;                ///< text_of(Atlas)
  nlohmann::ordered_json numbers;  ///< json_of(Atlas)
};
/// `show` gets what is found so far: soon, then as often as that costs at most a quarter of the time. Weights of 0 leave images
/// out. Throws as build_atlas.
std::shared_ptr<const Average> average(const std::shared_ptr<const PlacedSubjects>& placed,
                                       const std::vector<double>& weights, const AtlasParameters& parameters,
                                       const std::function<void(std::shared_ptr<const Average>)>& show,
                                       const jobs::Progress& progress,
                                       const std::shared_ptr<const FluidEngines>& engines = nullptr);
/// The atlas of those images that are `averaged`, by their numbers, with their weights. The mean and the variance are those of
/// the images as their files have them, interpolated once by their whole maps; values that were interpolated on the grid before
/// would blur them. `engines`: those that the parameters name; null: the CPU alone. Throws as build_atlas.
Atlas atlas_of(const PlacedSubjects& placed, std::span<const std::size_t> averaged,
               std::span<const double> weights, const AtlasParameters& parameters,
               const OnAtlasIteration& on_iteration = {}, const jobs::Progress& progress = {},
               const AtlasProcesses& processes = AtlasProcesses(),
               const std::shared_ptr<const FluidEngines>& engines = nullptr);
/// An image as it was placed and, where the average is finished and it counts there, deformed onto the mean.
FieldValues subject_values(const PlacedSubjects& placed, const Average* average, std::size_t index);
/// The displacement of the whole map of an image that counts, as whole_displacement().
VectorField whole_displacement(const Average& average, std::size_t index);

/// "Level 2 of 3, iteration 20, spread 0.031"; when it is finished, its text.
std::string text_of(const Average& average);

}  // namespace isolume::anatomy
