#pragma once

#include <QDialog>

#include "app/workbench/parameters/slider_scale.h"

class QComboBox;
class QSlider;

namespace isolume::workbench {
class NumberBox;
}

namespace isolume::labs::livewire {

class Workspace;

/// Asks for the range of livewire.label.threshold, without blocking. The pixels of the shown slice that lie in the
/// range are marked in the large view until it is closed.
class ThresholdDialog : public QDialog {
  Q_OBJECT
 public:
  explicit ThresholdDialog(Workspace& workspace);

 private:
  /// One end of the range.
  struct End {
    QSlider* slider = nullptr;
    workbench::NumberBox* box = nullptr;
  };
  End make_end(const QString& name, const QString& title);
  void follow_image();
  void set(End& end, double value);
  /// The other end follows one that passes it.
  void keep_order(const End& moved);
  void preview();
  void apply();

  Workspace& workspace_;
  parameters::Description range_;
  End low_, high_;
  QComboBox* slices_;
};

}  // namespace isolume::labs::livewire
