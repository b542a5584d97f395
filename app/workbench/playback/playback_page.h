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
/// The lab's view, or a widget `views` that contains it, above a bar that shows `playback` and runs the
/// commands PREFIX.play, .stop, .step ...; their errors go to the status bar. `playback` must outlive the
/// page.
PlaybackPage make_playback_page(LabContext& context, Playback& playback, const std::string& prefix,
                                QWidget* views = nullptr);

}  // namespace isolume::workbench
