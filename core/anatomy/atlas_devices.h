#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/anatomy/atlas_parameters.h"
#include "core/anatomy/mismatch.h"
#include "core/anatomy/parameters.h"
#include "core/dispatch/engine_registry.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
class FluidEngine;
struct FluidCompute;
}  // namespace isolume::anatomy

/// Images of an atlas dealt to devices (L. K. Ha, PhD thesis, University of Utah, 2011, chapter on multi-GPU atlases): each device
/// keeps its images for a level, and the mean is the only exchange in an iteration.
namespace isolume::anatomy {

/// A level of an atlas by greedy fluid steps.
struct AtlasShape {
  Counts counts{};
  Spacing spacing_mm{};
  const FluidParameters& parameters;
  std::size_t images = 0;  ///< of this process
};

/// The images of this process at a level. All of it lives as long as the level's work.
struct AtlasProblem : AtlasShape {
  std::vector<std::span<const float>> values = {};
  std::span<const double> weights = {};  ///< their sum over all processes is 1
  double greatest = 1;                   ///< magnitude of values in all processes
  /// The displacements with which the level begins, and, after AtlasLevel::finish, those with which it ends.
  std::vector<VectorField*> displacements = {};
  /// Other processes take part in the work: it cannot begin anew in one of them.
  bool has_others = false;
  /// Does the work of the level on the host. The last call.
  std::function<void()> on_host = {};
};

/// The images of an atlas at a level on devices.
class AtlasLevel {
 public:
  virtual ~AtlasLevel() = default;
  /// Adds the terms weight * value and, unless empty, weight * value^2, of each warped image, Rounded by the greatest magnitude and
  /// its square.
  virtual void add_sums(std::span<double> sums, std::span<double> squares) = 0;
  /// The image with which all are compared. It has to live until the next one is set.
  virtual void set_mean(std::span<const float> mean) = 0;
  /// The longest smoothed force of all images: in voxels, by a step of the size 1.
  virtual double longest() = 0;
  /// Takes a step of each image towards the mean; none if the size is 0. Returns the weighted mismatch of each before it
  /// (Mismatch::measure).
  virtual std::vector<double> step(double step_size) = 0;
  /// Replaces the displacements of the problem by the present ones.
  virtual void finish() = 0;
};

/// Which device gets which images at a level.
struct LevelPlan {
  struct Part {
    std::string device;
    int number = 0;  ///< in the pool, as in dispatch::ComputeOptions::devices
    std::size_t first = 0, images = 0;
    std::size_t bytes = 0;  ///< of the device's memory
    double seconds = 0;     ///< for an iteration; 0: not known
  };
  std::vector<Part> parts;
  std::string engine;
  std::string reason;  ///< as dispatch::Report::reason
  Counts counts{};
  int iterations = 0;

  /// For the level: that of the device that takes longest. 0: not known.
  double seconds() const;
};

/// The engines with what the parameters choose of them. Null: the CPU alone.
FluidCompute compute_of(const AtlasParameters& parameters,
                        const std::shared_ptr<const dispatch::EngineRegistry<FluidEngine>>& engines);
/// By which engine images in files are averaged: the CPU. Throws Error where another one is chosen by name.
FluidCompute of_streamed(const FluidCompute& compute);
/// Plans of the levels of an atlas by fluid steps, which computes nothing but the times of devices.
std::vector<LevelPlan> plan_atlas(const FluidCompute& compute, std::size_t images, const Counts& counts,
                                  const Spacing& spacing_mm, const FluidParameters& parameters);
/// {"levels": [{"counts", "iterations", "engine", "reason", "devices": [{"number", "device", "images": [first, last], "bytes",
/// "seconds"}], "seconds"}], "seconds"}: images from 1; times without those that are not known.
nlohmann::ordered_json json_of(const std::vector<LevelPlan>& plan);
std::string text_of(const std::vector<LevelPlan>& plan);

/// Deals images of equal cost: one after the other to the device that would then end first, the first of several, which makes the
/// least time in which all end. Fewer than `images` in all where the devices hold no more. `capacity`: images that each holds;
/// `seconds_an_image`: at least 0, all of them known.
std::vector<std::size_t> deal_images(std::size_t images, std::span<const double> seconds_an_image,
                                     std::span<const std::size_t> capacity);

}  // namespace isolume::anatomy
