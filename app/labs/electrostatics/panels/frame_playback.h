#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <optional>
#include <string>

#include "app/fields/field_window.h"
#include "app/workbench/playback/playback.h"

class QWidget;

namespace isolume::labs::electrostatics {

/// Steps and plays through frames: the clock, the line below the view, and the commands. On the GUI thread.
class FramePlayback final : public QObject {
  Q_OBJECT
 public:
  /// `show` asks for the picture of a frame, counted from 1.
  FramePlayback(workbench::LabContext& context, fields::FieldWindow& window,
                std::function<void(int frame, fields::Detail detail)> show);

  /// When they are declared.
  void bind_commands();
  /// For Lab::page.
  QWidget* make_page();
  /// The line is there while there are several.
  void set_frames(std::size_t count);
  /// The frame that is shown has been chosen elsewhere.
  void show_frame(int frame);

  bool playing() const { return playback_.playing(); }
  void pause() { playback_.pause(); }
  std::optional<workbench::Passage> passage();

 private:
  void show_time(double time);
  void end_playing();
  std::string without_frames() const;

  workbench::LabContext& context_;
  fields::FieldWindow& window_;
  const std::function<void(int, fields::Detail)> show_;
  workbench::Playback playback_;
  QPointer<QWidget> bar_;
  std::size_t count_ = 0;
  int shown_ = 1;
  double refined_milliseconds_ = 1e9;  ///< that a refined picture took
};

}  // namespace isolume::labs::electrostatics
