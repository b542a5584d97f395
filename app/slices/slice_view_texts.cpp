// The texts of a slice view.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "app/slices/number_text.h"
#include "app/slices/outlined_text.h"
#include "app/slices/position_text.h"
#include "app/slices/slice_view.h"
#include "core/base/round_numbers.h"

namespace isolume::slices {
namespace {

QString number(double value, int decimals) {
  return QString::number(value, 'f', decimals).replace(QLatin1Char('-'), QChar(0x2212));
}

/// Decimals for a tenth of a millimetre, or for distinguishing neighbouring voxels.
int decimals_of(double spacing_mm) {
  return std::max(1, static_cast<int>(std::ceil(-std::log10(spacing_mm))));
}

QString with_unit(const QString& text, const std::string& unit) {
  return unit.empty() ? text : text + QChar(0xa0) + QString::fromStdString(unit);
}

/// At most two letters: a third one would add little.
QString letters(const Eigen::Vector3d& direction) {
  return QString::fromStdString(images::orientation_letters(direction).substr(0, 2));
}

void draw_lines(QPainter& painter, const QList<QLineF>& lines, const QColor& colour, double width) {
  painter.setPen(QPen(QColor(0, 0, 0, 150), width + 2, Qt::SolidLine, Qt::FlatCap));
  painter.drawLines(lines);
  painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap));
  painter.drawLines(lines);
}

}  // namespace

QString position_text(const Eigen::Vector3d& position_mm, int decimals) {
  QStringList parts;
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d side = Eigen::Vector3d::Unit(axis) * (position_mm[axis] < 0 ? -1 : 1);
    parts << letters(side) + ' ' + number(std::abs(position_mm[axis]), decimals);
  }
  return SliceView::tr("%1 mm").arg(parts.join("  "));
}

QString SliceView::plane_name() const {
  switch (images::patient_plane(document_->volume.geometry, slice_.axis)) {
    case images::PatientPlane::axial:
      return tr("Axial");
    case images::PatientPlane::coronal:
      return tr("Coronal");
    case images::PatientPlane::sagittal:
      return tr("Sagittal");
  }
  return {};
}

QString SliceView::slice_text(bool shortened) const {
  const auto& geometry = document_->volume.geometry;
  const int count = geometry.dimensions[static_cast<std::size_t>(slice_.axis)];
  if (count == 1 && !has_sides()) return {};
  if (shortened || !has_patient_coordinates())
    return QStringLiteral("%1/%2").arg(slice_.index + 1).arg(count);
  // The position is shown with the letter of its side, as scanners do.
  const double along = plane_.normal.dot(plane_.corner);
  return tr("%1 %2/%3  %4 %5 mm")
      .arg(plane_name())
      .arg(slice_.index + 1)
      .arg(count)
      .arg(letters(along < 0 ? -plane_.normal : plane_.normal),
           number(std::abs(along), decimals_of(plane_.slice_spacing_mm)));
}

QString SliceView::time_text() const {
  if (document_ == nullptr || !document_->time.has_several()) return {};
  const grid::TimePoints& time = document_->time;
  if (const auto time_s = time.time_s()) {
    return tr("Time %1/%2 (%3 s)")
        .arg(time.index + 1)
        .arg(time.count())
        .arg(number(*time_s, decimals_of(*time.step_s)));
  }
  QString name = QString::fromStdString(time.name());
  name.replace(0, 1, name.left(1).toUpper());
  return name;
}

QString SliceView::window_text() const {
  return with_unit(tr("C %1  W %2").arg(shown_number(window_.centre), shown_number(window_.width)),
                   document_->volume.unit);
}

QString SliceView::pointer_text() const {
  const auto place = pointer();
  if (!place || !pointer_text_shown_) return {};
  const int x = static_cast<int>(std::lround(place->x())), y = static_cast<int>(std::lround(place->y()));
  if (x < 0 || y < 0 || x >= plane_.columns || y >= plane_.rows) return {};
  const auto shown = ground();
  if (!shown) return {};
  const auto& [volume, slice] = *shown;
  std::array<int, 3> index{x, y, slice.index};
  if (slice.axis == 0) index = {slice.index, x, y};
  if (slice.axis == 1) index = {x, slice.index, y};
  const QString value = with_unit(shown_number(volume.value(index[0], index[1], index[2])), volume.unit);
  if (!has_patient_coordinates()) return tr("x %1  y %2\n%3").arg(x).arg(y).arg(value);
  return position_text(plane_.position(*place), decimals_of(plane_.spacing().minCoeff())) + '\n' + value;
}

void SliceView::draw_crosshair(QPainter& painter) const {
  if (!crosshair_mm_) return;
  const QPointF centre = to_widget(plane_.place_at(*crosshair_mm_));
  constexpr double gap = 8;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  draw_lines(painter,
             {{0, centre.y(), centre.x() - gap, centre.y()},
              {centre.x() + gap, centre.y(), static_cast<double>(width()), centre.y()},
              {centre.x(), 0, centre.x(), centre.y() - gap},
              {centre.x(), centre.y() + gap, centre.x(), static_cast<double>(height())}},
             QColor("#56b4e9"), 1);
  painter.restore();
}

void SliceView::draw_sides(QPainter& painter, double margin) const {
  Eigen::Vector3d right = turn_.transposed ? plane_.across.normalized() : plane_.along.normalized();
  Eigen::Vector3d down = turn_.transposed ? plane_.along.normalized() : plane_.across.normalized();
  if (turn_.flip_across) right = -right;
  if (turn_.flip_down) down = -down;
  const QPointF centre = QRectF(rect()).center();
  draw_outlined(painter, {margin, centre.y()}, Qt::AlignLeft | Qt::AlignVCenter, letters(-right));
  draw_outlined(painter, {width() - margin, centre.y()}, Qt::AlignRight | Qt::AlignVCenter, letters(right));
  // In a narrow view only the slice number is at the top; the letter at the bottom still shows the
  // orientation.
  const double number_width = QFontMetricsF(font()).horizontalAdvance(slice_text(true));
  if (centre.x() > 2 * margin + number_width)
    draw_outlined(painter, {centre.x(), margin}, Qt::AlignHCenter | Qt::AlignTop, letters(-down));
  draw_outlined(painter, {centre.x(), height() - margin}, Qt::AlignHCenter | Qt::AlignBottom, letters(down));
}

void SliceView::draw_scale_bar(QPainter& painter, double margin) const {
  const double length_mm = rounded_down(width() / 4.0 / scale_);
  const double right = width() - margin, left = right - length_mm * scale_;
  const double y = height() - margin - 3;
  draw_lines(painter, {{left, y, right, y}, {left, y - 4, left, y + 4}, {right, y - 4, right, y + 4}},
             Qt::white, 1.5);
  draw_outlined(
      painter, {right, y - 6}, Qt::AlignRight | Qt::AlignBottom,
      tr("%1 %\n%2 mm").arg(shown_number(std::round(screen_px_per_pixel() * 100)), shown_number(length_mm)));
}

void SliceView::draw_texts(QPainter& painter) const {
  const QFontMetricsF metrics(font());
  painter.setFont(font());
  const double margin = metrics.height() / 2;
  const double em = metrics.horizontalAdvance('m');
  const bool wide = width() > 28 * em && height() > 10 * metrics.height();
  if (has_sides()) draw_sides(painter, margin);
  if (!ground()) {
    draw_outlined(painter, QRectF(rect()).center(), Qt::AlignCenter,
                  unreadable_ ? tr("This slice cannot be read.") : tr("Reading the slice\u2026"));
  }
  QStringList corner{slice_text(!wide)};
  if (wide) corner << time_text();
  corner.removeAll(QString());
  draw_outlined(painter, {margin, margin}, Qt::AlignLeft | Qt::AlignTop, corner.join('\n'));
  if (drag_ == Drag::window && pointer_) {
    draw_outlined(painter, *pointer_ + QPointF(margin, -margin), Qt::AlignLeft | Qt::AlignBottom,
                  window_text());
  }
  if (!wide) return;
  draw_outlined(painter, {width() - margin, margin}, Qt::AlignRight | Qt::AlignTop, window_text());
  draw_outlined(painter, {margin, height() - margin}, Qt::AlignLeft | Qt::AlignBottom, pointer_text());
  draw_scale_bar(painter, margin);
}

}  // namespace isolume::slices
