#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>
#include <optional>

#include "app/workbench/contract/lab.h"
#include "core/simulation/clock.h"

namespace isolume::workbench {

/// A clock that advances frame by frame while it plays. Owned by its lab; PlaybackBar shows it. Use on the
/// GUI thread.
class Playback final : public QObject {
  Q_OBJECT
 public:
  explicit Playback(QObject* parent = nullptr);

  const simulation::Clock& clock() const { return clock_; }
  bool playing() const { return clock_.playing(); }

  /// `unit` for users; may be empty. `seconds`: duration of the range at speed 1.
  void set_range(double low, double high, const QString& unit, double seconds);
  /// For data that are computed on demand: a frame has this length from now on, whatever the range. A step
  /// beyond an end of the range moves that end, and playing waits at an end.
  void let_grow(double frame_time);
  /// For data with discrete times, such as a trajectory: the length of a step, until the range changes.
  void set_frame_time(double frame_time) { frame_time_ = frame_time; }
  /// Whether time is the number of a frame or step, without decimals.
  bool counts_frames() const { return frame_time_ == 1; }
  void set_at_end(simulation::Clock::AtEnd at_end);
  const QString& unit() const { return unit_; }
  /// Skips a frame while `ready` returns false, since the previous picture is not finished; and limits the
  /// advance of time to `longest_frame_seconds` for one frame, so that slow pictures give a slow film instead
  /// of jumps.
  void wait_for(std::function<bool()> ready, double longest_frame_seconds);

  void play();
  void pause();
  /// Pauses, and moves by this number of frames at speed 1; back for a negative number.
  void step(int frames);
  /// Pauses at this time.
  void scrub(double time);
  /// Shows a time that was set elsewhere, such as by a parameter; notifies only the bar.
  void show_time(double time);
  /// The time of the picture, which comes later than the clock's while it plays: a bar shows this one then.
  void show_picture(double time);
  /// What a bar shows: the picture's time while it plays, else the clock's.
  double shown_time() const;
  /// The range without the frames at its ends that a growing playback does not have yet; nothing where there are no ends.
  std::optional<simulation::Clock::Range> shown_range() const;
  void set_speed(double speed);
  void set_reversed(bool reversed);
  /// The whole range of its time, for movies; the playback must outlive it.
  Passage passage();

 Q_SIGNALS:
  /// Emitted on playing, stepping or scrubbing.
  void time_changed(double time);
  void playing_changed(bool playing);
  /// Emitted when anything that a bar shows has changed.
  void changed();

 private:
  void advance();
  void move_to(double time);

  simulation::Clock clock_;
  QString unit_;
  double range_seconds_ = 1;  ///< at speed 1
  double frame_time_ = 1;     ///< length of a frame in the clock's time, at speed 1
  bool grows_ = false;
  std::optional<double> picture_time_;  ///< nothing: pictures follow the clock at once
  std::function<bool()> ready_;
  double longest_frame_seconds_;
  QTimer timer_;
  QElapsedTimer since_frame_;
};

}  // namespace isolume::workbench
