#include "app/workbench/devices/tile_timeline.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/workbench/look/theme.h"

namespace isolume::workbench {
namespace {

constexpr double margin = 6;
constexpr double gap_between_devices = 4;
constexpr double comfortable_row_height = 20;
constexpr double smallest_row_height = 5;
constexpr double narrow = 2;          ///< bars below this width may be drawn together
constexpr double reach = 4;           ///< largest distance of the mouse from a bar, in pixels
constexpr double longest_name = 0.3;  ///< fraction of the width

/// Based on Okabe and Ito, darkened in light windows so that bars stand out, and without orange, which marks
/// failures. Colours repeat after five devices; the rows have names.
QColor device_colour(int device) {
  static constexpr std::array<const char*, 5> on_light{"#0072b2", "#00795a", "#9a4f7e", "#6a5d00", "#4d5a66"};
  static constexpr std::array<const char*, 5> on_dark{"#56b4e9", "#2fc89b", "#dd8fbb", "#e8dc5a", "#b4bfca"};
  const auto& colours = dark_theme() ? on_dark : on_light;
  return {colours.at(static_cast<std::size_t>(device) % colours.size())};
}

/// 1, 2 or 5 times a power of ten, so that at most `ticks` of them fit into `range`.
double nice_step(double range, int ticks) {
  const double raw = range / std::max(1, ticks);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

/// Three significant digits, or all digits before the point: "0.43", "12.5", "1234".
QString milliseconds(double seconds) {
  const double value = 1e3 * seconds;
  const int before = value >= 1 ? static_cast<int>(std::floor(std::log10(value))) + 1 : 1;
  return QString::number(value, 'f', value < 1 ? 3 : std::max(0, 3 - before));
}

QBrush hatched(const QColor& colour) {
  return {colour, Qt::Dense3Pattern};
}

void draw_cross(QPainter& painter, const QPointF& centre, double size) {
  const double half = size / 2;
  const std::array<QLineF, 2> lines{
      QLineF(centre - QPointF(half, half), centre + QPointF(half, half)),
      QLineF(centre + QPointF(-half, half), centre + QPointF(half, -half)),
  };
  painter.setRenderHint(QPainter::Antialiasing);
  for (const auto& [colour, width] :
       {std::pair(QApplication::palette().color(QPalette::Base), 5.0), std::pair(error_colour(), 2.5)}) {
    painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap));
    painter.drawLines(lines.data(), static_cast<int>(lines.size()));
  }
  painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace

TileTimeline::TileTimeline(QWidget* parent) : QWidget(parent) {
  setObjectName("timeline");
  setAccessibleName(tr("Timeline of the last job's tiles"));
  setFocusPolicy(Qt::StrongFocus);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
}

void TileTimeline::set_report(std::shared_ptr<const dispatch::Report> report, const QStringList& names) {
  report_ = std::move(report);
  names_ = names;
  rows_.clear();
  seconds_ = 0;
  choose(-1);
  if (report_ != nullptr) {
    std::map<std::pair<int, int>, std::vector<int>> spans;
    for (std::size_t i = 0; i < report_->timeline.size(); ++i) {
      const auto& span = report_->timeline[i];
      spans[{span.device, span.worker}].push_back(static_cast<int>(i));
      seconds_ = std::max(seconds_, span.end);
    }
    seconds_ = std::max(seconds_, report_->seconds);
    for (int device = 0; device < static_cast<int>(report_->shares.size()); ++device) {
      const auto next = spans.lower_bound({device, 0});
      if (next == spans.end() || next->first.first != device)
        spans[{device, 0}];  // shows devices without tiles, too
    }
    for (auto& [who, own] : spans) {
      std::ranges::sort(own, {}, [&](int i) { return report_->timeline[static_cast<std::size_t>(i)].begin; });
      rows_.push_back({who.first, who.second, std::move(own)});
    }
  }
  setMinimumHeight(minimumSizeHint().height());
  updateGeometry();
  update();
}

// Positions.

double TileTimeline::line() const {
  return fontMetrics().height();
}

double TileTimeline::label_width() const {
  int widest = fontMetrics().horizontalAdvance(tr("ms"));
  for (const QString& name : names_) widest = std::max(widest, fontMetrics().horizontalAdvance(name));
  return std::min<double>(widest, longest_name * width());
}

QRectF TileTimeline::plot() const {
  const double left = margin + label_width() + margin;
  const double last_tick_label = 2 * fontMetrics().averageCharWidth();
  const double below = 2 * line() + 3 * margin;  // axis and legend
  return {left, margin, std::max(1.0, width() - left - margin - last_tick_label),
          std::max(1.0, height() - margin - below)};
}

/// A device's name needs a line.
double TileTimeline::least_row_height() const {
  std::map<int, int> workers;
  for (const Row& row : rows_) ++workers[row.device];
  double least = smallest_row_height;
  for (const auto& [device, count] : workers) least = std::max(least, line() / count);
  return least;
}

QRectF TileTimeline::row_area(std::size_t row) const {
  const QRectF area = plot();
  const int gaps = rows_.back().device - rows_.front().device;
  const double room = (area.height() - gaps * gap_between_devices) / static_cast<double>(rows_.size());
  const double height = std::max(smallest_row_height, std::min(comfortable_row_height, room));
  const double top = area.top() + static_cast<double>(row) * height +
                     (rows_[row].device - rows_.front().device) * gap_between_devices;
  return {area.left(), top, area.width(), height};
}

double TileTimeline::to_x(const QRectF& area, double seconds) const {
  return area.left() + (seconds_ > 0 ? seconds / seconds_ : 0) * area.width();
}

std::size_t TileTimeline::row_of(int span) const {
  const auto& wanted = report_->timeline[static_cast<std::size_t>(span)];
  const auto found = std::ranges::find_if(
      rows_, [&](const Row& row) { return row.device == wanted.device && row.worker == wanted.worker; });
  return static_cast<std::size_t>(found - rows_.begin());
}

QRectF TileTimeline::bar(int span) const {
  const auto& each = report_->timeline[static_cast<std::size_t>(span)];
  const QRectF area = row_area(row_of(span));
  const double left = to_x(area, each.begin);
  return {left, area.top(), to_x(area, each.end) - left, area.height() - 1};
}

int TileTimeline::tile_at(const QPointF& place) const {
  int best = -1;
  double best_distance = reach;
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    const QRectF area = row_area(row);
    if (place.y() < area.top() || place.y() >= area.bottom()) continue;
    for (const int span : rows_[row].spans) {
      const auto& each = report_->timeline[static_cast<std::size_t>(span)];
      const double distance =
          std::max({to_x(area, each.begin) - place.x(), place.x() - to_x(area, each.end), 0.0});
      if (distance < best_distance) best_distance = distance, best = span;
    }
  }
  return best;
}

QSize TileTimeline::sizeHint() const {
  const double rows = static_cast<double>(std::max<std::size_t>(rows_.size(), 2)) * comfortable_row_height;
  return {60 * fontMetrics().averageCharWidth(), static_cast<int>(rows + 3 * line() + 4 * margin)};
}

QSize TileTimeline::minimumSizeHint() const {
  const double gaps = rows_.empty() ? 0 : (rows_.back().device - rows_.front().device) * gap_between_devices;
  const double rows = static_cast<double>(rows_.size()) * least_row_height() + gaps;
  return {30 * fontMetrics().averageCharWidth(),
          static_cast<int>(std::ceil(std::max(rows, 2 * line()) + 2 * line() + 4 * margin))};
}

// Texts.

QString TileTimeline::describe(int span) const {
  const auto& each = report_->timeline[static_cast<std::size_t>(span)];
  const auto& share = report_->shares.at(static_cast<std::size_t>(each.device));
  QString text = tr("Tile %1 by %2, worker %3: from %4 ms, took %5 ms")
                     .arg(each.tile)
                     .arg(names_.value(each.device))
                     .arg(each.worker + 1)
                     .arg(milliseconds(each.begin), milliseconds(each.end - each.begin));
  if (each.failed) {
    text += tr("; failed and was re-queued");
    if (!share.error.empty()) text += QStringLiteral(": ") + QString::fromStdString(share.error);
  }
  return text;
}

// Choosing.

void TileTimeline::choose(int span) {
  if (span == chosen_) return;
  chosen_ = span;
  setAccessibleDescription(span < 0 ? QString() : describe(span));
  update();
  Q_EMIT tile_chosen(span);
}

void TileTimeline::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(tile_at(event->position()));
}

void TileTimeline::keyPressEvent(QKeyEvent* event) {
  const bool any = report_ != nullptr && !report_->timeline.empty();
  switch (any ? event->key() : 0) {
    case Qt::Key_Right:
      return step_in_time(1);
    case Qt::Key_Left:
      return step_in_time(-1);
    case Qt::Key_Down:
      return step_to_row(1);
    case Qt::Key_Up:
      return step_to_row(-1);
    case Qt::Key_Home:
      return step_in_time(-static_cast<int>(report_->timeline.size()));
    case Qt::Key_End:
      return step_in_time(static_cast<int>(report_->timeline.size()));
    default:
      QWidget::keyPressEvent(event);
  }
}

void TileTimeline::step_in_time(int step) {
  if (chosen_ < 0) {
    const auto row = std::ranges::find_if(rows_, [](const Row& each) { return !each.spans.empty(); });
    return choose(step > 1 ? row->spans.back() : row->spans.front());
  }
  const auto& spans = rows_[row_of(chosen_)].spans;
  const int place = static_cast<int>(std::ranges::find(spans, chosen_) - spans.begin());
  const int wanted = std::clamp(place + step, 0, static_cast<int>(spans.size()) - 1);
  choose(spans[static_cast<std::size_t>(wanted)]);
}

void TileTimeline::step_to_row(int step) {
  if (chosen_ < 0) return step_in_time(0);
  const auto& from = report_->timeline[static_cast<std::size_t>(chosen_)];
  for (auto row = static_cast<int>(row_of(chosen_)) + step; row >= 0 && row < static_cast<int>(rows_.size());
       row += step) {
    const int found = nearest_in_time(rows_[static_cast<std::size_t>(row)], (from.begin + from.end) / 2);
    if (found >= 0) return choose(found);
  }
}

int TileTimeline::nearest_in_time(const Row& row, double seconds) const {
  int best = -1;
  double best_distance = 0;
  for (const int span : row.spans) {
    const auto& each = report_->timeline[static_cast<std::size_t>(span)];
    const double distance = std::max({each.begin - seconds, seconds - each.end, 0.0});
    if (best < 0 || distance < best_distance) best = span, best_distance = distance;
  }
  return best;
}

bool TileTimeline::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int span = tile_at(help->pos());
    if (span >= 0) {
      QToolTip::showText(help->globalPos(), describe(span), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

// Painting.

void TileTimeline::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (rows_.empty() || seconds_ <= 0) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     report_ == nullptr ? tr("No job has run yet.") : tr("The last job had no tiles."));
  } else {
    draw_axis(painter);
    draw_names(painter);
    for (std::size_t row = 0; row < rows_.size(); ++row) draw_row(painter, row);
    for (std::size_t row = 0; row < rows_.size(); ++row) draw_failures(painter, row);
    draw_legend(painter);
    if (chosen_ >= 0) {
      QRectF box = bar(chosen_);
      box.setWidth(std::max(box.width(), narrow));
      painter.setPen(QPen(palette().color(QPalette::Text), 2));
      painter.drawRect(box.adjusted(-2, -1, 2, 1));
    }
  }
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void TileTimeline::draw_axis(QPainter& painter) const {
  const QRectF area = plot();
  const double bottom = row_area(rows_.size() - 1).bottom() + 2;
  QColor grid = palette().color(QPalette::Text);
  grid.setAlphaF(0.15F);
  const QColor faint = palette().color(QPalette::PlaceholderText);
  const double range = 1e3 * seconds_;
  const double widest = fontMetrics().horizontalAdvance(QStringLiteral("00000")) + 2 * margin;
  const double step = nice_step(range, static_cast<int>(area.width() / widest));
  const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
  for (int tick = 0; tick * step <= range * (1 + 1e-9); ++tick) {
    const double x = to_x(area, tick * step / 1e3);
    painter.setPen(grid);
    painter.drawLine(QPointF(x, area.top()), QPointF(x, bottom));
    painter.setPen(faint);
    painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + 4));
    painter.drawText(QRectF(x - widest, bottom + 4, 2 * widest, line()), Qt::AlignHCenter,
                     QString::number(tick * step, 'f', decimals));
  }
  painter.setPen(faint);
  painter.drawLine(QPointF(area.left(), bottom), QPointF(area.right(), bottom));
  painter.drawText(QRectF(margin, bottom + 4, area.left() - 2 * margin - 4, line()), Qt::AlignRight,
                   tr("ms"));
}

void TileTimeline::draw_names(QPainter& painter) const {
  painter.setPen(palette().color(QPalette::Text));
  for (std::size_t first = 0; first < rows_.size();) {
    std::size_t last = first;
    while (last + 1 < rows_.size() && rows_[last + 1].device == rows_[first].device) ++last;
    const double top = row_area(first).top();
    const double middle = (top + row_area(last).bottom()) / 2;
    const double width = label_width();
    const QString name =
        fontMetrics().elidedText(names_.value(rows_[first].device), Qt::ElideRight, static_cast<int>(width));
    painter.drawText(QRectF(margin, middle - line() / 2, width + 1, line()),
                     Qt::AlignRight | Qt::AlignVCenter, name);
    first = last + 1;
  }
}

void TileTimeline::draw_row(QPainter& painter, std::size_t row) const {
  const QRectF area = row_area(row);
  QColor lane = palette().color(QPalette::Text);
  lane.setAlphaF(0.06F);
  painter.fillRect(QRectF(area.left(), area.top(), area.width(), area.height() - 1), lane);
  if (rows_[row].spans.empty()) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(area.adjusted(margin, -line(), 0, line()), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("computed no tile"));
    return;
  }
  const QColor own = device_colour(rows_[row].device);
  const double pixel = 1 / devicePixelRatioF();
  double left = 0;
  double right = -1;
  int count = 0;
  const auto flush = [&] {
    if (count == 0) return;
    const double gap = count == 1 && right - left > 2 * narrow ? pixel : 0;  // separates neighbouring bars
    const QRectF box(left, area.top(), std::max(right - left - gap, pixel), area.height() - 1);
    if (count == 1) {
      painter.fillRect(box, own);
    } else {
      painter.fillRect(box, hatched(own));
    }
    count = 0;
  };
  for (const int span : rows_[row].spans) {
    const auto& each = report_->timeline[static_cast<std::size_t>(span)];
    const double begin = to_x(area, each.begin);
    const double end = to_x(area, each.end);
    const bool joins =
        count > 0 && begin < right + pixel && end - begin < narrow && (count > 1 || right - left < narrow);
    if (!joins) {
      flush();
      left = begin;
      right = end;
    }
    right = std::max(right, end);
    ++count;
  }
  flush();
}

void TileTimeline::draw_failures(QPainter& painter, std::size_t row) const {
  const QRectF area = row_area(row);
  double last = -1e9;
  for (const int span : rows_[row].spans) {
    const auto& each = report_->timeline[static_cast<std::size_t>(span)];
    const double x = to_x(area, (each.begin + each.end) / 2);
    if (!each.failed || x - last < narrow) continue;
    last = x;
    draw_cross(painter, QPointF(x, area.center().y()), std::clamp(area.height() - 4, 5.0, 10.0));
  }
}

void TileTimeline::draw_legend(QPainter& painter) const {
  const double middle = row_area(rows_.size() - 1).bottom() + 2 * margin + 1.5 * line();
  const double swatch = 0.7 * line();
  double x = margin;
  const QColor own = palette().color(QPalette::Text);
  const auto entry = [&](const QString& text, const auto& draw) {
    draw(QRectF(x, middle - swatch / 2, swatch, swatch));
    painter.setPen(palette().color(QPalette::PlaceholderText));
    x += swatch + margin;
    painter.drawText(QRectF(x, middle - line() / 2, width() - x, line()), Qt::AlignLeft | Qt::AlignVCenter,
                     text);
    x += fontMetrics().horizontalAdvance(text) + 3 * margin;
  };
  entry(tr("one tile"), [&](const QRectF& box) { painter.fillRect(box, own); });
  entry(tr("several short tiles"), [&](const QRectF& box) { painter.fillRect(box, hatched(own)); });
  entry(tr("failed, re-queued"), [&](const QRectF& box) { draw_cross(painter, box.center(), swatch); });
}

}  // namespace isolume::workbench

#include "moc_tile_timeline.cpp"
