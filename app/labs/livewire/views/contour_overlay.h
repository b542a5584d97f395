#pragma once

#include <QColor>
#include <cstdint>
#include <optional>

#include "app/slices/slice_view.h"
#include "core/contours/contour.h"
#include "core/livewire/tracer.h"

class QPainter;

namespace isolume::labs::livewire {

struct ContourStyle {
  double fill_opacity = 0.2;  ///< of closed contours; 0: not filled
  double line_px = 2;         ///< on the screen, device-independent
  bool crossings = true;      ///< in views of other axes: where they cut the contours
};

/// Marked pixels of a slice: a picture with one pixel for each.
struct SliceMask {
  images::SliceId slice;
  QImage picture;  ///< null: none
};
void draw_mask(QPainter& painter, const slices::SliceView& view, const SliceMask& mask);

/// Draws the visible contours of the view's slice in their labels' colours, every line with a dark rim. Kinds
/// differ without colour, too: what is cut out is hatched and not filled, suggestions are dashed, locked ones carry a
/// padlock, open ones have round ends. The selected one is thicker and shows its name, and its seeds as
/// handles. For use as, or in, a SliceView::Overlay. Takes time by what is seen: what lies beyond the widget
/// or within one pixel is passed over.
void draw_contours(QPainter& painter, const slices::SliceView& view, const contours::ContourSet& contours,
                   std::optional<std::uint64_t> selected, const ContourStyle& style = {});

/// Draws the contour being traced where it lies on the view's slice: fixed pieces in `colour`, the live wire
/// brighter, seeds (with the cooling's progress around the last), the place a press would take within the
/// circle of the snap radius, and a ring around the first seed when a press would close.
void draw_draft(QPainter& painter, const slices::SliceView& view,
                const isolume::livewire::Tracer::Draft& draft,
                const isolume::livewire::TracerSettings& settings, const QColor& colour,
                const ContourStyle& style = {});
/// The draft without the parts that follow the pointer and the clock, which do not belong in exported images.
isolume::livewire::Tracer::Draft without_preview(isolume::livewire::Tracer::Draft draft);

/// Of distances and angles, unlike those of labels.
QColor ruler_colour();
/// "23.4 mm", "45.3°"; in words where it cannot be measured.
QString ruler_text(const contours::Ruler& ruler, const images::Geometry& geometry);

/// Draws distances and angles of the view's slice with their values in mm and degrees.
void draw_rulers(QPainter& painter, const slices::SliceView& view, const std::vector<contours::Ruler>& rulers,
                 const QColor& colour, double line_px);

/// Draws the brush at the pointer, and what its stroke covers so far.
void draw_brush(QPainter& painter, const slices::SliceView& view, const contours::Polyline& stroke,
                double radius_mm, const QColor& colour);

/// Draws the pointer of the tool that fills: a dot at the clicked place, and a drop next to it.
void draw_drop(QPainter& painter, const slices::SliceView& view, const QColor& colour);

/// Draws the border of the region that the wire keeps to, dotted; nothing for an empty one.
void draw_region(QPainter& painter, const slices::SliceView& view, const isolume::livewire::Rectangle& region,
                 const QColor& colour);

/// Points of a slice on the widget, without those that do not change what is seen. For polygons and lines.
QPolygonF on_screen(const slices::SliceView& view, const contours::Polyline& points);

}  // namespace isolume::labs::livewire
