#pragma once

#include "app/stage/camera.h"

namespace isolume::stage {

/// Shows by itself: the camera goes around, the scene changes after a while. While a person moves something it holds
/// still, and goes on when nobody has for a while.
class Presenter {
 public:
  static constexpr double scene_seconds = 40;
  static constexpr double idle_seconds = 20;

  bool on() const { return on_; }
  void set_on(bool on);
  /// Somebody did something.
  void touched() { idle_ = 0; }
  /// A scene has come up.
  void new_scene() { shown_ = 0; }
  /// A person does something just now, and what is shown is theirs.
  bool held() const { return was_touched_; }

  struct Next {
    bool scene = false;  ///< it is time for the next scene
    bool reset = false;  ///< nobody has touched anything for a while: from the start again
  };
  /// So much time went by. Moves the camera along its path.
  Next advance(double seconds, Camera& camera, const Camera& first);

 private:
  bool on_ = false;
  bool was_touched_ = false;
  double idle_ = idle_seconds;
  double shown_ = 0;
};

}  // namespace isolume::stage
