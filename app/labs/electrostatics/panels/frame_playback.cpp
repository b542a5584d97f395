#include "app/labs/electrostatics/panels/frame_playback.h"

#include <QWidget>
#include <cmath>
#include <utility>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/playback/playback_bar.h"
#include "app/workbench/playback/playback_commands.h"
#include "app/workbench/playback/playback_page.h"

namespace isolume::labs::electrostatics {
namespace {

constexpr const char* prefix = "electrostatics.frames";
constexpr double frames_per_second = 10;
/// Frames whose refined pictures take longer than this are played as previews.
constexpr double playing_budget_ms = 60;

}  // namespace

FramePlayback::FramePlayback(workbench::LabContext& context, fields::FieldWindow& window,
                             std::function<void(int, fields::Detail)> show)
    : context_(context), window_(window), show_(std::move(show)) {
  playback_.wait_for([this] { return !window_.awaiting(); }, 1 / frames_per_second);
  connect(&playback_, &workbench::Playback::time_changed, this, &FramePlayback::show_time);
  connect(&playback_, &workbench::Playback::playing_changed, this, [this](bool playing) {
    if (!playing) end_playing();
    if (context_.availability_changed) context_.availability_changed();
  });
}

QWidget* FramePlayback::make_page() {
  const auto [page, bar] = workbench::make_playback_page(context_, playback_, prefix);
  bar_ = bar;
  bar_->setVisible(count_ > 1);
  return page;
}

void FramePlayback::set_frames(std::size_t count) {
  playback_.pause();
  count_ = count;
  shown_ = 1;
  refined_milliseconds_ = 1e9;
  if (bar_) bar_->setVisible(count_ > 1);
  if (count_ < 2) return;
  const auto last = static_cast<double>(count_);
  playback_.set_range(1, last, tr("frames"), (last - 1) / frames_per_second);
  playback_.set_frame_time(1);
  playback_.show_time(1);
}

void FramePlayback::show_frame(int frame) {
  shown_ = frame;
  if (count_ > 1) playback_.show_time(frame);
}

std::optional<workbench::Passage> FramePlayback::passage() {
  return count_ > 1 ? std::optional(playback_.passage()) : std::nullopt;
}

/// Without an entry in the undo list.
void FramePlayback::show_time(double time) {
  const int frame = static_cast<int>(std::lround(time));
  if (!playback_.playing() && time != frame) playback_.show_time(frame);
  if (frame == shown_) return;
  shown_ = frame;
  if (!playback_.playing()) return show_(frame, fields::Detail::preview_then_refined);
  if (const auto& picture = window_.picture(); picture && picture->refined)
    refined_milliseconds_ = picture->field_milliseconds + picture->surface_milliseconds;
  show_(frame, refined_milliseconds_ < playing_budget_ms ? fields::Detail::refined : fields::Detail::preview);
}

/// What was played as previews is refined where it stops.
void FramePlayback::end_playing() {
  if (count_ < 2) return;
  playback_.show_time(shown_);
  show_(shown_, fields::Detail::preview_then_refined);
}

std::string FramePlayback::without_frames() const {
  return count_ > 1 ? std::string()
                    : workbench::said(QObject::tr("There is only one frame. Open a file with several models, "
                                                  "or a trajectory (electrostatics.trajectory)."));
}

void FramePlayback::bind_commands() {
  auto& registry = context_.commands;
  const auto unavailable = [this] { return without_frames(); };
  registry.bind("electrostatics.frames.play",
                [this](const commands::Arguments&) {
                  window_.give_up_waiting();
                  playback_.play();
                },
                unavailable,
                {.shortcut = "Space",
                 .checked = [this] { return playback_.playing(); },
                 .unticked_by = "electrostatics.frames.stop"});
  registry.bind(
      "electrostatics.frames.stop", [this](const commands::Arguments&) { playback_.pause(); },
      [this] {
        return playback_.playing() ? std::string() : workbench::said(QObject::tr("Nothing is playing."));
      });
  workbench::add_playback_commands(registry, prefix, playback_, unavailable);
}

}  // namespace isolume::labs::electrostatics

#include "moc_frame_playback.cpp"
