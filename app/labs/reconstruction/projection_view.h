#pragma once

#include <QLabel>
#include <QPointer>
#include <QWidget>
#include <memory>

#include "app/labs/reconstruction/description.h"
#include "app/slices/slice_view.h"

namespace isolume::labs::reconstruction {

/// The measured data as pictures: projections, or the sinogram of a row of the detector.
class ProjectionView {
 public:
  ProjectionView();

  QWidget* widget() { return column_; }
  /// A stack of u, v and view.
  void show(std::shared_ptr<const images::Document> stack);
  void show(DataView data);

 private:
  void go_to_data();

  QPointer<QWidget> column_ = new QWidget;  ///< owned by the window
  QLabel* title_ = new QLabel;
  slices::SliceView* view_ = new slices::SliceView;
  DataView data_ = DataView::projections;
};

}  // namespace isolume::labs::reconstruction
