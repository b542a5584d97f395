#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/opengl/hdr_target.h"
#include "app/opengl/points.h"
#include "app/stage/camera.h"
#include "app/stage/series.h"
#include "core/parameters/schema.h"

namespace isolume::stage {

/// Where a scene's time stands.
struct Moment {
  double now = 0;
  double low = 0, high = 0;  ///< what can be gone to; the same where there is nothing
  std::string unit;
};

/// What the colours of a picture mean.
struct Legend {
  std::string title = {};    ///< "Speed [km/s]"
  double low = 0, high = 0;  ///< of a bar from the first colour to the last
  bool logarithmic = false;
  std::vector<opengl::Vector3> colours = {};  ///< as light
  std::vector<std::string> names = {};        ///< instead of a bar: what each colour stands for
};

/// Something that moves and is shown, with its parameters. Its functions are called by the thread that draws, with
/// the OpenGL context current, and none of them waits for a computation unless it says so.
class Scene {
 public:
  virtual ~Scene() = default;

  /// Of what is computed and of how it is drawn. Values may be changed at any time, and what is shown follows.
  virtual parameters::ParameterSet& parameters() = 0;
  virtual Camera first_camera() const = 0;

  /// So much time went by for the person who looks.
  virtual void advance(double seconds) = 0;
  /// The same for a movie: all of that time goes by, however long it takes to compute; settled() says when.
  virtual void film(double seconds) { advance(seconds); }
  /// Waits until the scene can be drawn as it is after playing for so long from its start. Throws Error.
  virtual void go_to(double seconds) = 0;
  /// Into the target, which is bound and dark but for what trails() keeps. `exposure` is what tone mapping is given.
  virtual void draw(const opengl::Eye& eye) = 0;
  virtual float exposure() const = 0;
  /// For how many seconds light stays; 0: a picture has nothing of those before.
  virtual double trails() const { return 0; }

  virtual bool playing() const = 0;
  virtual void play() = 0;
  virtual void pause() = 0;
  virtual bool reversed() const = 0;
  virtual void set_reversed(bool reversed) = 0;
  /// How much faster than usual; throws Error unless positive.
  virtual void set_speed(double speed) = 0;
  virtual double speed() const = 0;
  /// Pauses, and goes by so many frames.
  virtual void step(int frames) = 0;
  virtual Moment moment() const = 0;
  /// Pauses, and goes there.
  virtual void seek(double time) = 0;
  /// From its start, with the parameters as they are.
  virtual void restart() = 0;

  /// What is seen, how large and how fast, with units: a line each, the first one the largest.
  virtual std::vector<std::string> caption(const Camera& camera) const = 0;
  virtual std::vector<const Series*> graphs() const { return {}; }
  /// Nothing: they mean nothing.
  virtual std::optional<Legend> legend() const { return std::nullopt; }
  /// Another number whenever draw() would draw something else than before.
  virtual std::uint64_t picture() const = 0;
  /// How many moments have been computed since it was made.
  virtual std::int64_t computed() const = 0;
  /// Whether what would be drawn is of the time that it is now, with the parameters as they are: nothing is still being
  /// computed for it.
  virtual bool settled() const = 0;
  /// Whether computing does not keep up with the time that runs.
  virtual bool behind() const { return false; }
  /// What went wrong, or what is being waited for; empty: all is well.
  virtual std::string trouble() const { return {}; }
};

/// One that can be chosen.
struct SceneChoice {
  std::string name;   ///< "two-galaxies"
  std::string title;  ///< "Two galaxies collide"
  /// Throws Error.
  std::function<std::unique_ptr<Scene>()> make;
};

}  // namespace isolume::stage
