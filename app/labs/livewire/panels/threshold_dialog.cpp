#include "app/labs/livewire/panels/threshold_dialog.h"

#include <QColor>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <algorithm>

#include "app/labs/livewire/views/contour_overlay.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/parameters/number_box.h"
#include "core/contours/painting.h"

namespace isolume::labs::livewire {
namespace {

constexpr const char* preview_channel = "livewire.threshold-preview";

QImage picture_of(const contours::SliceLabels& pixels, const QColor& colour) {
  QImage picture(pixels.width, pixels.height, QImage::Format_Indexed8);
  picture.setColorTable({qRgba(0, 0, 0, 0), colour.rgba()});
  auto from = pixels.values.begin();
  for (int y = 0; y < pixels.height; ++y, from += pixels.width)
    std::transform(from, from + pixels.width, picture.scanLine(y),
                   [](std::uint16_t value) { return static_cast<uchar>(value != 0); });
  return picture;
}

}  // namespace

ThresholdDialog::ThresholdDialog(Workspace& workspace)
    : QDialog(&workspace.views()), workspace_(workspace), slices_(new QComboBox) {
  setObjectName("threshold-dialog");
  setWindowTitle(tr("Threshold"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* grid = new QGridLayout(this);
  low_ = make_end("low", tr("Lowest value"));
  high_ = make_end("high", tr("Highest value"));
  int row = 0;
  for (const auto& [title, end] : {std::pair(tr("&Low"), low_), std::pair(tr("&High"), high_)}) {
    auto* label = new QLabel(title);
    label->setBuddy(end.box);
    grid->addWidget(label, row, 0);
    grid->addWidget(end.slider, row, 1);
    grid->addWidget(end.box, row++, 2);
  }
  slices_->setObjectName("slices");
  slices_->addItem(tr("Shown slice"), "shown");
  slices_->addItem(tr("All slices"), "all");
  auto* label = new QLabel(tr("&Apply to"));
  label->setBuddy(slices_);
  grid->addWidget(label, row, 0);
  grid->addWidget(slices_, row++, 1, 1, 2);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Apply | QDialogButtonBox::Cancel);
  buttons->button(QDialogButtonBox::Apply)->setDefault(true);
  buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
  grid->addWidget(buttons, row, 0, 1, 3);
  grid->setColumnStretch(1, 1);
  resize(30 * fontMetrics().height(), sizeHint().height());
  connect(buttons->button(QDialogButtonBox::Apply), &QPushButton::clicked, this, &ThresholdDialog::apply);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);

  follow_image();
  // Brighter than the middle grey of the window.
  set(low_, std::clamp(workspace_.tool_parameters().window_centre, low_.box->minimum(), low_.box->maximum()));
  set(high_, high_.box->maximum());
  low_.box->setFocus();
  const TracingModel& model = workspace_.model();
  connect(&model, &TracingModel::image_changed, this, &ThresholdDialog::follow_image);
  connect(&model, &TracingModel::slice_changed, this, &ThresholdDialog::preview);
  connect(&model, &TracingModel::current_label_changed, this, &ThresholdDialog::preview);
  connect(this, &QDialog::finished, this, [this] {
    workspace_.context().jobs.cancel_channel(preview_channel);
    workspace_.set_mask({});
  });
  preview();
}

ThresholdDialog::End ThresholdDialog::make_end(const QString& name, const QString& title) {
  const End end{new QSlider(Qt::Horizontal), new workbench::NumberBox(false)};
  end.slider->setObjectName(name + ".slider");
  end.slider->setAccessibleName(title);
  end.slider->setMaximum(workbench::SliderScale::positions);
  end.box->setObjectName(name);
  end.box->setAccessibleName(title);
  connect(end.slider, &QSlider::valueChanged, this,
          [this, end](int position) { end.box->setValue(workbench::SliderScale(range_).value(position)); });
  connect(end.box, &QDoubleSpinBox::valueChanged, this, [this, end](double value) {
    const QSignalBlocker quiet(end.slider);
    end.slider->setValue(workbench::SliderScale(range_).position(value));
    keep_order(end);
    preview();
  });
  return end;
}

/// Its values may be in another unit.
void ThresholdDialog::follow_image() {
  const images::ValueRange values = workspace_.values();
  range_.low = values.low;
  range_.high = std::max(values.high, values.low + 1e-9);
  const std::string& unit = workspace_.image().volume.unit;
  for (End* end : {&low_, &high_}) {
    const QSignalBlocker quiet(end->box);
    end->box->setSuffix(unit.empty() ? QString() : QChar(0xa0) + QString::fromStdString(unit));
    end->box->setRange(range_.low, range_.high);
    set(*end, end->box->value());
  }
  preview();
}

void ThresholdDialog::set(End& end, double value) {
  const QSignalBlocker quiet_box(end.box), quiet_slider(end.slider);
  end.box->setValue(value);
  end.slider->setValue(workbench::SliderScale(range_).position(value));
}

void ThresholdDialog::keep_order(const End& moved) {
  if (low_.box->value() <= high_.box->value()) return;
  set(moved.box == low_.box ? high_ : low_, moved.box->value());
}

void ThresholdDialog::preview() {
  const auto* label = workspace_.model().contours().label(workspace_.model().current_label());
  QColor colour(
      QString::fromStdString(label != nullptr ? label->colour : workspace_.tool_parameters().wire_colour));
  colour.setAlphaF(0.5F);
  workspace_.context().jobs.submit(
      workbench::said(QObject::tr("Threshold preview")), preview_channel,
      [&workspace = workspace_, alive = QPointer(this), low = low_.box->value(), high = high_.box->value(),
       colour, image = workspace_.model().image(),
       slice = workspace_.model().slice()](const jobs::Progress& progress) {
        const auto pixels = contours::pixels_within(images::extract_slice(image->volume, slice), low, high);
        progress.check();
        workspace.later([&workspace, alive, image, mask = SliceMask{slice, picture_of(pixels, colour)}] {
          if (alive && alive->isVisible() && image == workspace.model().image()) workspace.set_mask(mask);
        });
      });
}

/// Closed by the command once pixels were added: until then another range can be tried.
void ThresholdDialog::apply() {
  workspace_.run("livewire.label.threshold",
                 {parameters::to_text(low_.box->value()), parameters::to_text(high_.box->value()),
                  slices_->currentData().toString().toStdString()});
}

}  // namespace isolume::labs::livewire

#include "moc_threshold_dialog.cpp"
