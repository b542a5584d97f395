#include "app/labs/livewire/views/contour_overlay.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "app/slices/number_text.h"
#include "app/slices/outlined_text.h"
#include "core/contours/measures.h"

namespace isolume::labs::livewire {
namespace {

using isolume::livewire::Tracer;
using slices::SliceView;

constexpr double margin_px = 16;  ///< beyond the widget: lines and handles reach in from there
const QColor rim(0, 0, 0, 170);
const QColor live_colour("#f0e442");

double cross(const QPointF& a, const QPointF& b) {
  return a.x() * b.y() - a.y() * b.x();
}

/// Leaves out points of a polyline that lie within a tolerance of the line between those that stay: the next
/// line from `anchor` may run anywhere in a cone that every point passed over narrows (Z. Zhao, A. Saalfeld,
/// Auto-Carto 13, 1997).
class Simplifier {
 public:
  void add(const QPointF& point) {
    if (kept_.isEmpty()) {
      kept_.append(point);
      return;
    }
    if (!fits(point)) {
      kept_.append(*candidate_);
      candidate_.reset();
      fits(point);
    }
    candidate_ = point;
  }
  QPolygonF finish() {
    if (candidate_) kept_.append(*candidate_);
    return std::move(kept_);
  }

 private:
  /// Narrows the cone where it does.
  bool fits(const QPointF& point) {
    const QPointF by = point - kept_.last();
    const double distance = std::hypot(by.x(), by.y());
    if (!candidate_) farthest_ = 0, open_ = true;
    if (distance < farthest_ - tolerance_px) return false;  // it turns back
    farthest_ = std::max(farthest_, distance);
    if (distance <= tolerance_px) return true;
    if (!inside(by)) return false;
    const double sine = tolerance_px / distance, cosine = std::sqrt(1 - sine * sine);
    const QPointF low(by.x() * cosine + by.y() * sine, by.y() * cosine - by.x() * sine),
        high(by.x() * cosine - by.y() * sine, by.y() * cosine + by.x() * sine);
    if (open_ || cross(low_, low) > 0) low_ = low;
    if (open_ || cross(high, high_) > 0) high_ = high;
    open_ = false;
    return true;
  }
  bool inside(const QPointF& by) const { return open_ || (cross(low_, by) >= 0 && cross(by, high_) >= 0); }

  static constexpr double tolerance_px = 0.35;
  QPolygonF kept_;
  std::optional<QPointF> candidate_;
  QPointF low_, high_;  ///< the cone's sides, as seen from the last kept point
  bool open_ = true;    ///< no cone yet: everything is inside
  double farthest_ = 0;
};

/// From places to a polygon on the screen, without what is not seen.
class Thinner {
 public:
  explicit Thinner(const SliceView& view)
      : view_(view), seen_(QRectF(view.rect()).adjusted(-margin_px, -margin_px, margin_px, margin_px)) {}

  void add(const Eigen::Vector2d& place) {
    const QPointF point = view_.to_widget(place);
    const int sides = sides_of(point);
    // As long as all of them lie beyond the same side, only the last of a run matters.
    if ((sides & last_sides_ & before_sides_) == 0) {
      if (last_) simplifier_.add(*last_);
      before_sides_ = last_sides_;
    }
    last_ = point;
    last_sides_ = sides;
  }
  QPolygonF finish() {
    if (last_) simplifier_.add(*last_);
    return simplifier_.finish();
  }

 private:
  int sides_of(const QPointF& point) const {
    return (point.x() < seen_.left() ? 1 : 0) | (point.x() > seen_.right() ? 2 : 0) |
           (point.y() < seen_.top() ? 4 : 0) | (point.y() > seen_.bottom() ? 8 : 0);
  }

  const SliceView& view_;
  QRectF seen_;
  Simplifier simplifier_;
  std::optional<QPointF> last_;
  int last_sides_ = 0, before_sides_ = 0;
};

void draw_polyline(QPainter& painter, const QPolygonF& points, bool closed, const QColor& colour,
                   double width, Qt::PenStyle pattern = Qt::SolidLine) {
  painter.setBrush(Qt::NoBrush);
  for (const bool outer : {true, false}) {
    QPen pen(outer ? rim : colour, outer ? width + 2 : width, outer ? Qt::SolidLine : pattern, Qt::FlatCap,
             Qt::BevelJoin);
    painter.setPen(pen);
    closed ? painter.drawPolygon(points) : painter.drawPolyline(points);
  }
}

void draw_dot(QPainter& painter, const QPointF& at, double radius, const QColor& colour) {
  painter.setPen(QPen(rim, 1.5));
  painter.setBrush(colour);
  painter.drawEllipse(at, radius, radius);
}

void draw_handle(QPainter& painter, const QPointF& at, const QColor& colour) {
  const QRectF box(at.x() - 4, at.y() - 4, 8, 8);
  painter.setBrush(Qt::white);
  painter.setPen(QPen(rim, 3.5));
  painter.drawRect(box);
  painter.setPen(QPen(colour, 2));
  painter.drawRect(box);
}

void draw_padlock(QPainter& painter, const QPointF& at) {
  const QRectF body(at.x() - 5, at.y() - 1, 10, 8);
  for (const bool outer : {true, false}) {
    painter.setPen(QPen(outer ? Qt::black : Qt::white, outer ? 4 : 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.drawArc(QRectF(at.x() - 3, at.y() - 7, 6, 11), 0, 180 * 16);
    painter.setBrush(outer ? Qt::black : Qt::white);
    painter.drawRect(body);
  }
}

/// The point nearest to the upper left corner: where marks are put.
QPointF mark_place(const QPolygonF& outline) {
  return *std::ranges::min_element(outline, {}, [](const QPointF& p) { return p.x() + p.y(); });
}

struct Look {
  QColor colour;
  bool locked = false, selected = false;
  bool filled = true;  ///< otherwise draw_area has done it
};

bool has_area(const contours::Contour& contour) {
  return contour.closed && !contour.suggestion;
}

bool cuts(const contours::Contour& contour) {
  return has_area(contour) && contour.combination == contours::Combination::subtract;
}

void draw_fill(QPainter& painter, const QPolygonF& outline, const contours::Contour& contour,
               const Look& look, const ContourStyle& style) {
  if (!look.filled || !has_area(contour) || style.fill_opacity <= 0) return;
  QColor colour = look.colour;
  painter.setPen(Qt::NoPen);
  if (contour.combination == contours::Combination::subtract) {
    colour.setAlphaF(static_cast<float>(std::min(1.0, 3 * style.fill_opacity)));
    painter.setBrush(QBrush(colour, Qt::BDiagPattern));
  } else {
    colour.setAlphaF(static_cast<float>(style.fill_opacity));
    painter.setBrush(colour);
  }
  painter.drawPolygon(outline);
}

/// Fills contours of a label in their order, each in place of what is below it: what is cut out is hatched alone.
void draw_area(QPainter& painter, const SliceView& view,
               const std::vector<std::pair<const contours::Contour*, Look>>& parts,
               const ContourStyle& style) {
  std::vector<QPolygonF> outlines;
  QRectF around;
  for (const auto& [contour, look] : parts) {
    outlines.push_back(on_screen(view, contour->outline()));
    around |= outlines.back().boundingRect();
  }
  const QRect box = around.toAlignedRect() & view.rect();
  if (box.isEmpty()) return;
  const double ratio = painter.device()->devicePixelRatioF();
  QImage layer(box.size() * ratio, QImage::Format_ARGB32_Premultiplied);
  layer.setDevicePixelRatio(ratio);
  layer.fill(Qt::transparent);
  QPainter on_layer(&layer);
  on_layer.setRenderHints(painter.renderHints());
  on_layer.translate(-box.topLeft());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    on_layer.setCompositionMode(QPainter::CompositionMode_DestinationOut);
    on_layer.setPen(Qt::NoPen);
    on_layer.setBrush(Qt::black);
    on_layer.drawPolygon(outlines[i]);
    on_layer.setCompositionMode(QPainter::CompositionMode_SourceOver);
    draw_fill(on_layer, outlines[i], *parts[i].first, parts[i].second, style);
  }
  on_layer.end();
  painter.drawImage(box.topLeft(), layer);
}

void draw_contour(QPainter& painter, const SliceView& view, const contours::Contour& contour,
                  const Look& look, const ContourStyle& style) {
  const QPolygonF outline = on_screen(view, contour.outline());
  const QRectF seen = QRectF(view.rect()).adjusted(-margin_px, -margin_px, margin_px, margin_px);
  if (outline.isEmpty() || !outline.boundingRect().adjusted(-1, -1, 1, 1).intersects(seen)) return;
  draw_fill(painter, outline, contour, look, style);
  const double width = look.selected ? style.line_px * 1.5 : style.line_px;
  draw_polyline(painter, outline, contour.closed, look.colour, width,
                contour.suggestion ? Qt::DashLine : Qt::SolidLine);
  if (!contour.closed) {
    draw_dot(painter, outline.first(), width + 1.5, look.colour);
    draw_dot(painter, outline.last(), width + 1.5, look.colour);
  }
  if (look.locked) draw_padlock(painter, mark_place(outline) - QPointF(8, 8));
  if (!look.selected) return;
  if (!look.locked) {
    for (const auto& seed : contour.seeds) {
      const QPointF at = view.to_widget(seed);
      if (seen.contains(at)) draw_handle(painter, at, look.colour);
    }
  }
  slices::draw_outlined(painter, mark_place(outline) - QPointF(10, 10), Qt::AlignRight | Qt::AlignBottom,
                        QString::fromStdString(contour.name));
}

/// Where the outline crosses the view's slice: coordinates along the axis that neither the contour's slice
/// nor the view's is across.
std::vector<double> crossings_of(const contours::Contour& contour, images::SliceId slice) {
  // Of the contour's x and y, one runs across the view's slices, the other along them.
  const int x_axis = contour.slice.axis == 0 ? 1 : 0;
  const int through = slice.axis == x_axis ? 0 : 1;
  std::vector<double> found;
  std::optional<Eigen::Vector2d> last, first;
  const auto visit = [&](const Eigen::Vector2d& point) {
    if (last && ((*last)[through] < slice.index) != (point[through] < slice.index)) {
      const double part = (slice.index - (*last)[through]) / (point[through] - (*last)[through]);
      found.push_back((*last)[1 - through] + part * (point[1 - through] - (*last)[1 - through]));
    }
    last = point;
    if (!first) first = point;
  };
  std::ranges::for_each(contour.outline(), visit);
  if (contour.closed && first) visit(*first);
  std::ranges::sort(found);
  return found;
}

/// In a view of another axis: at the index of a slice across it, and at a coordinate along that slice.
QPointF across(const SliceView& view, int axis, double index, double along) {
  const int x_axis = view.slice().axis == 0 ? 1 : 0;
  return view.to_widget(axis == x_axis ? Eigen::Vector2d(index, along) : Eigen::Vector2d(along, index));
}

/// Whether slices are so close on the screen that a line through each contour would hide the image. `indices`: of the slices
/// of an axis that have contours.
bool are_close(const SliceView& view, int axis, const std::set<int>& indices, const ContourStyle& style) {
  if (indices.size() < 2) return false;
  const QPointF all = across(view, axis, *indices.rbegin(), 0) - across(view, axis, *indices.begin(), 0);
  constexpr double least_gap = 3;  // lines, which have rims
  return std::hypot(all.x(), all.y()) / static_cast<double>(indices.size() - 1) < least_gap * style.line_px;
}

/// Dots where the contour crosses the view's slice and, unless `only_dots`, lines between them where it encloses the slice.
void draw_crossings(QPainter& painter, const SliceView& view, const contours::Contour& contour,
                    const Look& look, const ContourStyle& style, bool only_dots) {
  const auto along = crossings_of(contour, view.slice());
  const auto point = [&](double found) {
    return across(view, contour.slice.axis, contour.slice.index, found);
  };
  if (contour.closed && !only_dots) {
    const Qt::PenStyle pattern = contour.suggestion || contour.combination == contours::Combination::subtract
                                     ? Qt::DotLine
                                     : Qt::SolidLine;
    for (std::size_t i = 0; i + 1 < along.size(); i += 2) {
      draw_polyline(painter, QPolygonF{point(along[i]), point(along[i + 1])}, false, look.colour,
                    style.line_px / 2, pattern);
    }
  }
  for (const double found : along) draw_dot(painter, point(found), style.line_px, look.colour);
}

}  // namespace

QColor ruler_colour() {
  return QColor("#ffffff");
}

QString ruler_text(const contours::Ruler& ruler, const images::Geometry& geometry) {
  const double value = contours::measure(ruler, geometry);
  if (!std::isfinite(value)) return QObject::tr("not measured");
  const QString number = slices::shown_number(value);
  return ruler.kind == contours::RulerKind::distance ? number + " mm" : number + "\u00b0";
}

QPolygonF on_screen(const SliceView& view, const contours::Polyline& points) {
  Thinner thinner(view);
  for (const auto& point : points) thinner.add(point);
  return thinner.finish();
}

void draw_contours(QPainter& painter, const SliceView& view, const contours::ContourSet& contours,
                   std::optional<std::uint64_t> selected, const ContourStyle& style) {
  const contours::Contour* chosen = nullptr;
  const auto is_seen = [&](const contours::Contour& contour) {
    const auto* label = contours.label(contour.label);
    return contour.visible && (label == nullptr || label->visible);
  };
  const auto look_of = [&](const contours::Contour& contour) {
    const auto* label = contours.label(contour.label);
    return Look{.colour = QColor(QString::fromStdString(contours.colour_of(contour))),
                .locked = contour.locked || (label != nullptr && label->locked),
                .selected = contour.id == selected};
  };
  // Labels from which something is cut out here.
  std::map<int, std::vector<std::pair<const contours::Contour*, Look>>> areas;
  for (const auto& contour : contours.contours()) {
    if (contour->slice == view.slice() && cuts(*contour) && is_seen(*contour)) areas[contour->label];
  }
  for (auto& [label, parts] : areas) {
    for (const auto& contour : contours.contours()) {
      if (contour->label == label && contour->slice == view.slice() && has_area(*contour) &&
          is_seen(*contour))
        parts.emplace_back(contour.get(), look_of(*contour));
    }
    if (style.fill_opacity > 0) draw_area(painter, view, parts, style);
  }
  std::array<std::set<int>, 3> indices;
  for (const auto& contour : contours.contours()) {
    if (style.crossings && is_seen(*contour))
      indices[static_cast<std::size_t>(contour->slice.axis)].insert(contour->slice.index);
  }
  std::array<bool, 3> only_dots{};
  for (int axis = 0; axis < 3; ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    only_dots[i] = axis != view.slice().axis && are_close(view, axis, indices[i], style);
  }
  const auto draw = [&](const contours::Contour& contour) {
    Look look = look_of(contour);
    look.filled = !areas.contains(contour.label);
    if (contour.slice.axis != view.slice().axis) {
      draw_crossings(painter, view, contour, look, style,
                     only_dots[static_cast<std::size_t>(contour.slice.axis)]);
    } else {
      draw_contour(painter, view, contour, look, style);
    }
  };
  for (const auto& contour : contours.contours()) {
    if (!is_seen(*contour)) continue;
    if (contour->slice.axis == view.slice().axis ? contour->slice != view.slice() : !style.crossings)
      continue;
    if (contour->id == selected) {
      chosen = contour.get();
    } else {
      draw(*contour);
    }
  }
  if (chosen != nullptr) draw(*chosen);  // over the others
}

void draw_rulers(QPainter& painter, const SliceView& view, const std::vector<contours::Ruler>& rulers,
                 const QColor& colour, double line_px) {
  if (view.document() == nullptr) return;
  for (const auto& ruler : rulers) {
    if (ruler.slice != view.slice() || ruler.points.empty()) continue;
    QPolygonF points;
    for (const auto& point : ruler.points) points << view.to_widget(point);
    draw_polyline(painter, points, false, colour, line_px);
    for (const auto& point : points) draw_dot(painter, point, 3, colour);
    if (ruler.points.size() < contours::points_of(ruler.kind)) continue;
    const bool is_angle = ruler.kind == contours::RulerKind::angle;
    const QPointF place = is_angle ? points[1] : (points[0] + points[1]) / 2;
    slices::draw_outlined(painter, place + QPointF(8, -8), Qt::AlignLeft | Qt::AlignBottom,
                          ruler_text(ruler, view.document()->volume.geometry));
  }
}

void draw_brush(QPainter& painter, const SliceView& view, const contours::Polyline& stroke, double radius_mm,
                const QColor& colour) {
  const double radius_px = radius_mm * view.scale();
  if (!stroke.empty()) {
    QPainterPath path(view.to_widget(stroke.front()));
    for (const auto& point : stroke) path.lineTo(view.to_widget(point));
    path.lineTo(view.to_widget(stroke.back()) + QPointF(0.01, 0));  // a point has its dot, too
    QColor covered = colour;
    covered.setAlphaF(0.5);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(covered, 2 * radius_px, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(path);
  }
  const auto pointer = view.pointer();
  if (!pointer) return;
  painter.setBrush(Qt::NoBrush);
  for (const bool outer : {true, false}) {
    painter.setPen(QPen(outer ? rim : colour, outer ? 3.5 : 1.5));
    painter.drawEllipse(view.to_widget(*pointer), radius_px, radius_px);
  }
}

void draw_drop(QPainter& painter, const SliceView& view, const QColor& colour) {
  const auto pointer = view.pointer();
  if (!pointer) return;
  const QPointF at = view.to_widget(*pointer);
  draw_dot(painter, at, 2.5, colour);
  // Above the arrow of the system, which covers what is below to the right.
  constexpr double radius = 5, height = 12;
  const QPointF middle = at + QPointF(12, -10);
  QPainterPath drop(middle - QPointF(0, height));
  drop.quadTo(middle + QPointF(radius, -radius), middle + QPointF(radius, 0));
  drop.arcTo(QRectF(middle - QPointF(radius, radius), QSizeF(2 * radius, 2 * radius)), 0, -180);
  drop.quadTo(middle - QPointF(radius, radius), middle - QPointF(0, height));
  painter.setPen(QPen(rim, 1.5));
  painter.setBrush(colour);
  painter.drawPath(drop);
}

void draw_mask(QPainter& painter, const SliceView& view, const SliceMask& mask) {
  if (mask.picture.isNull() || mask.slice != view.slice()) return;
  const double width = mask.picture.width(), height = mask.picture.height();
  const QPointF corner = view.to_widget({-0.5, -0.5});
  const QPointF right = (view.to_widget({width - 0.5, -0.5}) - corner) / width,
                down = (view.to_widget({-0.5, height - 0.5}) - corner) / height;
  painter.save();
  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.setTransform({right.x(), right.y(), down.x(), down.y(), corner.x(), corner.y()}, true);
  painter.drawImage(QPointF(), mask.picture);
  painter.restore();
}

void draw_region(QPainter& painter, const slices::SliceView& view, const isolume::livewire::Rectangle& region,
                 const QColor& colour) {
  if (region.empty()) return;
  const Eigen::Vector2d first(region.x - 0.5, region.y - 0.5);
  const QRectF border =
      QRectF(view.to_widget(first), view.to_widget(first + Eigen::Vector2d(region.width, region.height)))
          .normalized();
  painter.setBrush(Qt::NoBrush);
  for (const bool outer : {true, false}) {
    painter.setPen(QPen(outer ? rim : colour, outer ? 3 : 1.5, outer ? Qt::SolidLine : Qt::DotLine));
    painter.drawRect(border);
  }
}

Tracer::Draft without_preview(Tracer::Draft draft) {
  draft.live.clear();
  draft.cursor.reset();
  draft.would_close = draft.snapped = false;
  draft.cooling_fraction = 0;
  return draft;
}

void draw_draft(QPainter& painter, const SliceView& view, const Tracer::Draft& draft,
                const isolume::livewire::TracerSettings& settings, const QColor& colour,
                const ContourStyle& style) {
  if (draft.slice != view.slice()) return;
  auto pieces = draft.pieces;
  if (draft.live.size() > 1) pieces.push_back({contours::PieceKind::wire, draft.live});
  const auto lines = contours::lines_of(pieces, false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_fixed = i < draft.pieces.size();
    draw_polyline(painter, on_screen(view, lines[i]), false, is_fixed ? colour : live_colour, style.line_px);
  }
  for (const auto& seed : draft.seeds) draw_dot(painter, view.to_widget(seed), 4, colour);
  if (!draft.seeds.empty() && draft.cooling_fraction > 0) {
    const QPointF last = view.to_widget(draft.seeds.back());
    painter.setBrush(Qt::NoBrush);
    const QRectF box(last.x() - 8, last.y() - 8, 16, 16);
    const int angle = -static_cast<int>(std::lround(std::min(1.0, draft.cooling_fraction) * 360 * 16));
    for (const bool outer : {true, false}) {
      painter.setPen(QPen(outer ? rim : live_colour, outer ? 4.5 : 2.5));
      painter.drawArc(box, 90 * 16, angle);
    }
  }
  if (!draft.cursor || view.setting_window() || (draft.seeds.empty() && !view.pointer())) return;
  const QPointF cursor = view.to_widget(*draft.cursor);
  if (const auto pointer = view.pointer(); pointer && settings.snap) {
    const double radius = settings.snap_radius_px * view.screen_px_per_pixel();
    painter.setBrush(Qt::NoBrush);
    for (const bool outer : {true, false}) {
      painter.setPen(QPen(outer ? rim : QColor(255, 255, 255, 200), outer ? 2.5 : 1));
      painter.drawEllipse(view.to_widget(*pointer), radius, radius);
    }
  }
  if (draft.would_close && !draft.seeds.empty()) {
    const QPointF first = view.to_widget(draft.seeds.front());
    painter.setBrush(Qt::NoBrush);
    for (const bool outer : {true, false}) {
      painter.setPen(QPen(outer ? rim : live_colour, outer ? 5 : 3));
      painter.drawEllipse(first, 10, 10);
    }
    slices::draw_outlined(painter, first + QPointF(14, -14), Qt::AlignLeft | Qt::AlignBottom,
                          QObject::tr("close"));
  }
  draw_dot(painter, cursor, draft.snapped ? 4 : 2.5, draft.snapped ? live_colour : QColor(Qt::white));
}

}  // namespace isolume::labs::livewire
