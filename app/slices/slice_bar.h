#pragma once

#include <QWidget>

class QSlider;
class QSpinBox;

namespace isolume::slices {

class SliceView;

/// A slider and a spin box next to a slice view: the number of the shown slice, from 1. It follows the view
/// and moves it; it is hidden for images of one slice.
class SliceBar : public QWidget {
  Q_OBJECT
 public:
  explicit SliceBar(SliceView& view, QWidget* parent = nullptr);

 private:
  void follow();

  SliceView& view_;
  QSlider* slider_;
  QSpinBox* number_;
};

}  // namespace isolume::slices
