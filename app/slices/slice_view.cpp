#include "app/slices/slice_view.h"

#include <QApplication>
#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QStyleHints>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/images/window.h"

namespace isolume::slices {
namespace {

constexpr double zoom_step = 1.25;
constexpr double smallest_px_per_pixel = 1.0 / 64, largest_px_per_pixel = 256;
constexpr int page = 10;  ///< slices

}  // namespace

SliceView::SliceView(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setContextMenuPolicy(Qt::PreventContextMenu);  // some desktops open a menu as soon as a drag begins
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Slice"));
}

void SliceView::exchange_document(std::shared_ptr<const images::Document> document) {
  document_ = std::move(document);
  copy_.reset();
  stale_ = true;
  refresh();
}

void SliceView::set_document(std::shared_ptr<const images::Document> document) {
  if (document != nullptr && document_ != nullptr && images::differ_in_values_alone(*document, *document_))
    return exchange_document(std::move(document));
  document_ = std::move(document);
  copy_.reset();
  crosshair_mm_.reset();
  stale_ = true;
  if (document_ == nullptr) {
    update();
    return;
  }
  const auto& geometry = document_->volume.geometry;
  const int axis = images::axis_of(geometry, images::PatientPlane::axial);
  slice_ = {-1, 0};
  set_slice(
      {geometry.dimensions[2] == 1 ? 2 : axis, geometry.dimensions[static_cast<std::size_t>(axis)] / 2});
  set_window(images::first_window(*document_));
}

void SliceView::set_slice(images::SliceId slice) {
  if (document_ == nullptr) return;
  const auto& geometry = document_->volume.geometry;
  slice.axis = std::clamp(slice.axis, 0, 2);
  slice.index = std::clamp(slice.index, 0, geometry.dimensions[static_cast<std::size_t>(slice.axis)] - 1);
  if (slice == slice_) return;
  const bool turned = slice.axis != slice_.axis;
  slice_ = slice;
  copy_.reset();
  unreadable_ = false;
  plane_ = images::slice_plane(geometry, slice);
  // Projections are shown as stored, without turning them to a standard side.
  const bool is_turned = !document_->dicom || document_->dicom->is_placed;
  turn_ = is_turned ? images::radiological_turn(geometry, slice.axis) : images::SliceTurn{};
  if (turned) fit();
  stale_ = true;
  setAccessibleDescription(slice_text());
  update();
  Q_EMIT slice_changed(slice_);
  if (document_->volume.file != nullptr) Q_EMIT slice_wanted(slice_);
}

std::optional<SliceView::Ground> SliceView::ground() const {
  if (document_ == nullptr) return std::nullopt;
  if (document_->volume.file == nullptr) return Ground{document_->volume, slice_};
  if (!copy_) return std::nullopt;
  return Ground{*copy_, {slice_.axis, 0}};
}

void SliceView::take_slice(images::SliceId slice, std::optional<images::Volume> copy) {
  if (document_ == nullptr || slice != slice_) return;
  unreadable_ = !copy;
  copy_ = std::move(copy);
  stale_ = true;
  update();
  Q_EMIT slice_taken();
}

void SliceView::set_window(const images::Window& window) {
  const double width = std::max(window.width, 1e-9);
  if (window.centre == window_.centre && width == window_.width && window.is_inverted == window_.is_inverted)
    return;
  window_ = {window.centre, width, window.name, window.is_inverted};
  stale_ = true;
  update();
  Q_EMIT window_changed(window_);
}

void SliceView::set_interpolation(images::Interpolation interpolation) {
  if (interpolation == interpolation_) return;
  interpolation_ = interpolation;
  stale_ = true;
  update();
}

void SliceView::set_crosshair(const std::optional<Eigen::Vector3d>& position_mm) {
  if (position_mm == crosshair_mm_) return;
  crosshair_mm_ = position_mm;
  update();
}

void SliceView::set_texts_shown(bool shown) {
  texts_shown_ = shown;
  update();
}

bool SliceView::has_sides() const {
  return document_ != nullptr && document_->volume.geometry.has_sides();
}

bool SliceView::has_patient_coordinates() const {
  return has_sides() && (!document_->dicom || document_->dicom->is_placed);
}

void SliceView::add_overlay(Overlay overlay, Drawn drawn) {
  (drawn == Drawn::kept ? kept_overlays_ : overlays_).push_back(std::move(overlay));
  refresh();
}

void SliceView::refresh() {
  composed_stale_ = true;
  update();
}

void SliceView::view_moved() {
  stale_ = true;
  update();
  Q_EMIT view_changed();
}

void SliceView::zoom_by(double factor, const QPointF& about) {
  const Eigen::Vector2d fixed = to_place(about);
  const double now = screen_px_per_pixel();
  scale_ *= std::clamp(now * factor, smallest_px_per_pixel, largest_px_per_pixel) / now;
  centre_ += fixed - to_place(about);
  fitted_ = false;
  view_moved();
}

void SliceView::pan_by(const QPointF& by) {
  centre_ -= to_place(by) - to_place({0, 0});
  fitted_ = false;
  view_moved();
}

void SliceView::look_at(const Eigen::Vector2d& centre, double scale) {
  const double per_scale = screen_px_per_pixel() / scale_;
  centre_ = centre;
  scale_ = std::clamp(scale * per_scale, smallest_px_per_pixel, largest_px_per_pixel) / per_scale;
  fitted_ = false;
  view_moved();
}

void SliceView::fit() {
  const Eigen::Vector2d size(plane_.columns, plane_.rows);
  centre_ = (size - Eigen::Vector2d::Ones()) / 2;
  const Eigen::Vector2d size_mm = size.cwiseProduct(plane_.spacing());
  scale_ = std::min(width() / size_mm[axis_across()], height() / size_mm[1 - axis_across()]);
  scale_ = std::max(scale_, 1e-9);  // the widget has not been laid out yet
  fitted_ = true;
  view_moved();
}

QPointF SliceView::to_widget(const Eigen::Vector2d& place) const {
  const Eigen::Vector2d from_centre_px = (place - centre_).cwiseProduct(plane_.spacing()) * scale_;
  const double across = from_centre_px[axis_across()], down = from_centre_px[1 - axis_across()];
  return QRectF(rect()).center() +
         QPointF(turn_.flip_across ? -across : across, turn_.flip_down ? -down : down);
}

Eigen::Vector2d SliceView::to_place(const QPointF& point) const {
  const QPointF from_centre = point - QRectF(rect()).center();
  Eigen::Vector2d by;
  by[axis_across()] = turn_.flip_across ? -from_centre.x() : from_centre.x();
  by[1 - axis_across()] = turn_.flip_down ? -from_centre.y() : from_centre.y();
  return centre_ + by.cwiseQuotient(plane_.spacing()) / scale_;
}

double SliceView::screen_px_per_pixel() const {
  return scale_ * std::sqrt(plane_.along.norm() * plane_.across.norm());
}

images::PictureMap SliceView::picture_map() const {
  const double ratio = devicePixelRatioF();
  const Eigen::Vector2d first = to_place(QPointF(0.5, 0.5) / ratio),
                        next = to_place(QPointF(1.5, 1.5) / ratio);
  const int across = axis_across(), down = 1 - across;
  return {.width = static_cast<int>(std::ceil(width() * ratio)),
          .height = static_cast<int>(std::ceil(height() * ratio)),
          .transposed = turn_.transposed,
          .first_column = first[across],
          .column_step = next[across] - first[across],
          .first_row = first[down],
          .row_step = next[down] - first[down]};
}

std::optional<Eigen::Vector2d> SliceView::pointer() const {
  if (!pointer_ || document_ == nullptr) return std::nullopt;
  return to_place(*pointer_);
}

void SliceView::render() {
  const auto map = picture_map();
  if (picture_.width() != map.width || picture_.height() != map.height) {
    picture_ = QImage(map.width, map.height, QImage::Format_RGB32);
  }
  picture_.setDevicePixelRatio(devicePixelRatioF());
  if (const auto shown = ground()) {
    images::render_slice(shown->volume, shown->slice, map, window_, interpolation_,
                         {reinterpret_cast<std::uint32_t*>(picture_.bits()), picture_.bytesPerLine() / 4});
  } else {
    picture_.fill(Qt::black);
  }
  stale_ = false;
  composed_stale_ = true;
}

void SliceView::draw_overlays(QPainter& painter, const std::vector<Overlay>& overlays) const {
  painter.setRenderHint(QPainter::Antialiasing);
  for (const auto& overlay : overlays) {
    painter.save();
    overlay(painter, *this);
    painter.restore();
  }
}

void SliceView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (document_ == nullptr) {
    painter.fillRect(rect(), Qt::black);
  } else {
    if (stale_ || picture_.devicePixelRatio() != devicePixelRatioF()) render();
    if (composed_stale_ && !kept_overlays_.empty()) {
      if (composed_.size() != picture_.size()) composed_ = QImage(picture_.size(), picture_.format());
      composed_.setDevicePixelRatio(picture_.devicePixelRatio());
      QPainter composer(&composed_);
      composer.setFont(font());
      composer.drawImage(QPointF(0, 0), picture_);
      draw_overlays(composer, kept_overlays_);
    }
    composed_stale_ = false;
    painter.drawImage(QPointF(0, 0), kept_overlays_.empty() ? picture_ : composed_);
    draw_crosshair(painter);
    draw_overlays(painter, overlays_);
    if (texts_shown_) draw_texts(painter);
  }
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
  }
}

void SliceView::resizeEvent(QResizeEvent*) {
  if (fitted_) {
    fit();
  } else {
    view_moved();
  }
}

bool SliceView::event(QEvent* event) {
  if (event->type() == QEvent::NativeGesture) {
    const auto* gesture = static_cast<QNativeGestureEvent*>(event);
    if (gesture->gestureType() == Qt::ZoomNativeGesture) {
      zoom_by(1 + gesture->value(), gesture->position());
      return true;
    }
  }
  // While the view has the focus, Space belongs to it, even if it is a shortcut.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (document_ != nullptr && key->key() == Qt::Key_Space && key->modifiers() == Qt::NoModifier) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void SliceView::step_slice(int by) {
  set_slice({slice_.axis, slice_.index + by});
}

void SliceView::wheelEvent(QWheelEvent* event) {
  event->accept();
  if (document_ == nullptr) return;
  constexpr int notch = 120;  // eighths of a degree of one notch of a common wheel; touchpads send fractions
  if (event->modifiers() & Qt::ControlModifier) {
    zoom_by(std::pow(zoom_step, event->angleDelta().y() / static_cast<double>(notch)), event->position());
    return;
  }
  wheel_angle_ += event->angleDelta().y();
  const int steps = wheel_angle_ / notch;
  wheel_angle_ -= steps * notch;
  if (steps != 0) step_slice(steps);
}

void SliceView::mousePressEvent(QMouseEvent* event) {
  // A second button does not interrupt a drag, but the release of the first may have gone to a dialog that
  // opened.
  space_tap_ = false;
  if (document_ == nullptr || (drag_ != Drag::none && event->buttons() != event->button())) return;
  drag_start_ = drag_last_ = pointer_.emplace(event->position());
  if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && space_held_)) {
    drag_ = Drag::pan;
    setCursor(Qt::ClosedHandCursor);
  } else if (event->button() == Qt::RightButton) {
    drag_ = Drag::window;
    drag_window_ = window_;
  } else if (event->button() == Qt::LeftButton) {
    drag_ = Drag::reported;
    Q_EMIT pressed(to_place(event->position()), event->modifiers());
  }
}

/// By convention, right lowers the contrast and down darkens the picture. The change is relative to the
/// window at the start, so that it suits all ranges of values.
void SliceView::drag_window(const QPointF& to) {
  constexpr double px_per_e_fold = 200, px_per_width = 300;
  const QPointF by = to - drag_start_;
  double centre = drag_window_.centre + by.y() / px_per_width * drag_window_.width;
  double width = drag_window_.width * std::exp(by.x() / px_per_e_fold);
  if (values_) {
    const auto widths = window_widths(*values_);
    centre = std::clamp(centre, values_->low, values_->high);
    width = std::clamp(width, widths.low, widths.high);
  }
  set_window({centre, width, {}, window_.is_inverted});
}

images::ValueRange SliceView::window_widths(const images::ValueRange& values) {
  const double range = std::max(values.high - values.low, 1e-9);
  return {range / 1000, 2 * range};
}

void SliceView::mouseMoveEvent(QMouseEvent* event) {
  if (document_ == nullptr) return;
  pointer_ = event->position();
  if (drag_ == Drag::pan) {
    pan_by(event->position() - drag_last_);
  } else if (drag_ == Drag::window) {
    if ((event->position() - drag_start_).manhattanLength() >=
        QApplication::styleHints()->startDragDistance()) {
      drag_window(event->position());
    }
  } else {
    Q_EMIT moved(to_place(event->position()), event->modifiers());
    if (drag_ == Drag::reported) Q_EMIT dragged(to_place(event->position()), event->modifiers());
  }
  drag_last_ = event->position();
  update();
}

void SliceView::mouseReleaseEvent(QMouseEvent* event) {
  if (document_ == nullptr || drag_ == Drag::none) return;
  const bool ends = (drag_ == Drag::reported && event->button() == Qt::LeftButton) ||
                    (drag_ == Drag::window && event->button() == Qt::RightButton) ||
                    (drag_ == Drag::pan && event->button() != Qt::RightButton);
  if (!ends) return;
  const Drag ended = std::exchange(drag_, Drag::none);
  if (ended == Drag::reported) {
    Q_EMIT released(to_place(event->position()), event->modifiers());
  } else if (ended == Drag::pan) {
    space_held_ ? setCursor(Qt::OpenHandCursor) : unsetCursor();
  } else if (window_.centre != drag_window_.centre || window_.width != drag_window_.width) {
    Q_EMIT window_dragged(drag_window_);
    Q_EMIT moved(to_place(event->position()), event->modifiers());  // what follows the pointer has waited
  } else if ((event->position() - drag_start_).manhattanLength() <
             QApplication::styleHints()->startDragDistance()) {
    Q_EMIT menu_requested(event->globalPosition().toPoint(), to_place(event->position()));
  }
  update();
}

void SliceView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || space_held_) {
    mousePressEvent(event);
  } else if (document_ != nullptr) {
    drag_ = Drag::reported;
    Q_EMIT double_clicked(to_place(event->position()), event->modifiers());
  }
}

void SliceView::leaveEvent(QEvent*) {
  pointer_.reset();
  wheel_angle_ = 0;
  update();
  Q_EMIT left_view();
}

void SliceView::keyPressEvent(QKeyEvent* event) {
  if (document_ == nullptr) return QWidget::keyPressEvent(event);
  const int count = document_->volume.geometry.dimensions[static_cast<std::size_t>(slice_.axis)];
  const QPointF about = pointer_.value_or(QRectF(rect()).center());
  switch (event->key()) {
    case Qt::Key_Up:
      return step_slice(1);
    case Qt::Key_Down:
      return step_slice(-1);
    case Qt::Key_PageUp:
      return step_slice(page);
    case Qt::Key_PageDown:
      return step_slice(-page);
    case Qt::Key_Home:
      return step_slice(-count);
    case Qt::Key_End:
      return step_slice(count);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom_by(zoom_step, about);
    case Qt::Key_Minus:
      return zoom_by(1 / zoom_step, about);
    case Qt::Key_0:
      return fit();
    case Qt::Key_Menu:
      Q_EMIT menu_requested(mapToGlobal(about.toPoint()), to_place(about));
      return;
    case Qt::Key_Space:
      // Holding Space long enough to repeat means panning.
      space_tap_ = !event->isAutoRepeat();
      if (event->isAutoRepeat()) return;
      space_held_ = true;
      return setCursor(Qt::OpenHandCursor);
    default:
      QWidget::keyPressEvent(event);
  }
}

void SliceView::keyReleaseEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_Space) return QWidget::keyReleaseEvent(event);
  if (event->isAutoRepeat()) return;
  space_held_ = false;
  if (drag_ != Drag::pan) unsetCursor();
  if (std::exchange(space_tap_, false)) Q_EMIT space_tapped();
}

void SliceView::focusOutEvent(QFocusEvent* event) {
  space_held_ = space_tap_ = false;
  if (drag_ != Drag::pan) unsetCursor();
  QWidget::focusOutEvent(event);
}

}  // namespace isolume::slices

#include "moc_slice_view.cpp"
