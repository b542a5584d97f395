#include "app/labs/reconstruction/projection_view.h"

#include <QVBoxLayout>

#include "app/slices/slice_bar.h"

namespace isolume::labs::reconstruction {

ProjectionView::ProjectionView() {
  column_->setObjectName("reconstruction.data");
  auto* layout = new QVBoxLayout(column_);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(title_);
  auto* line = new QHBoxLayout;
  line->addWidget(view_, 1);
  line->addWidget(new slices::SliceBar(*view_));
  layout->addLayout(line, 1);
  view_->set_texts_shown(false);
}

void ProjectionView::show(std::shared_ptr<const images::Document> stack) {
  if (!column_) return;
  const auto before = view_->document();
  if (before != nullptr && before->volume.geometry.dimensions == stack->volume.geometry.dimensions) {
    view_->exchange_document(std::move(stack));
  } else {
    const images::Window window = stack->windows.front();
    view_->set_document(std::move(stack));
    view_->set_window(window);
    go_to_data();
  }
}

void ProjectionView::show(DataView data) {
  if (data == data_) return;
  data_ = data;
  go_to_data();
}

void ProjectionView::go_to_data() {
  if (!column_ || view_->document() == nullptr) return;
  const auto& size = view_->document()->volume.geometry.dimensions;
  const bool is_sinogram = data_ == DataView::sinogram;
  title_->setText(is_sinogram ? QObject::tr("Sinogram: rows are views") : QObject::tr("Projections"));
  view_->set_slice(is_sinogram ? images::SliceId{1, size[1] / 2} : images::SliceId{2, 0});
}

}  // namespace isolume::labs::reconstruction
