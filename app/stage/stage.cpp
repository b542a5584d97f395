#include "app/stage/stage.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/pictures/png_file.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::stage {

Stage::Stage(std::vector<SceneChoice> choices, std::string_view first) : choices_(std::move(choices)) {
  show(first.empty() ? std::string_view(choices_.front().name) : first);
  bind_commands(*this);
}

void Stage::run(const std::string& line) {
  try {
    commands_.run(line);
    tell({});
  } catch (const Error& error) {
    tell(error.what());
  }
}

void Stage::tell(std::string notice) {
  constexpr double shown = 6;
  notice_ = std::move(notice);
  notice_seconds_ = shown;
  if (!notice_.empty()) log::warning("{}", notice_);
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
  chosen_ = static_cast<std::size_t>(found - choices_.begin());
  reset_camera();
  presenter_.new_scene();
  target_.bind(std::max(target_.width(), 1), std::max(target_.height(), 1));
  target_.fade(0);
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
  const AtomicFile can_be_written(path);  // else whoever asks is told so now
  pictures_.emplace_back(std::move(path), std::move(taken));
}

void Stage::advance(double seconds) {
  since_drawn_ += seconds;
  if ((notice_seconds_ -= seconds) < 0) notice_.clear();
  const Presenter::Next next = presenter_.advance(seconds, camera_, scene_->first_camera());
  if (next.scene) run("stage.next 1");
  if (next.reset) run("stage.scene " + choice().name);
  const std::int64_t computed_before = scene_->computed();
  scene_->advance(seconds);
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
  if (scene_->trails() == 0 && drawn_ == shown()) return false;
  if (!processor_draws || !scene_->behind()) return true;
  // A quarter of the time; half of it while the camera moves, which is seen to jerk sooner than bodies are.
  const double share = drawn_->camera == camera_ ? 4 : 2;
  constexpr double slowest = 0.2;
  return since_drawn_ >= std::min(share * picture_seconds_, slowest);
}

void Stage::draw(PixelSize size, GLuint framebuffer) {
  drawn_ = shown();
  since_drawn_ = 0;
  target_.bind(size.width, size.height);
  const auto frames = static_cast<float>(scene_->trails());
  target_.fade(frames / (frames + 1));
  opengl::Eye eye = camera_.eye(size.width, size.height);
  eye.projection[8] -= static_cast<float>(covered) / static_cast<float>(size.width);
  scene_->draw(eye);
  // Light that stays adds up to (frames + 1) times that of one picture.
  target_.tone_map(framebuffer, scene_->exposure() / (frames + 1));
}

void Stage::picture_done(PixelSize size, GLuint framebuffer) {
  if (pictures_.empty()) return;
  std::vector<std::uint8_t> rgb(std::size_t{3} * static_cast<std::size_t>(size.width) *
                                static_cast<std::size_t>(size.height));
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, size.width, size.height, GL_RGB, GL_UNSIGNED_BYTE, rgb.data());
  for (const auto& [path, taken] : std::exchange(pictures_, {})) {
    pictures::write_png(rgb, size.width, size.height, pictures::FirstRow::bottom, path);
    taken();
  }
}

void Stage::picture_took(double seconds) {
  picture_seconds_ = seconds;
  picture_times_.add(static_cast<float>(1000 * seconds));
  if (measurement_) measurement_->add_picture(seconds);
}

void Stage::measure(double seconds, std::function<void(nlohmann::json)> measured) {
  if (measurement_) throw Error("The speed is being measured already. Wait until that has ended.");
  measurement_.emplace();
  after(seconds, [this, measured = std::move(measured)] {
    nlohmann::json found = measurement_->result();
    measurement_.reset();
    found["scene"] = choice().name;
    for (const Series* each : scene_->graphs()) {
      if (each->size() == 0) continue;  // it has not been measured yet
      const std::string unit = each->unit().empty() ? "" : fmt::format(" [{}]", each->unit());
      found["last"][each->label() + unit] = each->newest();
    }
    measured(std::move(found));
  });
}

}  // namespace isolume::stage
