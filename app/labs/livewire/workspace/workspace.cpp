#include "app/labs/livewire/workspace/workspace.h"

#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "app/labs/livewire/files/open_image.h"
#include "app/labs/livewire/views/contour_overlay.h"
#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/importing.h"
#include "app/labs/livewire/workspace/session_state.h"
#include "app/scene/view/view_widget.h"
#include "app/slices/linked_slices.h"
#include "app/slices/number_text.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/contract/value_change.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/base/round_numbers.h"
#include "core/contours/measures.h"
#include "core/dicom/frames/series.h"
#include "core/image_files/read_image.h"
#include "core/images/window.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;

namespace {

const std::vector<std::string> groups{"Image", "Wire", "Layer", "Cost", "Weights", "Computation"};

/// The first tolerance of filling: a step of grey that is clearly seen, as a round number.
double first_fill_tolerance(const images::Window& window) {
  constexpr double part_of_window = 1.0 / 8;
  return window.width > 0 ? rounded_down(part_of_window * window.width) : 0;
}

/// What is said of contours that were autosaved before.
QString restored_text(const images::Document& image, const contours::ContourSet& set) {
  QStringList labels;
  for (const auto& contour : set.contours()) {
    const auto* label = set.label(contour->label);
    if (label != nullptr) labels << QString::fromStdString(label->name);
  }
  labels.removeDuplicates();
  const QFileInfo file(QString::fromStdString(auto_save_path(image).string()));
  return QObject::tr("Contours of an earlier session were restored: %1 (%2), saved on %3.")
      .arg(set.contours().size())
      .arg(labels.join(", "), QLocale().toString(file.lastModified(), QLocale::ShortFormat));
}

}  // namespace

Workspace::Workspace(workbench::LabContext& lab_context)
    : context_(lab_context),
      engines_(workbench::one_engine(science::make_cpu_engine())),
      cost_set_(science::cost_schema(), cost_values_),
      tool_set_(tool_schema(), tool_values_),
      all_parameters_({&tool_set_, &cost_set_}),
      shown_parameters_(all_parameters_, groups, [this](auto& each) { narrow(each); }),
      model_(lab_context.undo),
      wires_([this](const std::string& message) {
        later([this, message] { context_.show_warning(QString::fromStdString(message)); });
      }),
      tool_(model_, wires_, [this](auto action) { later(std::move(action)); }),
      editor_(model_, wires_, [this](auto action) { later(std::move(action)); }),
      ruler_(model_),
      brush_(model_),
      saver_(model_, lab_context.jobs, [this] { return work_state(*this); }),
      views_(new slices::LinkedSlices(model_, &lab_context.view)) {
  connect(&views_->large(), &slices::SliceView::window_changed, this, &Workspace::set_window);
  for (auto* view : views_->all())
    connect(view, &slices::SliceView::window_dragged, this, &Workspace::keep_window);
  connect(&views_->large(), &slices::SliceView::view_changed, this, &Workspace::settings_changed);
  for (auto* view : views_->all()) {
    connect(view, &slices::SliceView::slice_wanted, this,
            [this, view](images::SliceId slice) { read_slice(*view, slice); });
  }
  connect(&tool_, &TracingTool::said, this, [this](const QString& text) { context_.show_status(text); });
  connect(&tool_, &TracingTool::wire_timed, this, [this](const WireTimes& times) {
    context_.show_status(tr("Wire: computed in %1 ms by %2, shown %3 ms after the pointer; %4 mm, %n seed(s)",
                            "", static_cast<int>(tool_.tracer().draft().seeds.size()))
                             .arg(slices::shown_number(times.search_ms))
                             .arg(QString::fromStdString(std::string(problem().engine->name())).toUpper())
                             .arg(slices::shown_number(times.after_pointer_ms))
                             .arg(slices::shown_number(draft_length_mm())));
  });
  connect(&model_, &TracingModel::selection_changed, this, [this] {
    context_.availability_changed();
    show_selected();
  });
  connect(&model_, &TracingModel::contours_changed, this, [this] {
    show_selected();
    if (!restored_ || model_.contours().contours() == restored_->contours) return;
    restored_.reset();
    show_remarks({});
  });
  connect(&tool_, &TracingTool::draft_changed, this, [this] {
    if (std::exchange(was_tracing_, tool_.tracing()) == tool_.tracing()) return;
    context_.availability_changed();
    if (tool_.tracing()) {
      brush_.choose(std::nullopt);
      return show_selected();
    }
    if (!restored_ || restored_->draft.empty()) return;
    restored_->draft.clear();
    if (restored_->contours.empty()) restored_.reset();
    show_remarks({});
  });
  connect(&brush_, &BrushTool::failed, this, [this](const QString& why) { context_.show_status(why); });
  connect(&brush_, &BrushTool::painted, this,
          [this](const contours::Polyline& stroke, contours::Combination combination) {
            std::vector<std::string> words{parameters::to_text(tool_values_.brush_radius_mm)};
            for (const auto& point : stroke) {
              words.push_back(parameters::to_text(point.x()));
              words.push_back(parameters::to_text(point.y()));
            }
            const bool adds = combination == contours::Combination::add;
            note(adds ? "livewire.label.paint" : "livewire.label.erase", words);
          });
  connect(&brush_, &BrushTool::filled_at, this, [this](const Eigen::Vector2d& place) {
    run("livewire.label.fill", {parameters::to_text(place.x()), parameters::to_text(place.y()),
                                parameters::to_text(tool_values_.fill_tolerance)});
  });
  const auto tell_state = [this] {
    if (model_.image() == nullptr) return;
    saver_.work_changed();
    if (context_.state_changed) context_.state_changed();
  };
  connect(&tool_, &TracingTool::seeds_changed, this, tell_state);
  connect(&tool_, &TracingTool::piece_traced, this, tell_state);
  connect(&model_, &TracingModel::slice_changed, this, tell_state);
  connect(&model_, &TracingModel::cursor_changed, this, tell_state);
  connect(&model_, &TracingModel::remarks_changed, this, [this] { show_remarks({}); });
  connect(&ruler_, &RulerTool::measured, this, &Workspace::tell_measured);
  connect(&ruler_, &RulerTool::point_moved, this, [this](std::uint64_t ruler, std::size_t point) {
    const Eigen::Vector2d at = model_.contours().find_ruler(ruler)->points[point];
    note("livewire.measure.move", {std::to_string(point + 1), parameters::to_text(at.x()),
                                   parameters::to_text(at.y()), std::to_string(ruler)});
    show_ruler(ruler);
  });
  connect(&model_, &TracingModel::slice_changed, this, [this] {
    if (region() != std::exchange(wires_region_, region())) wires_changed();
  });
  connect(&tool_, &TracingTool::traced, this, [this](std::uint64_t contour) {
    model_.select(contour);
    const auto& made = *model_.contours().find(contour);
    note("livewire.contour.trace", trace_arguments(made));
    learn(made);
  });
  connect(&tool_, &TracingTool::piece_traced, this, [this] {
    contours::Contour draft;
    draft.slice = tool_.slice();
    draft.closed = false;
    draft.pieces = tool_.tracer().draft().pieces;
    learn(draft);
  });
}

Workspace::~Workspace() {
  wires_.end();  // its works call what is destroyed before it
}

slices::LinkedSlices& Workspace::views() {
  return *views_;
}

void Workspace::later(std::function<void()> action) {
  context_.on_gui_thread([alive = QPointer(this), action = std::move(action)] {
    if (alive) action();
  });
}

void Workspace::drop_remarks() {
  if (shows_remarks_) show_remarks({});
}

void Workspace::show_remarks(const Remarks& remarks) {
  shows_remarks_ = !remarks.empty();
  Remarks all;
  if (const auto image = model_.image()) all = image->remarks;
  all.add(opening_remarks_);
  if (restored_) {
    for (const std::string& text : {restored_->text, restored_->draft})
      if (!text.empty()) all.warn(text);
  }
  all.add(model_.remarks());
  all.add(remarks);
  context_.show_warning(QString::fromStdString(all.text()));
  const bool can_delete =
      restored_ && !restored_->contours.empty() &&
      std::ranges::none_of(restored_->contours, [&](const auto& each) { return model_.locked(*each); });
  if (can_delete && context_.show_offer)
    context_.show_offer(tr("Start without them"), "livewire.contours.delete-all");
}

void Workspace::run(const std::string& name, const std::vector<std::string>& arguments) {
  try {
    context_.commands.run(name, arguments);
  } catch (const Error& error) {
    context_.show_status(QString::fromUtf8(error.what()));
  }
}

void Workspace::note(const std::string& name, const std::vector<std::string>& arguments, bool continues) {
  context_.commands.note(name, arguments, continues);
}

// Opening.

void Workspace::open(const std::filesystem::path& path, const std::string& series_uid) {
  context_.jobs.submit(workbench::said(QObject::tr("Open %1"), path.filename().string()), "livewire.open",
                       [this, path, series_uid](const jobs::Progress& progress) {
                         auto opened = open_image(path, series_uid, progress);
                         progress.check();
                         later([this, path, opened = std::move(opened)] { take(opened, path); });
                       });
}

void Workspace::take(const OpenedImage& opened, const std::filesystem::path& path) {
  if (opened.image == nullptr) {
    return ask_for_series(views_, opened.series, [this, path](const std::string& uid) { open(path, uid); });
  }
  // Opened again, an image goes on with the contours of this moment: the kept ones may be older.
  const bool again =
      model_.image() != nullptr && auto_save_path(*model_.image()) == auto_save_path(*opened.image);
  const contours::ContourSet set = again ? model_.contours() : opened.contours;
  saver_.leave_image();
  restored_.reset();
  trained_on_.reset();
  region_ = {};
  wires_region_ = {};
  first_window_ = images::first_window(*opened.image);
  values_ = opened.values;
  tool_values_.window_centre = first_window_.centre;
  tool_values_.window_width = first_window_.width;
  tool_values_.fill_tolerance = first_fill_tolerance(first_window_);
  tool_values_.layer = LayerKind::none;
  tool_values_.time_point = opened.image->time.index + 1;
  tool_values_.values = opened.image->values;
  stored_image_ = opened.image;
  wires_.open(problem_of(opened.image));
  model_.set_image(opened.image, set);
  views_->set_value_range(values_);
  opening_remarks_ = opened.remarks;
  if (const std::string warning = saver_.enter_image(); !warning.empty()) opening_remarks_.warn(warning);
  context_.document_opened(path, QString::fromStdString(opened.image->title));
  show_look();
  if (!again) restore_kept(opened);
  show_remarks({});
  const auto count = static_cast<int>(set.contours().size());
  context_.show_status(count == 0 ? QString::fromStdString(opened.image->title)
                                  : tr("%1: restored with %n contour(s)", "", count)
                                        .arg(QString::fromStdString(opened.image->title)));
  views_->large().setFocus();
  if (count == 0) offer_import(*this, opened.image->overlays);
  look_for_series(path);
}

/// The contours are the model's already.
void Workspace::restore_kept(const OpenedImage& opened) {
  const contours::ContourSet& set = opened.contours;
  const bool has_draft = opened.work.is_object() && opened.work.contains("draft");
  if (set.contours().empty() && !has_draft) return;
  Restored restored{.text = {}, .contours = set.contours(), .draft = {}};
  if (!set.contours().empty()) restored.text = restored_text(*opened.image, set).toStdString();
  if (opened.work.is_object()) {
    try {
      restore_work(*this, opened.work);
    } catch (const std::exception& error) {
      log::error("The autosaved place and trace could not be restored: {}", error.what());
    }
  }
  if (tool_.tracing()) {
    restored.draft = tr("The unfinished contour on slice %1 was restored, with %n seed(s): Esc discards it.",
                        "", static_cast<int>(tool_.tracer().draft().seeds.size()))
                         .arg(tool_.slice().index + 1)
                         .toStdString();
  }
  if (!restored.text.empty() || !restored.draft.empty()) restored_ = std::move(restored);
}

void Workspace::go_to_time_point(int time_point, Banner banner) {
  const auto before = stored_image_;
  if (before->time.index + 1 == time_point) return;
  context_.jobs.submit(workbench::said(QObject::tr("Read time point %1"), time_point), "livewire.time-point",
                       [this, time_point, before, banner](const jobs::Progress& progress) {
                         const std::string series = before->dicom ? before->dicom->series_key : std::string();
                         try {
                           auto image = std::make_shared<const images::Document>(images::read_image(
                               before->path, {.series_uid = series, .time_point = time_point - 1}, progress));
                           progress.check();
                           later([this, image, before, banner] {
                             if (before == stored_image_) take_time_point(image, banner);
                           });
                         } catch (const Error&) {
                           later([this, before] {
                             if (before == stored_image_) keep_time_point();
                           });
                           throw;
                         }
                       });
}

void Workspace::keep_time_point() {
  tool_values_.time_point = stored_image_->time.index + 1;
  context_.parameters_changed();
}

void Workspace::play_time_point(int time_point) {
  if (time_point == tool_values_.time_point) return;
  tool_values_.time_point = time_point;
  context_.parameters_changed();
  go_to_time_point(time_point, Banner::left);
}

bool Workspace::reading_time_point() const {
  return stored_image_ != nullptr && stored_image_->time.index + 1 != tool_values_.time_point;
}

void Workspace::take_time_point(const std::shared_ptr<const images::Document>& image, Banner banner) {
  if (image->volume.geometry.dimensions != model_.image()->volume.geometry.dimensions) {
    keep_time_point();
    return context_.show_warning(tr("%1 differs in size from the open volume and is not shown.")
                                     .arg(QString::fromStdString(image->title)));
  }
  try {
    exchange_volume(std::make_shared<const images::Document>(images::in_scale(*image, tool_values_.values)));
  } catch (const Error& error) {
    keep_time_point();
    return context_.show_warning(QString::fromUtf8(error.what()));
  }
  stored_image_ = image;
  if (banner == Banner::shown) show_remarks({});
  context_.show_status(QString::fromStdString(image->title));
}

void Workspace::show_values() {
  const images::ValueScale values = tool_values_.values;
  if (values == image().values) return;
  const double factor =
      images::factor_of(*stored_image_, values) / images::factor_of(*stored_image_, image().values);
  const bool first_tolerance = tool_values_.fill_tolerance == first_fill_tolerance(first_window_);
  for (double* each : {&tool_values_.window_centre, &tool_values_.window_width, &first_window_.centre,
                       &first_window_.width, &tool_values_.fill_tolerance, &values_.low, &values_.high})
    *each *= factor;
  if (first_tolerance) tool_values_.fill_tolerance = first_fill_tolerance(first_window_);
  views_->set_value_range(values_);
  exchange_volume(std::make_shared<const images::Document>(images::in_scale(*stored_image_, values)));
  context_.parameters_changed();
}

void Workspace::exchange_volume(std::shared_ptr<const images::Document> image) {
  wires_.open(problem_of(image));
  model_.exchange_volume(std::move(image));
  show_look();
}

/// Who opens one slice of a volume mostly wants the volume.
void Workspace::look_for_series(const std::filesystem::path& path) {
  const auto image = model_.image();
  std::error_code failed;
  const bool slice = image->dicom && image->dicom->slices.size() == 1 && !image->dicom->series_uid.empty();
  if (!slice || !std::filesystem::is_regular_file(path, failed)) return;
  context_.jobs.submit(
      workbench::said(QObject::tr("Look for the image's series")), "livewire.series",
      [this, path, image](const jobs::Progress& progress) {
        auto series = dicom::series_around(path, progress);
        progress.check();
        if (!series) return;
        later([this, path, image, series = std::move(*series)] {
          if (image != model_.image()) return;
          offer_series(views_, series, [this, path, uid = series.uid] {
            open(std::filesystem::absolute(path).parent_path(), uid);
          });
        });
      },
      jobs::Waited::by_nobody);
}

void Workspace::read_slice(slices::SliceView& view, images::SliceId slice) {
  const auto take = [this, &view, slice, image = view.document()](std::optional<images::Volume> copy) {
    later([&view, slice, image, copy = std::move(copy)] {
      if (view.document() == image) view.take_slice(slice, copy);
    });
  };
  context_.jobs.submit(workbench::said(QObject::tr("Read a slice")),
                       "livewire.slice." + view.objectName().toStdString(),
                       [slice, image = view.document(), take](const jobs::Progress& progress) {
                         try {
                           take(images::copy_slice(image->volume, slice, progress));
                         } catch (const Error&) {
                           take(std::nullopt);
                           throw;
                         }
                       });
}

const images::Document& Workspace::image() const {
  if (model_.image() == nullptr) throw Error(workbench::said(QObject::tr("Open an image first.")));
  return *model_.image();
}

std::string Workspace::without_image() const {
  return model_.image() == nullptr ? workbench::said(QObject::tr("Open an image first.")) : std::string();
}

const contours::Contour& Workspace::selected() const {
  const auto* contour = model_.selected() ? model_.contours().find(*model_.selected()) : nullptr;
  if (contour == nullptr) throw Error(workbench::said(QObject::tr("Select a contour first.")));
  return *contour;
}

std::string Workspace::without_selection() const {
  return model_.selected() ? std::string() : workbench::said(QObject::tr("Select a contour first."));
}

// Wires.

WireProblem Workspace::problem_of(std::shared_ptr<const images::Document> image) const {
  const science::Engine* engine = &engines_->find(tool_values_.engine);
  science::SearchOptions search;
  static_cast<dispatch::ComputeOptions&>(search) = tool_values_;
  search.region = region();
  return {.image = std::move(image),
          .costs = cost_values_,
          .trained_on = trained_on_,
          .engine = std::shared_ptr<const science::Engine>(engines_, engine),
          .search = search};
}

WireProblem Workspace::problem() const {
  return problem_of(model_.image());
}

science::Rectangle Workspace::region() const {
  return model_.slice().axis == region_.axis ? region_.pixels : science::Rectangle{};
}

void Workspace::restrict_wire(const science::Rectangle& region) {
  const auto plane = images::slice_plane(image().volume.geometry, model_.slice());
  const int left = std::max(0, region.x), top = std::max(0, region.y);
  const science::Rectangle inside{left, top, std::min(plane.columns, region.x + region.width) - left,
                                  std::min(plane.rows, region.y + region.height) - top};
  if (!region.empty() && inside.empty())
    throw Error(workbench::said(QObject::tr("The region lies outside the slice.")));
  const WireRegion wanted{model_.slice().axis, region.empty() ? region : inside};
  if (wanted == region_) return;
  context_.undo.push(new workbench::ValueChange<WireRegion>(
      region.empty() ? tr("Clear wire region") : tr("Restrict wire"), region_, wanted,
      [this](const WireRegion& now) { set_wire_region(now); }));
}

void Workspace::set_wire_region(const WireRegion& region) {
  region_ = region;
  wires_region_ = this->region();
  wires_changed();
  views_->update_overlays();
}

void Workspace::wires_changed() {
  if (model_.image() == nullptr) return;
  wires_.change(problem());
  tool_.costs_changed();
}

void Workspace::show_selected() {
  const contours::Contour* contour = model_.selected() ? model_.contours().find(*model_.selected()) : nullptr;
  if (contour == nullptr) return context_.show_status(QString::fromStdString(image().title));
  if (contour->suggestion) {
    return context_.show_status(
        tr("%1 is a suggestion: Y accepts it, X rejects it.").arg(QString::fromStdString(contour->name)));
  }
  const auto measures = contours::measure(*contour, image().volume.geometry);
  if (!measures.has_scale()) {
    return context_.show_status(
        tr("%1 is not measured: it must lie within one ultrasound region whose axes are lengths.")
            .arg(QString::fromStdString(contour->name)));
  }
  QString line = QString("%1: %2 mm")
                     .arg(QString::fromStdString(contour->name), slices::shown_number(measures.length_mm));
  if (measures.area_mm2) line += QString(", %1 mm²").arg(slices::shown_number(*measures.area_mm2));
  context_.show_status(line);
}

void Workspace::choose_tool(std::optional<PaintingTool> tool) {
  if (tool && tool_.tracing())
    throw Error(workbench::said(QObject::tr("Finish or discard the contour being traced first.")));
  if (ruler_.measuring()) ruler_.cancel();
  brush_.choose(tool);
  context_.availability_changed();
  views_->large().setFocus();
  if (!tool) return show_selected();
  switch (*tool) {
    case PaintingTool::paint:
      return context_.show_status(tr("Paint: drag in the large view; Esc returns to tracing."));
    case PaintingTool::erase:
      return context_.show_status(tr("Erase: drag in the large view; Esc returns to tracing."));
    case PaintingTool::fill:
      return context_.show_status(tr("Fill: click to add what is within ±%1 of the value there (Fill "
                                     "tolerance); Esc returns to tracing.")
                                      .arg(QString("%1 %2")
                                               .arg(slices::shown_number(tool_values_.fill_tolerance),
                                                    QString::fromStdString(image().volume.unit))
                                               .trimmed()));
  }
}

void Workspace::set_mask(SliceMask mask) {
  mask_ = std::move(mask);
  if (views_) views_->large().update();
}

void Workspace::begin_ruler(contours::RulerKind kind) {
  if (tool_.tracing())
    throw Error(workbench::said(QObject::tr("Finish or discard the contour being traced first.")));
  brush_.choose(std::nullopt);
  ruler_.begin(kind);
  context_.show_status(
      kind == contours::RulerKind::distance
          ? tr("Distance: click its two ends; Esc ends measuring.")
          : tr("Angle: click the end of one side, the corner, and the end of the other side; Esc ends "
               "measuring."));
}

/// By hand.
void Workspace::tell_measured(std::uint64_t id) {
  const contours::Ruler& ruler = *model_.contours().find_ruler(id);
  const bool is_distance = ruler.kind == contours::RulerKind::distance;
  std::vector<std::string> words;
  for (const auto& point : ruler.points) {
    words.push_back(parameters::to_text(point.x()));
    words.push_back(parameters::to_text(point.y()));
  }
  note(is_distance ? "livewire.measure.distance" : "livewire.measure.angle", words);
  show_ruler(id);
}

void Workspace::show_ruler(std::uint64_t id) {
  const contours::Ruler& ruler = *model_.contours().find_ruler(id);
  const bool is_distance = ruler.kind == contours::RulerKind::distance;
  const QString text = ruler_text(ruler, image().volume.geometry);
  context_.show_status((is_distance ? tr("Distance: %1") : tr("Angle: %1")).arg(text));
}

/// What the accepted contour's edge looks like, for the next ones.
void Workspace::learn(const contours::Contour& traced) {
  TracedPath path{traced.slice, {}};
  for (const auto& point : traced.outline())
    path.pixels.push_back(
        {static_cast<int>(std::lround(point.x())), static_cast<int>(std::lround(point.y()))});
  constexpr std::size_t used = 200;  // pixels that costs are trained on
  if (path.pixels.size() > used) path.pixels.erase(path.pixels.begin(), path.pixels.end() - used);
  later([this, path = std::move(path), image = model_.image()] {
    if (image == model_.image()) train_on(path);
  });
}

void Workspace::train_on(TracedPath path) {
  trained_on_ = std::make_shared<const TracedPath>(std::move(path));
  if (cost_values_.trained_weight > 0) wires_changed();
}

void Workspace::set_engines(Engines engines) {
  engines_ = std::move(engines);
  wires_changed();
  if (parameters() != nullptr) context_.parameters_changed();
}

double Workspace::draft_length_mm() const {
  const auto& draft = tool_.tracer().draft();
  double length = 0;
  const auto add = [&](const contours::Polyline& points) {
    const auto plane = images::plane_of(image().volume.geometry, draft.slice, points);
    if (!plane) length = std::numeric_limits<double>::quiet_NaN();
    const Eigen::Matrix2d to_mm = plane ? plane->metric() : Eigen::Matrix2d::Identity();
    for (std::size_t i = 1; i < points.size(); ++i) length += (to_mm * (points[i] - points[i - 1])).norm();
  };
  for (const auto& piece : draft.pieces) add(piece.points);
  add(draft.live);
  return length;
}

// Parameters.

parameters::ParameterSet* Workspace::parameters() {
  return model_.image() == nullptr ? nullptr : &shown_parameters_;
}

void Workspace::narrow(parameters::Description& description) const {
  engines_->narrow(description);
  // Which uptake values they are is said by the parameter before.
  const std::string unit = image().values == images::ValueScale::stored
                               ? image().volume.unit
                               : image().volume.unit.substr(0, image().volume.unit.find(' '));
  if (description.key == "values") {
    // Which unit that is; other images than PET have no other one.
    if (!stored_image_->volume.unit.empty()) description.choices[0].label = stored_image_->volume.unit;
    if (!stored_image_->uptake) description.choices.resize(1);
  } else if (description.key == "time-point") {
    description.high = image().time.count();
  } else if (description.key == "window-centre") {
    description.unit = unit;
    description.default_value = first_window_.centre;
    description.usual = parameters::Range{values_.low, std::max(values_.high, values_.low + 1e-9)};
  } else if (description.key == "window-width") {
    description.unit = unit;
    description.default_value = first_window_.width;
    const auto widths = slices::SliceView::window_widths(values_);
    description.usual = parameters::Range{widths.low, widths.high};
  } else if (description.key == "fill-tolerance") {
    description.unit = unit;
    description.default_value = first_fill_tolerance(first_window_);
    description.usual = parameters::Range{0, first_window_.width};
  }
}

void Workspace::set_parameter(std::string_view key, const parameters::Value& value) {
  if (parameters() == nullptr) throw Error(workbench::said(QObject::tr("Open an image first.")));
  shown_parameters_.assign(key, value);
  if (key == "time-point") return go_to_time_point(tool_values_.time_point, Banner::shown);
  if (key == "values") return show_values();
  static const auto& computing = dispatch::compute_schema();
  if (cost_set_.has(key) || computing.has(key)) {
    wires_changed();
  } else {
    show_look();
    settings_changed();
  }
}

void Workspace::set_window(const images::Window& window) {
  if (window.centre == tool_values_.window_centre && window.width == tool_values_.window_width) return;
  tool_values_.window_centre = window.centre;
  tool_values_.window_width = window.width;
  if (parameters() != nullptr) context_.parameters_changed();
}

/// What a drag did to the window, as one undo entry.
void Workspace::keep_window(const images::Window& before) {
  const auto text = [](double value) { return parameters::to_text(value); };
  const std::vector<std::pair<std::string, std::string>> now{
      {"window-centre", text(tool_values_.window_centre)}, {"window-width", text(tool_values_.window_width)}};
  tool_values_.window_centre = before.centre;
  tool_values_.window_width = before.width;
  context_.set_parameters(tr("Window"), now);
  note("livewire.window.set", {now[0].second, now[1].second});
}

void Workspace::show_look() {
  views_->set_window({tool_values_.window_centre, tool_values_.window_width, {}, tool_values_.invert});
  views_->set_interpolation(tool_values_.interpolation);
  views_->set_crosshair_shown(tool_values_.crosshair);
  views_->set_side_shown(tool_values_.side_views);
  Q_EMIT look_changed();
}

void Workspace::settings_changed() {
  const double scale = views_->large().screen_px_per_pixel();
  if (scale > 0) tool_.set_settings(tracer_settings(tool_values_, scale));
}

double Workspace::snap_radius_px() const {
  return tool_values_.snap ? tool_values_.snap_radius / views_->large().screen_px_per_pixel() : 0;
}

}  // namespace isolume::labs::livewire

#include "moc_workspace.cpp"
