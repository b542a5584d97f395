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

/// What lies over the scene.
struct Overlays {
  bool panel = true;
  bool caption = true;
  bool help = false;
  bool movie = false;  ///< asks for a movie's name and length

  bool operator==(const Overlays&) const = default;
};

/// One scene at a time, the camera, and everything that can be done by name. For the thread that draws, with its
/// OpenGL context current.
class Stage {
 public:
  /// Shows the first scene, or that of this name. Throws Error.
  explicit Stage(std::vector<SceneChoice> choices, std::string_view first = {});

  commands::Registry& commands() { return commands_; }
  /// A command line of a key or a slider; what goes wrong becomes the notice.
  void run(const std::string& line);
  /// Shows this for some seconds; empty: nothing.
  void tell(std::string notice);
  /// The same for what went wrong, which is logged, too.
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

  /// Throws Error naming those that there are.
  void show(std::string_view name);
  void show_next(int by);
  void reset_camera() { camera_ = scene_->first_camera(); }
  void quit() { quits_ = true; }
  bool quits() const { return quits_; }

  /// `action` is called after so many seconds of drawing, on behalf of the command that asks.
  void after(double seconds, std::function<void()> action);
  /// The next picture is written there, overlays and all.
  void take_picture(std::filesystem::path path, std::function<void()> taken);
  /// Films what is shown from now on, overlays and all, for so many seconds of the scene's time. When it has ended, `filmed`
  /// is told what was written, or what went wrong: then nothing was. Throws Error where that makes no movie, or one
  /// is being made.
  using Filmed = std::function<void(nlohmann::json result, const std::string& error)>;
  void film(std::filesystem::path path, double seconds, Filmed filmed);
  bool films() const { return movie_ != nullptr; }
  /// Gives it up.
  void stop_filming();
  /// What the window does to itself; where there is none, the command says so.
  std::function<void()> toggle_full_screen;
  /// So many pixels on the left are covered: the scene's middle is that of the rest.
  int covered = 0;
  bool processor_draws = false;  ///< and computes as well
  unsigned gamepad_buttons = 0;  ///< that were down last time, a bit each
  /// From the start of the program to the first picture of a scene that has moved; nothing before that.
  const std::optional<StartUp>& start_up() const { return start_up_; }

  /// So much time went by.
  void advance(double seconds);
  /// Whether the scene, or what the stage lays over it, would be drawn otherwise than the last time. At least once a
  /// second, for what overlays tell. Where pictures take time from the simulation and it falls behind, they give way.
  bool picture_due() const;
  /// The scene as colours.
  void draw(PixelSize size, GLuint framebuffer);
  /// Once the overlays are drawn: writes the pictures that were asked for.
  void picture_done(PixelSize size, GLuint framebuffer);
  /// Drawing and showing a picture has taken so long.
  void picture_took(double seconds);
  /// Pictures and steps from now on, for so long; `measured` is told what was found. Throws Error while that goes on.
  void measure(double seconds, std::function<void(nlohmann::json)> measured);

 private:
  /// What pictures depend on.
  struct Shown {
    const Scene* scene;
    std::uint64_t picture;
    Camera camera;
    Overlays overlays;
    bool presented;
    std::string notice;
    bool operator==(const Shown&) const = default;
  };
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
  std::optional<Measurement> measurement_;  ///< while there is one
  std::unique_ptr<Movie> movie_;            ///< while one is made
  Filmed filmed_;                           ///< who asked for it
  std::optional<StartUp> start_up_;
  double first_moment_ = 0;     ///< of the scene
  std::optional<Shown> drawn_;  ///< by the last draw()
  double since_drawn_ = 0;      ///< seconds
  double picture_seconds_ = 0;  ///< that the last one took
  opengl::HdrTarget target_;
  commands::Registry commands_;
  std::string notice_;
  double notice_seconds_ = 0;
  bool quits_ = false;
  std::vector<std::pair<double, std::function<void()>>> timers_;
  std::vector<std::pair<std::filesystem::path, std::function<void()>>> pictures_;
};

/// stage.*, without what it takes to run them.
std::vector<commands::Declaration> declared_commands();
/// Binds them, and those of the workbench that make sense here (parameter.*, view.*, app.quit).
void bind_commands(Stage& stage);

}  // namespace isolume::stage
