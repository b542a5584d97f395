#include "app/slices/slice_bar.h"

#include <QSlider>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/slices/slice_view.h"

namespace isolume::slices {

SliceBar::SliceBar(SliceView& view, QWidget* parent)
    : QWidget(parent), view_(view), slider_(new QSlider(Qt::Vertical)), number_(new QSpinBox) {
  slider_->setMinimum(1);
  slider_->setPageStep(10);
  slider_->setAccessibleName(tr("Slice"));
  number_->setMinimum(1);
  number_->setButtonSymbols(QAbstractSpinBox::NoButtons);
  number_->setAlignment(Qt::AlignHCenter);
  number_->setAccessibleName(tr("Slice number"));
  number_->setToolTip(tr("Number of the slice"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(slider_, 1, Qt::AlignHCenter);
  layout->addWidget(number_);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  const auto show_slice = [this](int number) { view_.set_slice({view_.slice().axis, number - 1}); };
  connect(slider_, &QSlider::valueChanged, this, show_slice);
  connect(number_, &QSpinBox::valueChanged, this, show_slice);
  connect(&view_, &SliceView::slice_changed, this, &SliceBar::follow);
  follow();
}

void SliceBar::follow() {
  const auto slice = view_.slice();
  const int count = view_.document() == nullptr
                        ? 1
                        : view_.document()->volume.geometry.dimensions[static_cast<std::size_t>(slice.axis)];
  setVisible(count > 1);
  const QSignalBlocker quiet_slider(slider_), quiet_number(number_);
  slider_->setMaximum(count);
  number_->setMaximum(count);
  number_->setFixedWidth(number_->fontMetrics().horizontalAdvance(QStringLiteral("00000")));
  slider_->setValue(slice.index + 1);
  number_->setValue(slice.index + 1);
}

}  // namespace isolume::slices

#include "moc_slice_bar.cpp"
