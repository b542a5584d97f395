#pragma once

#include "app/stage/camera.h"

namespace isolume::stage {

/// Presenter mode: the camera moves around and the scene changes after a while. During input it pauses, and
/// continues when there has been none for a while.
class Presenter {
 public:
  static constexpr double scene_seconds = 40;
  static constexpr double idle_seconds = 20;

  bool on() const { return on_; }
  void set_on(bool on);
  /// To be called for each input.
  void touched() { idle_ = 0; }
  /// To be called when a scene appears.
  void new_scene() { shown_ = 0; }
  /// Whether it is paused because of input.
  bool held() const { return was_touched_; }

  struct Next {
    bool scene = false;  ///< show the next scene
    bool reset = false;  ///< no input for a while: restart from the initial parameters
  };
  /// Advances by this much time and moves the camera along its path.
  Next advance(double seconds, Camera& camera, const Camera& first);

 private:
  bool on_ = false;
  bool was_touched_ = false;
  double idle_ = idle_seconds;
  double shown_ = 0;
};

}  // namespace isolume::stage
