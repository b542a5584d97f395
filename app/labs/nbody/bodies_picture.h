#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Geometry>

#include "app/bodies/bodies_look.h"
#include "app/labs/nbody/body_names.h"
#include "app/labs/nbody/nbody_look.h"
#include "core/nbody/runs/nbody_simulation.h"

class vtkRenderer;

namespace isolume::gpu {
class PointsEngine;
}  // namespace isolume::gpu

namespace isolume::scene {
struct LightPoints;
struct LineSet;
}  // namespace isolume::scene

namespace isolume::labs::nbody {

/// What is seen of the bodies at first. Its middle is the origin of the renderer's coordinates, so that single precision
/// is enough wherever the bodies are.
struct Extent {
  Eigen::Vector3d middle = {0, 0, 0};
  double radius = 1;
  double surface_density = 0;  ///< about the highest; 0: not known
  double largest_sphere = 0;   ///< the drawn radius of the largest body with compressed sizes; 0: not known
};

/// What is to be drawn.
struct BodiesRequest {
  std::shared_ptr<const isolume::nbody::NBodyFrame> frame;
  NBodyLook look;
  std::optional<Extent> extent = std::nullopt;  ///< nothing: the one that nine of ten bodies are in
  /// Of the same bodies, for trails: the moment before, the one before that ...
  std::vector<std::shared_ptr<const isolume::nbody::NBodyFrame>> history = {};
  /// Values of the first and the last colour, where they are not those that suit the frame.
  std::optional<std::array<float, 2>> colour_range = std::nullopt;
  bool colours_may_widen = false;  ///< those values, where the frame has others beyond them
  /// What draws numbers that stay on a device from there; null: they come to the host.
  std::shared_ptr<const gpu::PointsEngine> from_device = nullptr;
  std::shared_ptr<const bodies::SteadyBodies> steady = nullptr;  ///< of another frame, where they are known
};

/// The bodies of a frame, ready to be drawn. Places are the renderer's.
struct BodiesDrawing {
  std::shared_ptr<const isolume::nbody::NBodyFrame> frame;
  NBodyLook look;
  std::shared_ptr<const scene::LightPoints> points;
  std::shared_ptr<const bodies::SteadyBodies> steady;  ///< of the points
  std::shared_ptr<const scene::LineSet> lines;
  Extent extent;
  std::vector<PlacedName> names = {};
  std::optional<std::size_t> chosen;  ///< the chosen body's number in the frame
  std::optional<Eigen::Vector3d> chosen_place = {};
  std::optional<Eigen::Vector3d> followed = {};  ///< what the camera follows
  double seconds = 0;                            ///< that it took to make it
};
/// On any thread; with many bodies it takes longer than a window may rest.
BodiesDrawing draw_bodies(const BodiesRequest& request);

/// What the colours tell, in English: "Speed".
const std::string& coloured_quantity(const NBodyLook& look);

/// The bodies in a renderer, with the bar of what their colours tell and a ring about the chosen one.
class BodiesPicture {
 public:
  explicit BodiesPicture(vtkRenderer& renderer);
  ~BodiesPicture();
  /// Called, within a drawing, where bodies could not be had from their device: nothing is seen of them then.
  void set_on_lost(std::function<void()> on_lost);

  /// `quantity`: what the colours tell, for people. The camera goes with what it follows.
  void show(const BodiesDrawing& drawing, const std::string& quantity);
  /// One line in the upper left corner; empty: none.
  void set_caption(const std::string& text);
  /// Lines in the lower left corner, others in copies; empty: none.
  void set_read_out(const std::string& text, const std::string& in_copies);
  /// The camera turns to what it follows, if anything: for one that has been put elsewhere.
  void look_at_followed();
  /// Nothing is shown before the first one.
  bool empty() const { return drawing_.points == nullptr; }
  const BodiesDrawing& drawing() const { return drawing_; }
  /// The same bodies in another renderer, as long as it lives.
  std::shared_ptr<const void> copy_into(vtkRenderer& renderer) const;
  /// The number in the frame of the body that is seen at a place of the picture (0 to 1 from its lower left corner), of
  /// several the nearest; nothing where there is none within `pixels`. Throws Error where a device has lost them.
  std::optional<std::size_t> body_at(double x, double y, double pixels) const;

 private:
  /// What stands in a renderer as long as this lives.
  class Shown;

  vtkRenderer& renderer_;
  std::unique_ptr<Shown> shown_;
  BodiesDrawing drawing_;
  std::string quantity_, caption_, read_out_of_copies_;
};

}  // namespace isolume::labs::nbody
