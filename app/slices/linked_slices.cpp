#include "app/slices/linked_slices.h"

#include <QScopedValueRollback>
#include <QSplitter>
#include <QVBoxLayout>
#include <cmath>

#include "app/slices/slice_frame.h"
#include "app/slices/slice_model.h"
#include "app/slices/view_title.h"

namespace isolume::slices {

LinkedSlices::LinkedSlices(SliceModel& model, QWidget* three_d, QWidget* parent)
    : QWidget(parent), model_(model), side_(new QSplitter(Qt::Vertical)) {
  build(three_d);
  for (auto* view : all()) connect(view, &SliceView::window_changed, this, &LinkedSlices::set_window);
  link_small(1);
  link_small(2);
  connect(&large(), &SliceView::slice_changed, this, [this](images::SliceId slice) {
    if (!following_) model_.set_slice(slice);
  });
  connect(&large(), &SliceView::moved, this,
          [this](const Eigen::Vector2d& place, Qt::KeyboardModifiers keys) {
            if (keys == Qt::ShiftModifier && shift_moves_crosshair_)
              model_.set_cursor(large().plane().position(place));
          });
  connect(&model_, &SliceModel::image_changed, this, &LinkedSlices::open_image);
  connect(&model_, &SliceModel::image_exchanged, this, [this] {
    for (auto* view : all()) view->exchange_document(model_.image());
  });
  connect(&model_, &SliceModel::slice_changed, this, &LinkedSlices::follow_slice);
  connect(&model_, &SliceModel::cursor_changed, this, &LinkedSlices::follow_cursor);
  if (model_.image() != nullptr) open_image();
  lay_out();
}

void LinkedSlices::add_above_large(QWidget* line) {
  static_cast<QVBoxLayout*>(large_column_->layout())->insertWidget(0, line);
}

void LinkedSlices::add_below_large(QWidget* line) {
  large_column_->layout()->addWidget(line);
}

void LinkedSlices::build(QWidget* three_d) {
  static constexpr std::array names{"large-view", "first-small-view", "second-small-view"};
  auto* across = new QSplitter(Qt::Horizontal);
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    frames_[i] = new SliceFrame;
    frames_[i]->view().setObjectName(QLatin1String(names[i]));
    if (i > 0) side_->addWidget(frames_[i]);
  }
  setFocusProxy(&frames_[0]->view());
  large_column_ = new QWidget;
  auto* column = new QVBoxLayout(large_column_);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(frames_[0], 1);
  across->addWidget(large_column_);
  if (three_d != nullptr) add_space(three_d);
  across->addWidget(side_);
  across->setStretchFactor(0, 3);
  across->setStretchFactor(1, 1);
  across->setChildrenCollapsible(false);
  side_->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(across);
  across->setSizes({300, 100});
  side_->setSizes({100, 100, 100});
}

void LinkedSlices::add_space(QWidget* three_d) {
  auto* title = new ViewTitle;
  title->setObjectName("space-title");
  title->setText(tr("3D"));
  title->set_help(tr("Double click or Enter: show it alone, or with the slices again"));
  connect(title, &ViewTitle::activated, this, [this] { set_space_alone(!space_alone_); });
  three_d_ = new QWidget;
  auto* column = new QVBoxLayout(three_d_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addWidget(title);
  column->addWidget(three_d, 1);
  side_->addWidget(three_d_);
}

SliceView& LinkedSlices::large() {
  return frames_[0]->view();
}

std::array<SliceView*, 3> LinkedSlices::all() {
  return {&frames_[0]->view(), &frames_[1]->view(), &frames_[2]->view()};
}

void LinkedSlices::add_overlay(const SliceView::Overlay& overlay, SliceView::Drawn drawn) {
  for (auto* view : all()) view->add_overlay(overlay, drawn);
}

void LinkedSlices::update_overlays() {
  for (auto* view : all()) view->refresh();
}

void LinkedSlices::link_small(std::size_t which) {
  auto& view = frames_[which]->view();
  const auto move_cursor = [this, &view](const Eigen::Vector2d& place) {
    go_to(view.plane().position(place));
  };
  connect(&view, &SliceView::pressed, this, move_cursor);
  connect(&view, &SliceView::double_clicked, this, move_cursor);
  connect(&view, &SliceView::dragged, this, move_cursor);
  connect(&view, &SliceView::slice_changed, this, [this](images::SliceId slice) {
    if (following_) return;
    const auto& geometry = model_.image()->volume.geometry;
    Eigen::Vector3d index = geometry.index_at(model_.cursor_mm());
    index[slice.axis] = slice.index;
    model_.set_cursor(geometry.position(index));
  });
  frames_[which]->set_title_help(tr("Double click or Enter: show in the large view"));
  connect(frames_[which], &SliceFrame::title_activated, this,
          [this, &view] { model_.set_slice(view.slice()); });
}

void LinkedSlices::open_image() {
  const QScopedValueRollback following(following_, true);
  const auto before = large().document();
  if (before == nullptr || !images::differ_in_values_alone(*before, *model_.image())) space_alone_ = false;
  for (auto* view : all()) view->set_document(model_.image());
  follow_slice();
  lay_out();
}

void LinkedSlices::follow_slice() {
  if (model_.image() == nullptr) return;
  const QScopedValueRollback following(following_, true);
  large().set_slice(model_.slice());
  follow_cursor();
}

void LinkedSlices::follow_cursor() {
  if (model_.image() == nullptr) return;
  const QScopedValueRollback following(following_, true);
  const auto& geometry = model_.image()->volume.geometry;
  std::size_t small = 1;
  for (const auto plane :
       {images::PatientPlane::axial, images::PatientPlane::coronal, images::PatientPlane::sagittal}) {
    const int axis = images::axis_of(geometry, plane);
    if (axis == model_.slice().axis) continue;
    frames_[small++]->view().set_slice(images::slice_at(geometry, axis, model_.cursor_mm()));
  }
  const bool shown = crosshair_shown_ && geometry.dimensions[2] > 1;
  for (auto* view : all()) view->set_crosshair(shown ? std::optional(model_.cursor_mm()) : std::nullopt);
}

void LinkedSlices::set_large_plane(images::PatientPlane plane) {
  if (model_.image() == nullptr) return;
  const auto& geometry = model_.image()->volume.geometry;
  model_.set_slice(images::slice_at(geometry, images::axis_of(geometry, plane), model_.cursor_mm()));
}

images::PatientPlane LinkedSlices::large_plane() const {
  if (model_.image() == nullptr) return images::PatientPlane::axial;
  return images::patient_plane(model_.image()->volume.geometry, model_.slice().axis);
}

void LinkedSlices::set_window(const images::Window& window) {
  for (auto* view : all()) view->set_window(window);
}

void LinkedSlices::set_value_range(const images::ValueRange& values) {
  for (auto* view : all()) view->set_value_range(values);
}

void LinkedSlices::set_interpolation(images::Interpolation interpolation) {
  for (auto* view : all()) view->set_interpolation(interpolation);
}

void LinkedSlices::set_crosshair_shown(bool shown) {
  crosshair_shown_ = shown;
  follow_cursor();
}

void LinkedSlices::go_to(const Eigen::Vector3d& position_mm) {
  if (model_.image() == nullptr) return;
  const auto& geometry = model_.image()->volume.geometry;
  const int axis = model_.slice().axis;
  Eigen::Vector3d index = geometry.index_at(position_mm);
  for (int i = 0; i < 3; ++i)
    index[i] = std::clamp(index[i], 0.0, geometry.dimensions[static_cast<std::size_t>(i)] - 1.0);
  index[axis] = std::round(index[axis]);  // the crosshair lies on the large view's slice
  model_.set_cursor(geometry.position(index));
  model_.set_slice({axis, static_cast<int>(index[axis])});
}

void LinkedSlices::set_side_shown(bool shown) {
  side_wanted_ = shown;
  lay_out();
}

void LinkedSlices::set_space_alone(bool alone) {
  space_alone_ = alone && three_d_ != nullptr;
  lay_out();
}

void LinkedSlices::lay_out() {
  // In widths and heights of letters, so that large fonts count.
  const int letter = fontMetrics().averageCharWidth(), line = fontMetrics().height();
  const bool volume = model_.image() != nullptr && model_.image()->volume.geometry.dimensions[2] > 1;
  large_column_->setVisible(!space_alone_);
  for (const std::size_t small : {1u, 2u}) frames_[small]->setVisible(!space_alone_);
  side_->setVisible(space_alone_ || (side_wanted_ && volume && width() >= 80 * letter));
  if (three_d_ != nullptr) three_d_->setVisible(space_alone_ || height() >= 30 * line);
}

void LinkedSlices::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  lay_out();
}

}  // namespace isolume::slices

#include "moc_linked_slices.cpp"
