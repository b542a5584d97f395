#include "app/fields/field_playback.h"

#include <cmath>
#include <utility>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/playback/playback_bar.h"
#include "app/workbench/playback/playback_commands.h"
#include "app/workbench/playback/playback_page.h"

namespace isolume::fields {

using workbench::Playback;

FieldPlayback::FieldPlayback(workbench::LabContext& context, FieldWindow& window, Declaration declaration)
    : context_(context), window_(window), declared_(std::move(declaration)) {
  clock_.wait_for([this] { return !window_.awaiting(); }, declared_.longest_frame_seconds);
  connect(&clock_, &Playback::time_changed, this, &FieldPlayback::take_time);
  connect(&clock_, &Playback::playing_changed, this, [this](bool playing) {
    if (!playing) end_playing();
    if (context_.availability_changed) context_.availability_changed();
  });
}

void FieldPlayback::bind() {
  auto& commands = context_.commands;
  const std::string& prefix = declared_.prefix;
  const auto available = [this] { return unavailable().empty(); };
  // The key is taken from whatever has the keyboard only while there is something to play.
  commands.bind(prefix + ".play", [this](const auto&) { play(); },
                declared_.cannot_play ? declared_.cannot_play : declared_.unavailable,
                {.shortcut = "Space",
                 .checked = [this] { return playing(); },
                 .unticked_by = prefix + ".stop",
                 .takes_key = available});
  commands.bind(
      prefix + ".stop", [this](const auto&) { pause(); },
      [this] { return playing() ? std::string() : workbench::said(QObject::tr("Nothing is playing.")); });
  workbench::add_playback_commands(commands, prefix, clock_, declared_.unavailable);
}

QWidget* FieldPlayback::make_page() {
  const auto [page, bar] = workbench::make_playback_page(context_, clock_, declared_.prefix);
  bar_ = bar;
  follow();
  return page;
}

void FieldPlayback::follow() {
  refined_ms_.reset();
  const bool there = unavailable().empty();
  if (!there) clock_.pause();
  if (bar_) bar_->setVisible(there);
}

void FieldPlayback::show_time(double time) {
  shown_ = time;
  if (unavailable().empty()) clock_.show_time(time);
}

void FieldPlayback::play() {
  if (playing()) return;
  if (declared_.before_play) declared_.before_play();
  window_.give_up_waiting();  // for a picture whose request was cancelled
  clock_.play();
}

std::optional<workbench::Passage> FieldPlayback::passage() {
  return unavailable().empty() ? std::optional(clock_.passage()) : std::nullopt;
}

void FieldPlayback::take_time(double time) {
  if (declared_.counts) {
    const double whole = std::round(time);
    if (!playing() && time != whole) clock_.show_time(whole);
    if (whole == shown_) return;
    time = whole;
  }
  shown_ = time;
  if (!playing()) return declared_.show(time, Detail::preview_then_refined);
  if (const auto& picture = window_.picture(); picture && picture->refined)
    refined_ms_ = picture->field_milliseconds + picture->surface_milliseconds;
  const bool quick = refined_ms_ && *refined_ms_ < declared_.budget_ms;
  declared_.show(time, quick ? Detail::refined : Detail::preview);
}

/// What was played as previews is refined where it stops.
void FieldPlayback::end_playing() {
  if (!unavailable().empty()) return;
  clock_.show_time(shown_);
  declared_.show(shown_, Detail::preview_then_refined);
}

}  // namespace isolume::fields

#include "moc_field_playback.cpp"
