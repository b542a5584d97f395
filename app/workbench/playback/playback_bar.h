#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>

class QComboBox;
class QLabel;
class QSlider;
class QToolButton;

namespace isolume::workbench {

class Playback;

/// The bar below a view with a time: play and pause, steps, a slider, speed, direction, loop, and the time
/// with its unit. It changes nothing itself, but emits the user's requests.
class PlaybackBar final : public QWidget {
  Q_OBJECT
 public:
  /// `playback` must outlive it.
  explicit PlaybackBar(Playback& playback, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// The requests as commands: play, stop, step N, seek TIME, speed FACTOR, reverse, loop.
  void asked(const QString& verb, const QStringList& arguments);

 private:
  QToolButton* add_button(const char* name, const char* icon, const QString& tip);
  void follow();

  Playback& playback_;
  QToolButton* play_;
  QToolButton* reverse_;
  QToolButton* loop_;
  QSlider* slider_;
  QComboBox* speed_;
  QLabel* time_;
};

}  // namespace isolume::workbench
