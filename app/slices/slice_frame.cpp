#include "app/slices/slice_frame.h"

#include <QGridLayout>

#include "app/slices/slice_bar.h"
#include "app/slices/slice_view.h"
#include "app/slices/view_title.h"

namespace isolume::slices {
SliceFrame::SliceFrame(QWidget* parent) : QWidget(parent), view_(new SliceView), title_(new ViewTitle) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(title_, 0, 0, 1, 2);
  layout->addWidget(view_, 1, 0);
  layout->addWidget(new SliceBar(*view_), 1, 1);
  layout->setColumnStretch(0, 1);
  layout->setRowStretch(1, 1);
  connect(title_, &ViewTitle::activated, this, &SliceFrame::title_activated);
  connect(view_, &SliceView::slice_changed, this, &SliceFrame::update_title);
  update_title();
}

void SliceFrame::set_title_help(const QString& help) {
  title_->set_help(help);
}

void SliceFrame::update_title() {
  const auto& document = view_->document();
  const QString name = document == nullptr ? QString() : view_->plane_name();
  title_->setText(name);
  title_->setAccessibleName(name);
  title_->setVisible(document != nullptr && document->volume.geometry.dimensions[2] > 1);
}

}  // namespace isolume::slices

#include "moc_slice_frame.cpp"
