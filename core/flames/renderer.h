#pragma once

#include <cstdint>
#include <functional>

#include "core/dispatch/engine_registry.h"
#include "core/flames/engine.h"
#include "core/flames/tone_map.h"

namespace isolume::flames {

struct RenderRequest {
  Flame flame;
  View view;           ///< of the picture; usually resized(flame.view, ...)
  double quality = 1;  ///< points per pixel
  Background background = Background::drawn;
  dispatch::ComputeOptions compute = {};
  std::uint64_t seed = 1;
};

/// A picture of the points so far.
struct Rendered {
  Picture picture;
  std::int64_t points = 0;
  double points_per_pixel = 0;
  double in_view = 0;            ///< part of the points, 0 to 1
  double points_per_second = 0;  ///< of the chaos game alone
  bool finished = false;
  dispatch::Report report;  ///< of the last part
};

/// Draws flames progressively. A request for the last flame with another tone, or with more points, continues with the
/// points that it has. Callable from one thread at a time.
class Renderer {
 public:
  using Engines = dispatch::EngineRegistry<Engine>;
  using Publish = std::function<void(Rendered&& rendered)>;

  /// Publishes a picture after the first milliseconds, then whenever the number of points has doubled or a quarter of a
  /// second has passed, and the finished one. Throws Error, ResourceError, Cancelled; the points so far are kept.
  void render(const Engines& engines, const RenderRequest& request, const Publish& publish,
              const jobs::Progress& progress = {});

 private:
  RenderRequest last_;
  Tally tally_;
  std::int64_t clouds_ = 0;  ///< in the tally
  double seconds_ = 0;       ///< that they took
};

/// Only the finished picture.
Rendered render(const Renderer::Engines& engines, const RenderRequest& request,
                const jobs::Progress& progress = {});

}  // namespace isolume::flames
