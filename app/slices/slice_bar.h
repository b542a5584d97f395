#pragma once

#include <QWidget>

class QSlider;
class QSpinBox;

namespace isolume::slices {

class SliceView;

/// A slider and a number beside a slice view: which slice it shows, counted from 1. Follows the view and
/// moves it; not there for images of one slice.
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
