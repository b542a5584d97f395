#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace isolume::labs::orbitals {

/// The line below the view while it shows what moves in time: a button that plays and stops, and the time.
class PlaybackBar final : public QWidget {
  Q_OBJECT
 public:
  explicit PlaybackBar(QWidget* parent = nullptr);
  void show_playing(bool playing);
  /// "0.35 of 1.24 fs".
  void show_time(double femtoseconds, double loop_femtoseconds);

 Q_SIGNALS:
  /// To play, or to stop.
  void asked(bool play);

 private:
  QToolButton* button_;
  QLabel* time_;
  bool playing_ = false;
};

}  // namespace isolume::labs::orbitals
