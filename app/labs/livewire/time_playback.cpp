#include "app/labs/livewire/time_playback.h"

#include <cmath>

#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::livewire {
namespace {

constexpr double volumes_a_second = 5;

}  // namespace

TimePlayback::TimePlayback(Workspace& workspace) : QObject(&workspace), workspace_(workspace) {
  playback_.set_at_end(simulation::Clock::AtEnd::loop);
  playback_.wait_for([this] { return !workspace_.reading_time_point(); }, 1 / volumes_a_second);
  connect(&workspace_.model(), &TracingModel::image_changed, this, &TimePlayback::follow_image);
  connect(&playback_, &workbench::Playback::time_changed, this,
          [this](double time) { workspace_.play_time_point(static_cast<int>(std::floor(time))); });
  connect(&playback_, &workbench::Playback::playing_changed, this, [this](bool playing) {
    if (!playing && workspace_.without_image().empty()) workspace_.show_remarks({});
    if (workspace_.context().availability_changed) workspace_.context().availability_changed();
  });
  for (auto* view : workspace_.views().all()) {
    connect(view, &slices::SliceView::space_tapped, this, [this] {
      if (without_time().empty())
        workspace_.run(playing() ? "livewire.slice.pause-time" : "livewire.slice.play-time");
    });
  }
}

/// Each time point lasts as long as the others: from its number to the next one.
void TimePlayback::follow_image() {
  const auto& image = *workspace_.model().image();
  const auto count = static_cast<double>(image.time.count());
  const auto& range = playback_.clock().range();
  const double end = std::nextafter(count + 1, 0);
  if (count < 2) return playback_.pause();
  if (!range || range->high != end) {
    playback_.pause();
    playback_.set_range(1, end, {}, count / volumes_a_second);
  }
  if (!playing()) playback_.show_time(image.time.index + 1);
}

std::string TimePlayback::without_time() const {
  if (auto why = workspace_.without_image(); !why.empty()) return why;
  return workspace_.image().time.has_several()
             ? std::string()
             : workbench::said(
                   QObject::tr("The image has one volume only: there are no time points to play."));
}

void TimePlayback::bind_commands() {
  auto& registry = workspace_.context().commands;
  // The key is taken from whatever has the keyboard only while there is something to play.
  registry.bind(
      "livewire.slice.play-time", [this](const commands::Arguments&) { playback_.play(); },
      [this] { return without_time(); },
      {.shortcut = "Space",
       .checked = [this] { return playing(); },
       .unticked_by = "livewire.slice.pause-time",
       .takes_key = [this] { return without_time().empty(); }});
  registry.bind(
      "livewire.slice.pause-time", [this](const commands::Arguments&) { pause(); },
      [this] { return playing() ? std::string() : workbench::said(QObject::tr("Nothing is playing.")); });
}

}  // namespace isolume::labs::livewire

#include "moc_time_playback.cpp"
