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

/// Current time of a scene and its range.
struct Moment {
  double now = 0;
  double low = 0, high = 0;  ///< range of seek(); equal if seeking is not possible
  std::string unit;
};

/// What the colours of a picture mean.
struct Legend {
  std::string title = {};    ///< "Speed [km/s]"
  double low = 0, high = 0;  ///< values of the first and last colour of a bar
  bool logarithmic = false;
  std::vector<opengl::Vector3> colours = {};  ///< as light
  std::vector<std::string> names = {};        ///< instead of a bar: what each colour stands for
};

/// Thin lines and names at places of the scene, drawn over its light.
struct Marks {
  struct Name {
    opengl::Vector3 place;
    std::string text;
    float radius = 0;  ///< of the sphere that is drawn there
  };
  std::vector<std::vector<opengl::Vector3>> lines = {};
  std::vector<Name> names = {};  ///< the first ones have the choice where there is no room for all
};

/// A moving scene with its parameters. Its functions are called by the thread that draws, with the OpenGL
/// context current. None of them waits for a computation unless its comment says so.
class Scene {
 public:
  virtual ~Scene() = default;

  /// Parameters of the computation and of the drawing. Values may be changed at any time; the picture
  /// follows.
  virtual parameters::ParameterSet& parameters() = 0;
  virtual Camera first_camera() const = 0;

  /// Advances by this much wall-clock time.
  virtual void advance(double seconds) = 0;
  /// The same for a movie: advances by all of this time, however long the computation takes; settled()
  /// reports its end.
  virtual void film(double seconds) { advance(seconds); }
  /// Goes to this playing time since the start, and waits until that can be drawn. Throws Error.
  virtual void go_to(double seconds) = 0;
  /// Draws into the bound target, which is dark except for what trails() keeps. `exposure` is that of tone
  /// mapping.
  virtual void draw(const opengl::Eye& eye) = 0;
  virtual float exposure() const = 0;
  /// Length of light trails in frames; 0: no trails of earlier pictures.
  virtual double trails() const { return 0; }

  virtual bool playing() const = 0;
  virtual void play() = 0;
  virtual void pause() = 0;
  virtual bool reversed() const = 0;
  virtual void set_reversed(bool reversed) = 0;
  /// Factor relative to normal speed; throws Error unless positive.
  virtual void set_speed(double speed) = 0;
  virtual double speed() const = 0;
  /// Pauses and steps by this many frames.
  virtual void step(int frames) = 0;
  virtual Moment moment() const = 0;
  /// Pauses at this time.
  virtual void seek(double time) = 0;
  /// Restarts with the current parameters.
  virtual void restart() = 0;

  /// Title, size and speed of the picture with units, one per line; the first line is drawn largest.
  virtual std::vector<std::string> caption(const Camera& camera) const = 0;
  virtual std::vector<const Series*> graphs() const { return {}; }
  /// Legend of the colours; empty if colours have no meaning.
  virtual std::optional<Legend> legend() const { return std::nullopt; }
  /// Those of the picture that draw() has drawn last.
  virtual Marks marks() const { return {}; }
  /// A number that changes whenever draw() would draw a different picture.
  virtual std::uint64_t picture() const = 0;
  /// Number of steps computed since construction.
  virtual std::int64_t computed() const = 0;
  /// Whether the picture corresponds to the current time and parameters, with no computation pending.
  virtual bool settled() const = 0;
  /// Whether the computation lags behind the playing time.
  virtual bool behind() const { return false; }
  /// Error or pending work, for display; empty if there is none.
  virtual std::string trouble() const { return {}; }
};

/// A scene that can be chosen.
struct SceneChoice {
  std::string name;   ///< "two-galaxies"
  std::string title;  ///< "Two galaxies collide"
  /// Throws Error.
  std::function<std::unique_ptr<Scene>()> make;
};

}  // namespace isolume::stage
