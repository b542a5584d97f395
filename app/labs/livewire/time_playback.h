#pragma once

#include <QObject>

#include "app/workbench/playback/playback.h"

namespace isolume::labs::livewire {

class Workspace;

/// Plays the volumes of an image that has several at one place, over and over: the commands livewire.slice.play-time and
/// livewire.slice.pause-time, and a tap of Space in a slice view. On the GUI thread.
class TimePlayback final : public QObject {
  Q_OBJECT
 public:
  explicit TimePlayback(Workspace& workspace);

  /// When they are declared.
  void bind_commands();
  bool playing() const { return playback_.playing(); }
  void pause() { playback_.pause(); }

 private:
  void follow_image();
  std::string without_time() const;

  Workspace& workspace_;
  workbench::Playback playback_;
};

}  // namespace isolume::labs::livewire
