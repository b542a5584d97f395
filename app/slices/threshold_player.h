#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

class QLabel;
class QSlider;
class QToolButton;

namespace isolume::slices {

/// Play, pause and scrub a threshold through a range, for HeatLayer::set_shown_up_to: a front that advances.
/// By elapsed time, so that slow machines show fewer frames of the same film.
class ThresholdPlayer : public QWidget {
  Q_OBJECT
 public:
  explicit ThresholdPlayer(QWidget* parent = nullptr);

  /// Goes to the high end, paused.
  void set_range(double low, double high, const QString& unit);
  void set_duration_seconds(double seconds) { duration_seconds_ = seconds; }
  double value() const;
  /// Pauses; clamped to the range.
  void scrub(double value);
  /// From where it is, from the start when it is at the end; pauses itself there.
  void play();
  void pause();
  bool playing() const { return timer_.isActive(); }

 Q_SIGNALS:
  void value_changed(double value);
  void playing_changed(bool playing);

 private:
  void move_to(double fraction);
  void advance();

  double low_ = 0, high_ = 1, duration_seconds_ = 4;
  double fraction_ = 1, start_fraction_ = 0;
  QString unit_;
  QTimer timer_;
  QElapsedTimer clock_;
  QToolButton* button_;
  QSlider* slider_;
  QLabel* label_;
};

}  // namespace isolume::slices
