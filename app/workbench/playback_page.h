#pragma once

#include <string>

class QWidget;

namespace isolume::workbench {

class Playback;
class PlaybackBar;
struct LabContext;

struct PlaybackPage {
  QWidget* page;     ///< for Lab::page
  PlaybackBar* bar;  ///< in it
};
/// The lab's view, or `views` that it has been put into, above a bar that shows `playback` and runs the commands PREFIX.play, .stop, .step ...; what they refuse
/// goes to the status bar. `playback` outlives the page.
PlaybackPage make_playback_page(LabContext& context, Playback& playback, const std::string& prefix,
                                QWidget* views = nullptr);

}  // namespace isolume::workbench
