#pragma once

#include <QObject>
#include <QPointer>
#include <functional>
#include <optional>
#include <string>

#include "app/fields/field_window.h"
#include "app/workbench/playback/playback.h"

namespace isolume::fields {

/// Time of a field: its clock, the bar below the view while there is something to play, and the commands
/// PREFIX.play, .stop and those of `workbench::playback_declarations`. While time runs, pictures are previews unless
/// refined ones are quick, and time waits for each of them. Times that it shows leave no step of undo. On the GUI
/// thread.
class FieldPlayback final : public QObject {
  Q_OBJECT
 public:
  struct Declaration {
    std::string prefix;  ///< of its commands: "orbitals.animation"
    /// Asks for the picture of a time.
    std::function<void(double time, Detail detail)> show;
    /// Why there is nothing to play, or empty. Null: there always is.
    std::function<std::string()> unavailable = nullptr;
    /// The same for PREFIX.play, where that may make something to play by `before_play`. Null: as `unavailable`.
    std::function<std::string()> cannot_play = nullptr;
    std::function<void()> before_play = nullptr;
    bool counts = false;  ///< times are whole numbers: frames
    double longest_frame_seconds = 0.05;
    double budget_ms = 40;  ///< for a refined picture while time runs
  };

  /// `window` must outlive it.
  FieldPlayback(workbench::LabContext& context, FieldWindow& window, Declaration declaration);

  /// To be called when the lab's commands are declared.
  void bind();
  /// For Lab::page.
  QWidget* make_page();
  /// Another field is there, or none: the bar follows `unavailable`.
  void follow();
  /// The time of the picture has been chosen elsewhere, as by a parameter.
  void show_time(double time);

  workbench::Playback& time() { return clock_; }
  const workbench::Playback& time() const { return clock_; }
  bool playing() const { return clock_.playing(); }
  void play();
  void pause() { clock_.pause(); }
  std::optional<workbench::Passage> passage();

 private:
  std::string unavailable() const { return declared_.unavailable ? declared_.unavailable() : std::string(); }
  void take_time(double time);
  void end_playing();

  workbench::LabContext& context_;
  FieldWindow& window_;
  const Declaration declared_;
  workbench::Playback clock_;
  QPointer<QWidget> bar_;
  double shown_ = 0;
  std::optional<double> refined_ms_;  ///< that a refined picture took while time ran
};

}  // namespace isolume::fields
