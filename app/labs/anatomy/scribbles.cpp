#include "app/labs/anatomy/scribbles.h"

#include <QPainter>
#include <QPainterPath>
#include <QShortcut>
#include <QTemporaryDir>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/contract/value_change.h"
#include "app/workbench/look/ask_for_file.h"
#include "core/base/number.h"
#include "core/commands/arguments.h"
#include "core/jobs/activity.h"

namespace isolume::labs::anatomy {
namespace {

using workbench::Arguments;
using workbench::guarded;
using workbench::said;
using workbench::Wanted;

QColor colour_of(const Stroke& stroke) {
  QColor colour = stroke.label == 0 ? QColor(235, 235, 235) : QColor::fromRgb(colour_of_label(stroke.label));
  constexpr int alpha = 190;  // the image stays in sight
  colour.setAlpha(alpha);
  return colour;
}

/// A stroke as wide as its brush, where it lies on the view's slice.
void draw_stroke(QPainter& painter, const slices::SliceView& view, const Stroke& stroke) {
  const images::SlicePlane& plane = view.plane();
  if (stroke.axis != view.slice().axis ||
      std::abs(plane.distance_mm(stroke.positions_mm.front())) > 0.5 * plane.slice_spacing_mm)
    return;
  QPainterPath path(view.to_widget(plane.place_at(stroke.positions_mm.front())));
  for (const Eigen::Vector3d& each : stroke.positions_mm) path.lineTo(view.to_widget(plane.place_at(each)));
  if (path.length() == 0) path.lineTo(path.currentPosition() + QPointF(0.01, 0));  // Qt draws no points
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(colour_of(stroke), std::max(2 * stroke.radius_mm * view.scale(), 1.0), Qt::SolidLine,
                      Qt::RoundCap, Qt::RoundJoin));
  painter.drawPath(path);
}

}  // namespace

Scribbles::Scribbles(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
                     Overlays& overlays, std::function<PairPointer()> pair)
    : context_(context),
      graph_(graph),
      views_(&views),
      overlays_(overlays),
      pair_(std::move(pair)),
      regions_(graph, {.name = said(tr("Regions")),
                       .channel = "anatomy.regions",
                       .inputs = [this]() -> std::optional<RegionInputs> {
                         if (pair_() == nullptr || strokes_->empty()) return std::nullopt;
                         return RegionInputs{pair_(), strokes_, region_parameters_};
                       },
                       .compute =
                           [so_far = so_far_](const RegionInputs& inputs, const jobs::Progress& progress) {
                             return paint_regions(inputs, *so_far, progress);
                           },
                       .taken = [this](const auto& found) { show(found); }}) {
  bind_commands();
  bind_keys();
  views.add_overlay(
      [this](QPainter& painter, const slices::SliceView& view) { layers_.paint(painter, view); },
      slices::SliceView::Drawn::kept);
  views.add_overlay([this](QPainter& painter, const slices::SliceView& view) { draw_brush(painter, view); });
  const slices::SliceView& large = views.large();
  connect(&large, &slices::SliceView::pressed, this,
          [this](const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers) { press(place, modifiers); });
  connect(&large, &slices::SliceView::dragged, this,
          [this](const Eigen::Vector2d& place, auto) { drag(place); });
  connect(&large, &slices::SliceView::released, this, [this] { release(); });
  connect(&large, &slices::SliceView::moved, this, [this](const Eigen::Vector2d& place, auto) {
    pointer_ = place;
    if (brush_.tool != RegionTool::none && views_) views_->large().update();
  });
  connect(&large, &slices::SliceView::left_view, this, [this] {
    pointer_.reset();
    if (brush_.tool != RegionTool::none && views_) views_->large().update();
  });
  connect(&large, &slices::SliceView::slice_changed, this, [this] { stroke_.reset(); });
}

void Scribbles::Layers::paint(QPainter& painter, const slices::SliceView& view) {
  regions.paint(painter, view);
  if (strokes == nullptr) return;
  for (const Stroke& each : *strokes) {
    if (each.is_seed) draw_stroke(painter, view, each);
  }
}

slices::SliceView::Overlay Scribbles::over_picture() const {
  return [layers = layers_](QPainter& painter, const slices::SliceView& view) mutable {
    layers.paint(painter, view);
  };
}

void Scribbles::draw_brush(QPainter& painter, const slices::SliceView& view) const {
  if (!views_ || &view != &views_->large()) return;
  if (stroke_) draw_stroke(painter, view, *stroke_);
  if (brush_.tool == RegionTool::none || !pointer_) return;
  const double radius = std::max(brush_.radius_mm * view.scale(), 1.0);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(Qt::black, 3));
  painter.drawEllipse(view.to_widget(*pointer_), radius, radius);
  painter.setPen(QPen(colour_of({.label = brush_.label, .positions_mm = {}}), 1.5));
  painter.drawEllipse(view.to_widget(*pointer_), radius, radius);
}

void Scribbles::bind_keys() {
  const auto on = [this](const QKeySequence& key, std::function<void()> act) {
    auto* shortcut = new QShortcut(key, views_, nullptr, nullptr, Qt::WidgetWithChildrenShortcut);
    connect(shortcut, &QShortcut::activated, this, act);
  };
  on(Qt::Key_S, [this] { choose_tool(brush_.tool == RegionTool::seeds ? "none" : "seeds"); });
  for (int label = 1; label <= 9; ++label) {
    on(QKeySequence(Qt::Key_0 + label),
       [this, label] { set_parameter("brush-label", std::to_string(label)); });
  }
}

void Scribbles::set_parameter(const std::string& key, const std::string& value) {
  context_.commands.run("parameter.set", std::vector<std::string>{key, value});
}

void Scribbles::choose_tool(const std::string& tool) {
  if (tool != "none") set_parameter("neuron-tool", "none");  // one press has one meaning
  set_parameter("brush", tool);
}

void Scribbles::show_parameters() {
  const bool is_idle = brush_.tool == RegionTool::none;
  overlays_.set_draggable(is_idle);
  if (panel_) panel_->show_tool(brush_.tool);
  if (!views_) return;
  views_->set_shift_moves_crosshair(is_idle);  // it paints background
  views_->update_overlays();
}

RegionsPanel* Scribbles::make_panel() {
  panel_ = new RegionsPanel;
  connect(panel_, &RegionsPanel::asked, this,
          [this](const std::string& command) { context_.commands.run(command, {}); });
  connect(panel_, &RegionsPanel::tool_asked, this, [this](const std::string& tool) { choose_tool(tool); });
  return panel_;
}

void Scribbles::open(const isolume::anatomy::Pair* before, const isolume::anatomy::Pair& pair) {
  const bool is_same = before != nullptr && !pair.fixed_path.empty() && before->fixed_path == pair.fixed_path;
  forget();
  stroke_.reset();
  if (!is_same) strokes_ = std::make_shared<const Strokes>();
  layers_.strokes = strokes_;
}

void Scribbles::press(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers) {
  if (brush_.tool == RegionTool::none || pair_() == nullptr) return;
  const slices::SliceView& large = views_->large();
  stroke_ = Stroke{.is_seed = brush_.tool == RegionTool::seeds,
                   .label = (modifiers & Qt::ShiftModifier) != 0 ? 0 : brush_.label,
                   .radius_mm = brush_.radius_mm,
                   .axis = large.slice().axis,
                   .positions_mm = {large.plane().position(place)}};
  views_->large().update();
}

void Scribbles::drag(const Eigen::Vector2d& place) {
  if (!stroke_) return;
  const Eigen::Vector3d position = views_->large().plane().position(place);
  // Nearer points change little.
  if ((position - stroke_->positions_mm.back()).norm() < 0.2 * stroke_->radius_mm) return;
  stroke_->positions_mm.push_back(position);
  views_->large().update();
}

void Scribbles::release() {
  if (!stroke_) return;
  const Stroke stroke = *std::exchange(stroke_, std::nullopt);
  constexpr std::array axes{"first", "second", "third"};
  std::vector<std::string> words{std::to_string(stroke.label), fmt::format("{:.6g}", stroke.radius_mm),
                                 axes[static_cast<std::size_t>(stroke.axis)]};
  for (const Eigen::Vector3d& position : stroke.positions_mm) {
    for (const double each : position) words.push_back(fmt::format("{:.3f}", each));
  }
  context_.commands.run(stroke.is_seed ? "anatomy.regions.paint" : "anatomy.regions.correct", words);
}

void Scribbles::bind_commands() {
  auto& commands = context_.commands;
  const auto without_image = [this] {
    return pair_() == nullptr ? said(tr("Open an image first.")) : std::string();
  };
  const auto without_strokes = [this] {
    return strokes_->empty() ? said(tr("There are no regions. Paint seeds first.")) : std::string();
  };
  const auto bind_stroke = [&](const char* name, bool is_seed) {
    commands.bind(
        name,
        [this, is_seed](const Arguments& arguments) {
          const std::string axis = arguments.text("axis");
          Stroke stroke{.is_seed = is_seed,
                        .label = arguments.integer("label"),
                        .radius_mm = arguments.number("radius"),
                        .axis = axis == "first"    ? 0
                                : axis == "second" ? 1
                                                   : 2,
                        .positions_mm = {}};
          std::vector<double> numbers;
          for (const std::string& each : arguments.texts("coordinate")) {
            const auto number = parse_finite(each);
            if (!number)
              throw Error(said(tr("%1 is not a number. Give x, y and z of each point in mm."), each));
            numbers.push_back(*number);
          }
          if (numbers.empty() || numbers.size() % 3 != 0)
            throw Error(
                said(tr("Give x, y and z of each point in mm; there are %1 numbers."), numbers.size()));
          for (std::size_t i = 0; i < numbers.size(); i += 3)
            stroke.positions_mm.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
          add(std::move(stroke));
        },
        without_image);
  };
  bind_stroke("anatomy.regions.paint", true);
  bind_stroke("anatomy.regions.correct", false);
  commands.bind(
      "anatomy.regions.clear", [this](const Arguments&) { change(tr("Clear regions"), {}); },
      without_strokes);
  commands.bind(
      "anatomy.regions.save",
      [this](const Arguments& arguments) {
        if (arguments.has("path")) return save(arguments.text("path"));
        workbench::ask_and_run(
            context_, *this, *views_->window(),
            {tr("Save regions"), tr("Images (*.nii.gz *.nii *.nrrd *.mha)"), Wanted::new_file},
            "anatomy.regions.save");
      },
      without_strokes);
  commands.bind(
      "anatomy.regions.trace", [this](const Arguments&) { trace(); }, without_strokes);
  commands.bind(
      "anatomy.regions.result",
      [this](const Arguments&) {
        regions_.when_settled([](const std::shared_ptr<const PaintedRegions>& found) {
          if (found == nullptr) return;
          nlohmann::ordered_json json =
              found->report.is_null() ? nlohmann::ordered_json::object() : found->report;
          json["text"] = found->text;
          json["labels"] = nlohmann::ordered_json::array();
          for (const auto& each : found->volumes)
            json["labels"].push_back(
                {{"label", each.label}, {"voxels", each.voxels}, {"millilitres", each.millilitres}});
          jobs::Activity::current()->set_result(json);
        });
      },
      without_strokes);
}

void Scribbles::add(Stroke stroke) {
  const auto& counts = pair_()->grid.dimensions;
  const auto axis = static_cast<std::size_t>(stroke.axis);
  const double slice = std::round(pair_()->grid.index_at(stroke.positions_mm.front())[stroke.axis]);
  if (!(slice >= 0 && slice < counts[axis])) {
    throw Error(said(tr("The first point lies outside of the image. Give positions within it.")));
  }
  Strokes strokes = *strokes_;
  const QString what = stroke.is_seed ? tr("Paint seeds") : tr("Correct labels");
  strokes.push_back(std::move(stroke));
  change(what, std::move(strokes));
}

void Scribbles::change(const QString& what, Strokes strokes) {
  context_.undo.push(new workbench::ValueChange<std::shared_ptr<const Strokes>>(
      what, strokes_, std::make_shared<const Strokes>(std::move(strokes)),
      [this](const auto& each) { put(*each); }));
}

void Scribbles::put(Strokes strokes) {
  strokes_ = std::make_shared<const Strokes>(std::move(strokes));
  layers_.strokes = strokes_;
  if (strokes_->empty()) forget();
  if (views_) views_->update_overlays();
  context_.availability_changed();
  graph_.update();
}

void Scribbles::forget() {
  const bool has_cut = regions_.value() != nullptr;
  regions_.forget();
  show(nullptr);
  if (!has_cut) return;
  // Hundreds of megabytes, which take too long to give back on this thread.
  context_.jobs.submit(said(tr("Regions")), {}, [so_far = so_far_](const jobs::Progress&) {
    const std::lock_guard lock(so_far->mutex);
    so_far->cut.reset();
    so_far->pair.reset();
  });
}

void Scribbles::show(const std::shared_ptr<const PaintedRegions>& regions) {
  layers_.regions.set_map(regions == nullptr           ? nullptr
                          : regions->basins != nullptr ? regions->basins
                                                       : regions->map);
  if (panel_) panel_->show_regions(regions);
  if (regions != nullptr) context_.show_status(QString::fromStdString(regions->text));
  if (views_) views_->update_overlays();
}

std::optional<NumberedMap> Scribbles::drawn_regions() const {
  const auto& found = regions_.value();
  return found == nullptr ? std::nullopt : std::optional<NumberedMap>({found->map, found->labels.values});
}

void Scribbles::when_found(std::function<void()> then) {
  if (strokes_->empty() || pair_() == nullptr) return then();
  regions_.when_settled([then = std::move(then)](const auto&) { then(); });
}

void Scribbles::save(const std::filesystem::path& path) {
  regions_.when_settled([this, path](const std::shared_ptr<const PaintedRegions>& found) {
    if (found == nullptr) return;
    context_.jobs.submit(said(tr("Write %1"), path.filename().string()), {},
                         [this, found, path](const jobs::Progress&) {
                           const Remarks remarks = write_labels(found->labels, path);
                           context_.on_gui_thread(guarded(this, [this, remarks] {
                             if (!remarks.empty())
                               context_.show_warning(QString::fromStdString(remarks.text()));
                           }));
                         });
  });
}

/// Opens the fixed image in Livewire, then imports the regions there. A lab knows others by their commands alone.
void Scribbles::trace() {
  const std::filesystem::path image = pair_()->fixed_path;
  if (image.empty()) throw Error(said(tr("The phantom is not a file. Open a fixed image first.")));
  regions_.when_settled([this, image](const std::shared_ptr<const PaintedRegions>& found) {
    if (found == nullptr) return;
    // It is read by the other lab's job, then removed.
    const auto folder = std::make_shared<const QTemporaryDir>();
    if (!folder->isValid())
      throw Error(said(tr("No temporary folder can be made: %1."), folder->errorString().toStdString()));
    const std::string file = folder->filePath("regions.nrrd").toStdString();
    context_.jobs.submit(
        said(tr("Write regions")), {}, [this, image, found, folder, file](const jobs::Progress&) {
          write_labels(found->labels, file);
          context_.on_gui_thread(guarded(this, [this, image, folder, file] {
            const auto add_contours = [&commands = context_.commands, folder,
                                       file](const jobs::Outcome& opened) {
              if (!opened.error.empty()) return jobs::Activity::current()->fail(opened.error);
              commands.start(
                  isolume::commands::line_of("livewire.contours.import", std::vector<std::string>{file}),
                  [folder](const jobs::Outcome& imported) {
                    if (!imported.error.empty()) jobs::Activity::current()->fail(imported.error);
                  });
            };
            const std::vector<std::string> words{"livewire", image.string()};
            context_.commands.start(isolume::commands::line_of("file.open-in", words), add_contours);
          }));
        });
  });
}

}  // namespace isolume::labs::anatomy

#include "moc_scribbles.cpp"
