#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <functional>

#include "app/workbench/lab.h"
#include "core/simulation/clock.h"

namespace isolume::workbench {

/// A clock that runs: frame by frame while it plays. Lives with its lab; PlaybackBar shows it. On the GUI
/// thread.
class Playback final : public QObject {
  Q_OBJECT
 public:
  explicit Playback(QObject* parent = nullptr);

  const simulation::Clock& clock() const { return clock_; }
  bool playing() const { return clock_.playing(); }

  /// `unit` as people read it; may be empty. `seconds`: what the range takes at speed 1.
  void set_range(double low, double high, const QString& unit, double seconds);
  /// For what is computed as it is asked for: a frame is so long from now on, whatever the range, and a step beyond an
  /// end of the range moves that end there, and playing waits at an end.
  void let_grow(double frame_time);
  /// For what has moments of its own, as a trajectory: a step is so long, until the range is another one.
  void set_frame_time(double frame_time) { frame_time_ = frame_time; }
  /// Whether time is the number of a frame or step, and has no decimals.
  bool counts_frames() const { return frame_time_ == 1; }
  void set_at_end(simulation::Clock::AtEnd at_end);
  const QString& unit() const { return unit_; }
  /// A frame is left out while this is false, as its picture before has not come yet; and time does not run
  /// on by more than `longest_frame_seconds` for one frame: where pictures are slow the film is slow, too,
  /// instead of leaping.
  void wait_for(std::function<bool()> ready, double longest_frame_seconds);

  void play();
  void pause();
  /// Pauses, and goes on by so many frames at speed 1; back for a negative number.
  void step(int frames);
  /// Pauses there.
  void scrub(double time);
  /// Shows a time that comes from elsewhere, such as a parameter; tells nobody but the bar.
  void show_time(double time);
  void set_speed(double speed);
  void set_reversed(bool reversed);
  /// All that there is of its time, for movies; it outlives what is given.
  Passage passage();

 Q_SIGNALS:
  /// By playing, stepping or scrubbing.
  void time_changed(double time);
  void playing_changed(bool playing);
  /// Anything that a bar shows.
  void changed();

 private:
  void advance();
  void move_to(double time);

  simulation::Clock clock_;
  QString unit_;
  double range_seconds_ = 1;  ///< at speed 1
  double frame_time_ = 1;     ///< a frame's share of the clock's time, at speed 1
  bool grows_ = false;
  std::function<bool()> ready_;
  double longest_frame_seconds_;
  QTimer timer_;
  QElapsedTimer since_frame_;
};

}  // namespace isolume::workbench
