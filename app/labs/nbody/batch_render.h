#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/batch/context.h"
#include "app/labs/nbody/batch_source.h"
#include "app/labs/nbody/bodies_picture.h"
#include "app/scene/files/image.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/simulation/course.h"

namespace isolume::batch {

/// What a movie is made of besides its bodies.
struct MovieChoices {
  std::string path;
  int frames_per_second = 30;
  std::int64_t every = 1;  ///< steps, or moments of a trajectory, from one frame to the next
  double turn = 0;         ///< degrees in all, about the vertical
  double seconds = 0;      ///< of bodies that stand still
  std::string sweep;       ///< "exposure=0.2:5"
};

/// Of `nbody render`.
struct RenderOptions {
  std::string output;
  MovieChoices movie;
  std::optional<std::int64_t> steps;
  std::optional<double> time;
  scene::ImageOptions image;
  std::string camera = "isometric";                  // as the window starts
  std::optional<std::array<float, 2>> colour_range;  ///< of the first and the last colour
  bool json = false;
  const CLI::App* command = nullptr;
  Source source;
  nbody::RunOptions run;
  labs::nbody::NBodyLook look;
  parameters::StructParameters<nbody::RunOptions> run_set{nbody::run_schema(), run};
  parameters::StructParameters<labs::nbody::NBodyLook> look_set{labs::nbody::nbody_look_schema(), look};
  std::string session;                        ///< empty: none
  std::optional<labs::nbody::Extent> extent;  ///< the session's
  std::optional<simulation::Course> course;   ///< the same: `steps` are counted from its origin
};

/// Bodies that move from there, by the session's course where there is one, at whose origin they are then.
std::unique_ptr<nbody::NBodySimulation> simulation_of(const RenderOptions& options,
                                                      nbody::InitialConditions start,
                                                      const jobs::Progress& progress);
/// By so many steps of the course.
void go_on(nbody::NBodySimulation& simulation, const RenderOptions& options, std::int64_t steps,
           const jobs::Progress& progress);

/// Which parts of a frame colours need.
simulation::Wanted wanted_of(const labs::nbody::NBodyLook& look);

/// Frames that trails run through, newest first, as many as they reach back.
class History {
 public:
  explicit History(const labs::nbody::NBodyLook& look) : look_(look) {}
  void add(std::shared_ptr<const nbody::NBodyFrame> frame);
  /// Whether a frame that is made now will be seen.
  bool wants(std::int64_t steps_before_the_last) const {
    return look_.trails != labs::nbody::Trails::none && steps_before_the_last <= look_.trail_steps;
  }
  const std::vector<std::shared_ptr<const nbody::NBodyFrame>>& frames() const { return frames_; }

 private:
  const labs::nbody::NBodyLook& look_;
  std::vector<std::shared_ptr<const nbody::NBodyFrame>> frames_;
};
/// Whether it is a file of moments by `nbody run`. Empty: no.
bool names_trajectory(const std::string& file);

/// Of all moments of a trajectory, or of a run. Throws Error, Cancelled.
void write_movie(Context& context, RenderOptions& options);

}  // namespace isolume::batch
