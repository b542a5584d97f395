#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/opengl/hdr_target.h"
#include "app/stage/measurement.h"
#include "app/stage/movie.h"
#include "app/stage/presenter.h"
#include "app/stage/scene.h"
#include "app/stage/window.h"
#include "core/commands/registry.h"

namespace isolume::stage {

/// Overlays that are shown.
struct Overlays {
  bool panel = true;
  bool caption = true;
  bool help = false;
  bool movie = false;  ///< dialog for a movie's name and length

  bool operator==(const Overlays&) const = default;
};

/// The current scene, the camera and the commands. For use by the thread that draws, with its OpenGL context
/// current.
class Stage {
 public:
  /// Shows the scene of this name, or the first one. Throws Error.
  explicit Stage(std::vector<SceneChoice> choices, std::string_view first = {});

  commands::Registry& commands() { return commands_; }
  /// Runs a command line of a key or a slider; an error is shown as the notice.
  void run(const std::string& line);
  /// Shows a notice for some seconds; an empty one clears it.
  void tell(std::string notice);
  /// Shows an error in the same way and logs it.
  void complain(std::string error);
  const std::string& notice() const { return notice_; }

  const std::vector<SceneChoice>& choices() const { return choices_; }
  const SceneChoice& choice() const { return choices_[chosen_]; }
  Scene& scene() { return *scene_; }
  const Scene& scene() const { return *scene_; }
  Camera& camera() { return camera_; }
  const Camera& camera() const { return camera_; }
  Overlays& overlays() { return overlays_; }
  const Overlays& overlays() const { return overlays_; }
  Presenter& presenter() { return presenter_; }
  const Presenter& presenter() const { return presenter_; }
  const Series& picture_times() const { return picture_times_; }

  /// Throws Error with the known names if there is no such scene.
  void show(std::string_view name);
  void show_next(int by);
  void reset_camera() { camera_ = scene_->first_camera(); }
  void quit() { quits_ = true; }
  bool quits() const { return quits_; }

  /// Calls `action` after this many seconds of drawing, on behalf of the current command.
  void after(double seconds, std::function<void()> action);
  /// Writes the next picture, including overlays, to this file.
  void take_picture(std::filesystem::path path, std::function<void()> taken);
  /// Records a movie, including overlays, for this many seconds of the scene's time. At its end `filmed` gets
  /// the result, or the error; in that case nothing was written. Throws Error if the file or length is not
  /// possible, or if a movie is already being recorded.
  using Filmed = std::function<void(nlohmann::json result, const std::string& error)>;
  void film(std::filesystem::path path, double seconds, Filmed filmed);
  bool films() const { return movie_ != nullptr; }
  /// Cancels it.
  void stop_filming();
  /// Provided by the window; if empty, the command reports that there is no window.
  std::function<void()> toggle_full_screen;
  /// Width in pixels that the panel covers on the left; the scene is centred in the rest.
  int covered = 0;
  bool processor_draws = false;  ///< the processor draws and computes
  unsigned gamepad_buttons = 0;  ///< pressed at the last call, one bit each

  /// Advances by this much time.
  void advance(double seconds);
  /// Whether the scene or the overlays have changed since the last picture; true at least once per second,
  /// for the numbers in overlays. If drawing slows down a simulation that lags behind, pictures become less
  /// frequent.
  bool picture_due() const;
  /// The camera, with a field of view that holds the scene where the part that is not `covered` is narrower than high.
  Camera fitted_camera(PixelSize size) const;
  /// The camera of a picture, in which the scene is centred in what is not `covered`.
  opengl::Eye eye(PixelSize size) const;
  /// The next picture keeps no light of those before it.
  void clear_trails() { light_.reset(); }
  /// Draws the scene, tone-mapped.
  void draw(PixelSize size, GLuint framebuffer);
  /// To be called after the overlays are drawn; writes the requested pictures.
  void picture_done(PixelSize size, GLuint framebuffer);
  /// Reports the time that drawing and showing a picture took.
  void picture_took(double seconds);
  /// Measures pictures and steps per second for this long; `measured` gets the result. Throws Error if a
  /// measurement is running.
  void measure(double seconds, std::function<void(nlohmann::json)> measured);

 private:
  /// State on which a picture depends.
  struct Shown {
    const Scene* scene;
    std::uint64_t picture;
    Camera camera;
    Overlays overlays;
    bool presented;
    std::string notice;
    bool operator==(const Shown&) const = default;
  };
  /// The sum of the pictures drawn so far, each weighted by how often it has faded.
  struct Light {
    opengl::Eye eye;  ///< of the last of them
    PixelSize size;
    float weight = 1;  ///< of all of them, where the last one has 1
  };
  /// The part of the light that a picture seen by this eye keeps.
  float kept_light(const opengl::Eye& eye, PixelSize size) const;
  void follow_movie();
  void end_movie(nlohmann::json result, const std::string& error);
  void add_to_movie(std::vector<std::uint8_t> rgb, PixelSize size);
  void show_part_of_movie(PixelSize size, GLuint framebuffer) const;
  Shown shown() const {
    return {scene_.get(), scene_->picture(), camera_, overlays_, presenter_.on(), notice_};
  }

  std::vector<SceneChoice> choices_;
  std::size_t chosen_ = 0;
  std::unique_ptr<Scene> scene_;
  Camera camera_;
  Overlays overlays_;
  Presenter presenter_;
  Series picture_times_{"Picture", "ms"};
  std::optional<Measurement> measurement_;  ///< the running one, or null
  std::unique_ptr<Movie> movie_;            ///< the one being recorded, or null
  Filmed filmed_;                           ///< receives its result
  std::optional<StartUp> start_up_;  ///< to the first picture of a scene that has moved; empty before that
  double first_moment_ = 0;          ///< of the scene
  std::optional<Shown> drawn_;       ///< by the last draw()
  std::optional<Light> light_;       ///< that the target holds; empty: it is not kept
  double since_drawn_ = 0;           ///< seconds
  double picture_seconds_ = 0;       ///< duration of the last one
  opengl::HdrTarget target_;
  commands::Registry commands_;
  std::string notice_;
  double notice_seconds_ = 0;
  bool quits_ = false;
  std::vector<std::pair<double, std::function<void()>>> timers_;
  std::vector<std::pair<std::filesystem::path, std::function<void()>>> pictures_;
};

/// Declarations of the commands stage.*, without their implementation.
std::vector<commands::Declaration> declared_commands();
/// Binds them, and the commands of the workbench that apply to the stage (parameter.*, view.*, app.quit).
void bind_commands(Stage& stage);

}  // namespace isolume::stage
