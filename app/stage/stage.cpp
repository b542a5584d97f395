#include "app/stage/stage.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <glm/geometric.hpp>
#include <glm/gtc/type_ptr.hpp>
#include <glm/mat4x4.hpp>

#include "app/pictures/png_file.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::stage {
namespace {

/// Red, green and blue, the bottom row first.
std::vector<std::uint8_t> pixels_of(PixelSize size, GLuint framebuffer) {
  std::vector<std::uint8_t> rgb(std::size_t{3} * static_cast<std::size_t>(size.width) *
                                static_cast<std::size_t>(size.height));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size.width, size.height, GL_RGB, GL_UNSIGNED_BYTE, rgb.data());
  return rgb;
}

/// How far what the camera frames moves in the picture from one eye to another, relative to the picture's height.
float largest_shift(const Camera& camera, const opengl::Eye& from, const opengl::Eye& to) {
  const float radius = camera.picture_height() / 2;
  const auto place_in = [](const opengl::Eye& eye, const glm::vec3& point) {
    const glm::vec4 clip =
        glm::make_mat4(eye.projection.data()) * glm::make_mat4(eye.view.data()) * glm::vec4(point, 1);
    // From units of half a width to units of half a height.
    const float wide = eye.projection[5] / eye.projection[0];
    return glm::vec2(clip.x * wide, clip.y) / clip.w;
  };
  float shift = 0;
  for (const glm::vec3& side : {glm::vec3(0, 0, 0), {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}) {
    const glm::vec3 point = camera.focus + radius * side;
    shift = std::max(shift, glm::distance(place_in(from, point), place_in(to, point)) / 2);
  }
  return shift;
}

}  // namespace

Stage::Stage(std::vector<SceneChoice> choices, std::string_view first) : choices_(std::move(choices)) {
  show(first.empty() ? std::string_view(choices_.front().name) : first);
  bind_commands(*this);
}

void Stage::run(const std::string& line) {
  try {
    commands_.run(line);
    tell({});
  } catch (const Error& error) {
    complain(error.what());
  }
}

void Stage::tell(std::string notice) {
  constexpr double shown = 6;
  notice_ = std::move(notice);
  notice_seconds_ = shown;
}

void Stage::complain(std::string error) {
  if (!error.empty()) log::warning("{}", error);
  tell(std::move(error));
}

void Stage::show(std::string_view name) {
  const auto found = std::ranges::find(choices_, name, &SceneChoice::name);
  if (found == choices_.end()) {
    std::string names;
    for (const SceneChoice& each : choices_) names += (names.empty() ? "" : ", ") + each.name;
    throw Error(fmt::format("There is no scene named {}. There are {}.", quoted(name), names));
  }
  auto made = found->make();
  scene_ = std::move(made);
  first_moment_ = scene_->moment().now;
  chosen_ = static_cast<std::size_t>(found - choices_.begin());
  reset_camera();
  presenter_.new_scene();
  target_.bind(std::max(target_.width(), 1), std::max(target_.height(), 1));
  clear_trails();
  scene_->play();
}

void Stage::show_next(int by) {
  const auto count = static_cast<int>(choices_.size());
  show(choices_[static_cast<std::size_t>((static_cast<int>(chosen_) + by + count) % count)].name);
}

void Stage::after(double seconds, std::function<void()> action) {
  timers_.emplace_back(seconds, std::move(action));
}

void Stage::take_picture(std::filesystem::path path, std::function<void()> taken) {
  const AtomicFile can_be_written(path);  // reports an unwritable file at once
  pictures_.emplace_back(std::move(path), std::move(taken));
}

void Stage::film(std::filesystem::path path, double seconds, Filmed filmed) {
  if (movie_)
    throw Error(
        "A movie is already being recorded. Wait until it is finished, or cancel it with stage.stop-movie.");
  movie_ = std::make_unique<Movie>(std::move(path), seconds);
  filmed_ = std::move(filmed);
}

void Stage::stop_filming() {
  if (movie_) end_movie({}, "The movie was cancelled; nothing was written.");
}

void Stage::end_movie(nlohmann::json result, const std::string& error) {
  movie_.reset();
  std::exchange(filmed_, nullptr)(std::move(result), error);
}

void Stage::follow_movie() {
  try {
    if (!movie_->ended()) return;
  } catch (const Error& error) {
    complain(error.what());
    return end_movie({}, error.what());
  }
  nlohmann::json result = movie_->result();
  tell(fmt::format("{}: {} s, {}", result["path"].get<std::string>(), result["seconds"].get<double>(),
                   result["codec"].get<std::string>()));
  end_movie(std::move(result), {});
}

void Stage::advance(double seconds) {
  since_drawn_ += seconds;
  if ((notice_seconds_ -= seconds) < 0) notice_.clear();
  if (movie_) follow_movie();
  if (movie_) seconds = movie_->advance();  // while recording, time advances by frames of the movie
  const Presenter::Next next = presenter_.advance(seconds, camera_, scene_->first_camera());
  if (next.scene) run("stage.next 1");
  if (next.reset) run("stage.scene " + choice().name);
  const std::int64_t computed_before = scene_->computed();
  if (movie_) {
    scene_->film(seconds);
  } else {
    scene_->advance(seconds);
  }
  if (measurement_) measurement_->add_steps(scene_->computed() - computed_before);
  for (auto& timer : timers_) timer.first -= seconds;
  for (;;) {
    const auto due = std::ranges::find_if(timers_, [](const auto& timer) { return timer.first <= 0; });
    if (due == timers_.end()) break;
    const auto action = std::move(due->second);
    timers_.erase(due);
    action();
  }
}

bool Stage::picture_due() const {
  constexpr double longest = 1;
  if (since_drawn_ >= longest || !pictures_.empty() || !drawn_) return true;
  if (movie_) return movie_->wants_picture() && scene_->settled();
  if (scene_->trails() == 0 && drawn_ == shown()) return false;
  if (!processor_draws || !scene_->behind()) return true;
  // Pictures get a quarter of the time, or half while the camera moves: jerks of the camera are more visible
  // than those of bodies.
  const double share = drawn_->camera == camera_ ? 4 : 2;
  constexpr double slowest = 0.2;
  return since_drawn_ >= std::min(share * picture_seconds_, slowest);
}

Camera Stage::fitted_camera(PixelSize size) const {
  constexpr float least = 0.05F;  // of a window that is hardly wider than the panel
  const float free = static_cast<float>(size.width - covered) / static_cast<float>(std::max(size.height, 1));
  Camera fitted = camera_;
  if (free < 1)
    fitted.field_of_view = 2 * std::atan(std::tan(camera_.field_of_view / 2) / std::max(free, least));
  return fitted;
}

opengl::Eye Stage::eye(PixelSize size) const {
  opengl::Eye eye = fitted_camera(size).eye(size.width, size.height);
  eye.projection[8] -= static_cast<float>(covered) / static_cast<float>(size.width);
  return eye;
}

void Stage::draw(PixelSize size, GLuint framebuffer) {
  drawn_ = shown();
  since_drawn_ = 0;
  target_.bind(size.width, size.height);
  const opengl::Eye seen_by = eye(size);
  const float kept = kept_light(seen_by, size);
  target_.fade(kept);
  scene_->draw(seen_by);
  light_ = Light{seen_by, size, light_ ? 1 + kept * light_->weight : 1};
  // Divided by the weight, a picture is as bright with trails as without, from the first one on.
  target_.tone_map(framebuffer, scene_->exposure() / light_->weight);
}

/// A camera that moves would draw trails of bodies at rest: the faster it is, the shorter are the trails.
float Stage::kept_light(const opengl::Eye& eye, PixelSize size) const {
  const auto frames = static_cast<float>(scene_->trails());
  if (frames == 0 || !light_ || light_->size != size) return 0;
  constexpr float longest_smear = 0.006F;  // of the picture's height
  const float shift = largest_shift(camera_, light_->eye, eye);
  const float length = shift > 0 ? std::min(frames, longest_smear / shift) : frames;
  return length / (length + 1);
}

void Stage::picture_done(PixelSize size, GLuint framebuffer) {
  const bool filmed = movie_ && movie_->wants_picture() && scene_->settled();
  if (filmed || !pictures_.empty()) {
    std::vector<std::uint8_t> rgb = pixels_of(size, framebuffer);
    for (const auto& [path, taken] : std::exchange(pictures_, {})) {
      pictures::write_png(
          {.bytes = rgb, .width = size.width, .height = size.height, .first = pictures::FirstRow::bottom},
          path);
      taken();
    }
    if (filmed) add_to_movie(std::move(rgb), size);
  }
  if (movie_) show_part_of_movie(size, framebuffer);
}

void Stage::add_to_movie(std::vector<std::uint8_t> rgb, PixelSize size) {
  try {
    movie_->take(std::move(rgb), size);
  } catch (const Error& error) {
    complain(error.what());
    end_movie({}, error.what());
  }
}

/// Draws a progress bar at the lower edge; it is not part of the movie.
void Stage::show_part_of_movie(PixelSize size, GLuint framebuffer) const {
  constexpr float red = 0.9F;
  const int height = std::max(3, size.height / 150);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glEnable(GL_SCISSOR_TEST);
  glScissor(0, 0, static_cast<int>(movie_->part() * size.width), height);
  glClearColor(red, 0, 0, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  glClearColor(0, 0, 0, 0);
  glDisable(GL_SCISSOR_TEST);
}

void Stage::picture_took(double seconds) {
  if (!start_up_ && drawn_ && scene_->moment().now != first_moment_) start_up_ = since_start_of_program();
  picture_seconds_ = seconds;
  picture_times_.add(static_cast<float>(1000 * seconds));
  if (measurement_) measurement_->add_picture(seconds);
}

void Stage::measure(double seconds, std::function<void(nlohmann::json)> measured) {
  if (measurement_) throw Error("The speed is already being measured. Wait until the measurement has ended.");
  measurement_.emplace();
  after(seconds, [this, measured = std::move(measured)] {
    nlohmann::json found = measurement_->result();
    if (start_up_) {
      found["first_moving_picture_seconds"] = start_up_->seconds;
      found["first_moving_picture_processor_seconds"] = start_up_->processor_seconds;
    }
    measurement_.reset();
    found["scene"] = choice().name;
    for (const Series* each : scene_->graphs()) {
      if (each->size() == 0) continue;  // not measured yet
      const std::string unit = each->unit().empty() ? "" : fmt::format(" [{}]", each->unit());
      found["last"][each->label() + unit] = each->newest();
    }
    measured(std::move(found));
  });
}

}  // namespace isolume::stage
