#include "app/labs/livewire/display.h"

#include <QColor>
#include <QPainter>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "app/labs/livewire/panels/tool_row.h"
#include "app/labs/livewire/views/contour_overlay.h"
#include "app/labs/livewire/views/draw_over_slice.h"
#include "app/labs/livewire/views/layers.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/slices/slice_export.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/playback/playback_bar.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;

/// What a front takes from its seed to the farthest place.
constexpr double front_seconds = 4;

Display::Display(Workspace& workspace)
    : QObject(&workspace), workspace_(workspace), layer_(this), bar_(new workbench::PlaybackBar(playback_)) {
  slices::LinkedSlices& views = workspace_.views();
  views.add_below_large(bar_);
  bar_->hide();
  views.add_above_large(new ToolRow(workspace_));
  views.add_overlay([this](QPainter& painter, const slices::SliceView& view) { paint_kept(painter, view); },
                    slices::SliceView::Drawn::kept);
  views.add_overlay([this](QPainter& painter, const slices::SliceView& view) {
    paint_draft(painter, view, previews_shown_);
  });
  const auto update = [&views] { views.update_overlays(); };
  connect(&workspace_.model(), &TracingModel::contours_changed, this, update);
  connect(&workspace_.model(), &TracingModel::selection_changed, this, update);
  connect(&workspace_.tool(), &TracingTool::draft_changed, this, [&views] { views.large().update(); });
  connect(&workspace_.brush(), &BrushTool::changed, this, [&views] { views.large().update(); });
  connect(&workspace_.ruler(), &RulerTool::changed, this, [&views] { views.large().update(); });
  connect(&layer_, &slices::HeatLayer::changed, this, [&views] { views.large().refresh(); });
  connect(&playback_, &workbench::Playback::time_changed, this, [this](double value) {
    layer_.set_shown_up_to(value < layer_.map().range.high ? value : std::numeric_limits<double>::infinity());
  });
  connect(&playback_, &workbench::Playback::playing_changed, this, [this] {
    if (workspace_.context().availability_changed) workspace_.context().availability_changed();
  });
  connect(bar_, &workbench::PlaybackBar::asked, this,
          [this](const QString& verb, const QStringList& arguments) {
            std::vector<std::string> words;
            for (const auto& each : arguments) words.push_back(each.toStdString());
            workspace_.run("livewire.layer." + verb.toStdString(), words);
          });
  connect(&workspace_, &Workspace::look_changed, this, &Display::follow_look);
  connect(&workspace_.tool(), &TracingTool::ground_changed, this, &Display::request_layer);
  connect(&workspace_.tool(), &TracingTool::seeds_changed, this, [this] {
    if (workspace_.tool_parameters().layer == LayerKind::distance) request_distances();
  });
}

void Display::paint_kept(QPainter& painter, const slices::SliceView& view) {
  const bool large = view.objectName() == workspace_.views().large().objectName();
  draw_over_slice(painter, view, large ? &layer_ : nullptr, workspace_.model().contours(),
                  workspace_.model().selected(), workspace_.tool_parameters());
}

void Display::paint_draft(QPainter& painter, const slices::SliceView& view, bool previews) const {
  if (previews && workspace_.editor().dragging()) return;
  const ToolParameters& look = workspace_.tool_parameters();
  if (view.slice().axis == workspace_.model().slice().axis) {
    draw_region(painter, view, workspace_.region(), QColor(QString::fromStdString(look.wire_colour)));
  }
  if (previews) draw_mask(painter, view, workspace_.mask());
  const BrushTool& brush = workspace_.brush();
  if (previews && (brush.active() || !brush.stroke().empty())) {
    if (view.slice() != workspace_.model().slice()) return;
    const auto* label = workspace_.model().contours().label(workspace_.model().current_label());
    const QColor colour(QString::fromStdString(label != nullptr ? label->colour : look.wire_colour));
    if (brush.active() == PaintingTool::fill) return draw_drop(painter, view, colour);
    return draw_brush(painter, view, brush.stroke(), look.brush_radius_mm, colour);
  }
  if (const contours::Ruler* ruler = workspace_.ruler().draft(); previews && ruler != nullptr)
    return draw_rulers(painter, view, {*ruler}, ruler_colour(), look.wire_width);
  const auto& draft = workspace_.tool().tracer().draft();
  draw_draft(painter, view, previews ? draft : without_preview(draft),
             tracer_settings(look, view.screen_px_per_pixel()),
             QColor(QString::fromStdString(look.wire_colour)), {.line_px = look.wire_width});
}

void Display::follow_look() {
  const ToolParameters& look = workspace_.tool_parameters();
  layer_.set_opacity(look.layer_opacity);
  if (std::exchange(kind_, look.layer) != look.layer) request_layer();
  workspace_.views().update_overlays();
}

void Display::show_map(const slices::HeatMap& map, LayerKind kind, const WireFinder::GroundPointer& ground) {
  if (kind != workspace_.tool_parameters().layer || ground != workspace_.tool().ground()) return;
  layer_.set_map(map);
  playback_.set_range(0, map.range.high, map.unit, front_seconds);
  playback_.scrub(map.range.high);
  const bool distances = kind == LayerKind::distance;
  if (bar_) bar_->setVisible(distances);
  layer_.set_levels_shown(distances);  // of what is noisy they would hide the image
}

/// Of the slice that is traced on, once its ground is there.
void Display::request_layer() {
  const LayerKind kind = workspace_.tool_parameters().layer;
  const auto ground = workspace_.tool().ground();
  if (kind == LayerKind::none || ground == nullptr) {
    workspace_.context().jobs.cancel_channel("livewire.layer");
    if (bar_) bar_->hide();
    return layer_.clear();
  }
  if (kind == LayerKind::distance) return request_distances();
  const images::SliceId slice = workspace_.tool().slice();
  const std::string unit = workspace_.image().volume.unit;
  workspace_.context().jobs.submit(
      workbench::said(kind == LayerKind::gradient ? QObject::tr("Gradient layer")
                                                  : QObject::tr("Cost layer")),
      "livewire.layer", [=, this](const jobs::Progress& progress) {
        auto map = kind == LayerKind::gradient ? gradient_map(slice, ground->features, unit)
                                               : cost_map(slice, *ground->grid);
        progress.check();
        workspace_.later([=, this, map = std::move(map)] { show_map(map, kind, ground); });
      });
}

/// From the last seed of the contour being traced; nothing while there is none.
void Display::request_distances() {
  const auto ground = workspace_.tool().ground();
  const auto& draft = workspace_.tool().tracer().draft();
  if (ground == nullptr || draft.seeds.empty()) return layer_.clear();
  const science::Pixel seed{static_cast<int>(std::lround(draft.seeds.back().x())),
                            static_cast<int>(std::lround(draft.seeds.back().y()))};
  workspace_.context().jobs.submit(
      workbench::said(QObject::tr("Distances from the seed")), "livewire.layer",
      [=, this, slice = draft.slice, problem = workspace_.problem()](const jobs::Progress& progress) {
        const auto search = problem.engine->start(ground->grid, seed, problem.search);
        search->settle_all(progress);
        auto map = distance_map(slice, *ground->grid, search->distances());
        progress.check();
        workspace_.later(
            [this, map = std::move(map), ground] { show_map(map, LayerKind::distance, ground); });
      });
}

std::string Display::without_front() const {
  if (auto why = workspace_.without_image(); !why.empty()) return why;
  if (!layer_.empty() && workspace_.tool_parameters().layer == LayerKind::distance) return "";
  return workbench::said(
      QObject::tr("Show the distances first: parameter.set layer distance, and place a seed."));
}

void Display::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                          int dpi) {
  slices::check_opaque(transparent);
  const slices::SliceView& large = workspace_.views().large();
  const auto ground = large.ground();
  if (!ground)
    throw Error(workbench::said(QObject::tr("The slice has not been read yet: try again in a moment.")));
  const ToolParameters& look = workspace_.tool_parameters();
  slices::write_slice_picture(
      workspace_.context(),
      {.image = workspace_.model().image(),
       .slice = workspace_.model().slice(),
       .copy = ground->volume,
       .window = large.window(),
       .interpolation = large.interpolation(),
       .kept =
           [&](QPainter& painter, const slices::SliceView& shown) {
             draw_over_slice(painter, shown, &layer_, workspace_.model().contours(),
                             workspace_.model().selected(), look);
           },
       .over = [&](QPainter& painter,
                   const slices::SliceView& shown) { paint_draft(painter, shown, false); }},
      path, width, height, dpi);
}

}  // namespace isolume::labs::livewire

#include "moc_display.cpp"
