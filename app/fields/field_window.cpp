#include "app/fields/field_window.h"

#include <QGuiApplication>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/text_style.h"
#include "app/scene/view/picture_of_view.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/guarded.h"
#include "app/workbench/contract/in_sight.h"
#include "app/workbench/contract/translated.h"
#include "core/base/shown_number.h"
#include "core/commands/registry.h"
#include "core/fields/numbers.h"

namespace isolume::fields {
namespace {

constexpr int camera_rest_ms = 100;
constexpr std::size_t histogram_bins = 200;
constexpr std::size_t line_points = 400;
constexpr double decades_shown =
    1e-6;  ///< relative start of the logarithmic scale of profiles of fields without negative values

QString shown(const std::string& unit) {
  return QString::fromStdString(scene::pretty_unit(unit));
}

QString length_unit(const scene::FieldPicture& picture) {
  return QString::fromStdString(std::string(grid::shown_unit(picture.field->grid.unit)));
}

/// Of the field's own isosurfaces.
std::vector<double> isovalues_of(const scene::FieldPicture& picture) {
  if (picture.shape != picture.field) return {};
  if (!picture.both_signs) return {picture.isovalue};
  return {picture.isovalue, -picture.isovalue};
}

bool is_zero(const Profile& profile, double largest) {
  constexpr double rounding =
      1e-5;  // of values summed in single precision, relative to the largest of the field
  bool any = false;
  for (const double value : profile.values) {
    if (std::abs(value) >= rounding * largest) return false;
    any = any || std::isfinite(value);
  }
  return any;
}

}  // namespace

struct FieldWindow::Plain {
  class Display final : public FieldDisplay {
   public:
    Display(vtkRenderer& renderer, const std::string& length_unit, const scene::FieldView& view)
        : scene_(renderer, length_unit), view_(view) {}
    scene::FieldScene& field() override { return scene_; }
    void restyle(bool dark) override { scene_.set_view(view_, dark); }

   private:
    scene::FieldScene scene_;
    const scene::FieldView& view_;
  };

  scene::FieldView view;
  parameters::StructParameters<scene::FieldView> parameters{scene::field_view_schema(), view};
};

FieldWindow::FieldWindow(workbench::LabContext& context, std::string lab, const std::string& unit,
                         const std::string& length_unit)
    : FieldWindow(context, std::make_shared<Plain>(), std::move(lab), unit, length_unit) {}

FieldWindow::FieldWindow(workbench::LabContext& context, std::shared_ptr<Plain> plain, std::string lab,
                         std::string unit, std::string length_unit)
    : FieldWindow(context, {.name = std::move(lab),
                            .view = plain->view,
                            .parameters = plain->parameters,
                            .unit = [unit = std::move(unit)] { return unit; },
                            .make_display =
                                [plain, length_unit](vtkRenderer& renderer) {
                                  return std::make_unique<Plain::Display>(renderer, length_unit, plain->view);
                                }}) {}

FieldWindow::FieldWindow(workbench::LabContext& context, FieldLab lab)
    : context_(context),
      lab_(std::move(lab)),
      view_set_(lab_.parameters, {}, [this](parameters::Description& each) { narrow(each); }),
      display_(lab_.make_display(*context.view.renderer())),
      pipeline_(context.jobs) {
  camera_rest_.setSingleShot(true);
  camera_rest_.setInterval(camera_rest_ms);
  connect(&camera_rest_, &QTimer::timeout, this, &FieldWindow::keep_in_view);
  context.view.installEventFilter(this);
  display_->field().on_slice_dragged([this](double position) {
    try {
      context_.commands.run(lab_.slice_command + " " + parameters::to_text(position));
    } catch (const Error& error) {
      context_.show_status(QString::fromUtf8(error.what()));
    }
  });
  restyle();
}

FieldWindow::~FieldWindow() = default;

void FieldWindow::narrow(parameters::Description& description) const {
  if (description.key == "colour-limit" && picture_ && picture_->colouring) {
    const double limit = picture_->colouring->usual_limit;
    description.unit = picture_->colouring->field->unit;
    description.usual = {limit / 100, limit * 10};
    // As long as it fits the surface, it is computed, and there is nothing to reset.
    if (lab_.view.colour_range == scene::ColourRange::usual)
      description.default_value = lab_.view.colour_limit;
  }
  if ((description.key == "colour-low" || description.key == "colour-high") && picture_) {
    const bool coloured = picture_->colouring.has_value();
    const double limit = coloured ? picture_->colouring->usual_limit : lab_.view.colour_limit;
    description.unit = (coloured ? picture_->colouring->field : picture_->field)->unit;
    description.usual = {-2 * limit, 2 * limit};
    if (coloured && lab_.view.colour_range != scene::ColourRange::free)  // they follow the range
      description.default_value =
          description.key == "colour-low" ? lab_.view.colour_low : lab_.view.colour_high;
  }
  if (description.key != "isovalue") return;
  description.unit = lab_.unit();
  // Where it is computed from the enclosed fraction, it follows that, and there is nothing to reset.
  if (lab_.view.isovalue_mode == scene::IsovalueMode::enclosed)
    description.default_value = lab_.view.isovalue;
  if (!picture_) return;
  const auto& usual = picture_->summary.usual_isovalues;
  const parameters::Range allowed{std::max(usual.low, description.low),
                                  std::min(usual.high, description.high)};
  if (allowed.low < allowed.high) description.usual = allowed;
}

void FieldWindow::set_parameter(std::string_view key, const parameters::Value& value) {
  follow_mode(key);
  view_set_.assign(key, value);
  if (source_) return static_cast<void>(follow(source_, second_, asked_ ? asked_->surfaces : nullptr));
  restyle();
}

void FieldWindow::follow_mode(std::string_view key) {
  const bool by_value = lab_.view.isovalue_mode == scene::IsovalueMode::value;
  if (key == "isovalue" && !by_value)
    context_.set_parameters(tr("Isovalue by"), {{"isovalue-mode", "value"}});
  if (key == "enclosed" && by_value)
    context_.set_parameters(tr("Isovalue by"), {{"isovalue-mode", "enclosed"}});
  if (key == "colour-limit" && lab_.view.colour_range != scene::ColourRange::locked)
    context_.set_parameters(tr("Colour range"), {{"colour-range", "locked"}});
  if ((key == "colour-low" || key == "colour-high") && lab_.view.colour_range != scene::ColourRange::free)
    context_.set_parameters(tr("Colour range"), {{"colour-range", "free"}});
}

FieldWindow::Asked FieldWindow::asked_for(const FieldSource& source, const FieldSource* second,
                                          std::shared_ptr<gpu::SurfaceEngine> surfaces) const {
  return {source.subject(), source.key(), second ? second->key() : std::string(), std::move(surfaces),
          lab_.view};
}

bool FieldWindow::follow(std::shared_ptr<const FieldSource> source, std::shared_ptr<const FieldSource> second,
                         std::shared_ptr<gpu::SurfaceEngine> surfaces) {
  const bool other = asked_ != asked_for(*source, second.get(), surfaces);
  if (other) {
    show(std::move(source), Detail::preview_then_refined, std::move(second), std::move(surfaces));
  } else {
    restyle();
    keep_in_view();  // a slice may extend beyond the surfaces
  }
  return other;
}

void FieldWindow::show(std::shared_ptr<const FieldSource> source, Detail detail,
                       std::shared_ptr<const FieldSource> second,
                       std::shared_ptr<gpu::SurfaceEngine> surfaces) {
  const Asked asked = asked_for(*source, second.get(), surfaces);
  const auto draw = [this, choices = asked.choices, surfaces = std::move(surfaces), subject = subject_,
                     request = requests_ + 1, to_gui = context_.on_gui_thread](
                        const MadeField& made, bool refined, const jobs::Progress& progress) {
    const auto picture = scene::picture_of(made, refined, choices, surfaces.get(), progress);
    progress.check();
    to_gui(workbench::guarded(this, [this, picture, subject, request] {
      if (subject == subject_) take(picture, request);
    }));
  };
  const jobs::Activity::Scope scope(activity_of_request());
  pipeline_.request({source, draw, detail, second});
  source_ = std::move(source);
  second_ = std::move(second);
  asked_ = detail == Detail::preview ? std::nullopt : std::optional(asked);
  ++requests_;
  awaiting_ = true;
  failure_.clear();
}

/// The command that requests a picture waits for it and fails with it, unless it restores a session: what cannot be
/// computed could not be computed either when the session was saved.
jobs::Activity::Pointer FieldWindow::activity_of_request() {
  const auto command = jobs::Activity::current();
  const bool fails = command && !(context_.restoring && context_.restoring());
  const auto ended = [alive = QPointer(this), command, fails, request = requests_ + 1,
                      to_gui = context_.on_gui_thread](const jobs::Outcome& outcome) {
    if (fails && !outcome.error.empty()) command->fail(outcome.error);
    if (command && !outcome.result.is_null()) command->set_result(outcome.result);
    const jobs::Activity::Scope within(command);
    to_gui([alive, request, error = outcome.error] {
      if (alive) alive->end_request(request, error);
    });
  };
  return std::make_shared<jobs::Activity>(ended, command && command->told());
}

/// Where it failed or was cancelled, there is no picture of it: the next change then requests it again. An error of an
/// earlier request counts, too, as a later one may have joined its job.
void FieldWindow::end_request(int request, const std::string& error) {
  if (awaiting_ && !error.empty()) failure_ = error;
  if (request == requests_ && (awaiting_ || !picture_ || !picture_->refined)) asked_.reset();
}

void FieldWindow::require_no_failure() const {
  if (!failure_.empty()) throw Error(failure_);
}

void FieldWindow::clear() {
  ++subject_;
  pipeline_.clear();
  source_.reset();
  second_.reset();
  asked_.reset();
  picture_.reset();
  line_.reset();
  awaiting_ = camera_stays_ = false;
  failure_.clear();
  note_.clear();
  if (values_) values_->clear();
}

/// `request`: its number. An earlier one may still be drawn in passing.
void FieldWindow::take(const scene::FieldPicture& picture, int request) {
  const bool first = !picture_;
  auto& view = lab_.view;
  picture_ = picture;
  if (request == requests_) {
    awaiting_ = false;
    failure_.clear();
  }
  display_->field().show(picture);
  restyle();
  if (first && !camera_stays_ && !lab_.first_look.empty()) {
    scene::view_from(*context_.view.renderer(), lab_.first_look);
    display_->field().forget_camera();
  }
  keep_in_view();
  // Either the isovalue or the enclosed fraction is given; the other one is computed and shown, too.
  const bool by_value = view.isovalue_mode == scene::IsovalueMode::value;
  (by_value ? view.enclosed : view.isovalue) = by_value ? picture.enclosed : picture.isovalue;
  show_values();
  context_.parameters_changed();
  show_readings();
  if (lab_.shown) lab_.shown(picture);
}

void FieldWindow::show_readings() {
  surface_in_readings_ = lab_.view.surface;
  const std::string missing = display_->field().missing_surface();
  context_.show_status(QString::fromStdString((missing.empty() ? "" : missing + " | ") +
                                              scene::readings(*picture_, lab_.view)));
}

nlohmann::json FieldWindow::probe(const Eigen::Vector3d& place) {
  if (!picture_)
    throw Error(workbench::said(tr("The field is still being computed: try again in a moment.")));
  const auto field = picture_->field;
  const auto value = value_at(*field, place);
  const auto& colouring = picture_->colouring;
  const auto colours =
      colouring && colouring->field != field && !colouring->at_vertices ? colouring->field : nullptr;
  // While another picture is awaited, the sources are already those of that one.
  const auto exact_source = [&](const std::shared_ptr<const FieldSource>& source) {
    return !awaiting_ && source && source->takes_lines() ? source : nullptr;
  };
  const auto source = exact_source(source_), second = colours ? exact_source(second_) : nullptr;
  const auto answer = [](const grid::ScalarField& of, const std::optional<double>& found) {
    return nlohmann::json{{"value", found ? nlohmann::json(*found) : nlohmann::json()}, {"unit", of.unit}};
  };
  const auto text = [field, colours, place](const std::optional<double>& found,
                                            const std::optional<double>& colour) {
    const std::string said = scene::value_text(*field, place, found);
    return QString::fromStdString(colours ? said + " | " + scene::named_value(*colours, colour) : said);
  };
  const auto colour = colours ? value_at(*colours, place) : std::nullopt;
  if (!value || (!source && !second)) {
    context_.show_status(text(value, colour));
    return answer(*field, value);
  }
  context_.jobs.submit(
      workbench::said(tr("Value at a point")), {},
      [this, source, second, field, place, value, colour, answer, text,
       to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const double exact = source ? computed_at(*source, place, field->grid.unit, progress) : *value;
        const auto exact_colour =
            second && colour ? computed_at(*second, place, field->grid.unit, progress) : colour;
        progress.check();
        commands::report(answer(*field, exact));
        to_gui(workbench::guarded(this,
                                  [this, said = text(exact, exact_colour)] { context_.show_status(said); }));
      });
  return {};
}

void FieldWindow::bind(const std::string& prefix, const std::function<std::string()>& unavailable) {
  const auto place = [](const commands::Arguments& arguments, const char* x, const char* y, const char* z) {
    return Eigen::Vector3d(arguments.number(x), arguments.number(y), arguments.number(z));
  };
  context_.commands.bind(
      prefix + ".probe",
      [this, place](const commands::Arguments& arguments) { return probe(place(arguments, "x", "y", "z")); },
      unavailable);
  context_.commands.bind(
      prefix + ".line",
      [this, place](const commands::Arguments& arguments) {
        choose_line(place(arguments, "x", "y", "z"), place(arguments, "to-x", "to-y", "to-z"));
      },
      unavailable);
}

workbench::LabPanel FieldWindow::make_values_panel(const QString& how_to_choose_a_line) {
  values_ = new FieldPanel(how_to_choose_a_line);
  values_->set_note(note_);
  return {QT_TRANSLATE_NOOP("declared", "Values"), values_, Qt::RightDockWidgetArea};
}

bool FieldWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &context_.view && event->type() == QEvent::ToolTip)
    return show_tip(*static_cast<QHelpEvent*>(event));
  return QObject::eventFilter(watched, event);
}

/// Shows the field's value where the pointer rests on the surface or the slice.
bool FieldWindow::show_tip(const QHelpEvent& help) {
  const QPoint at = context_.view.mapFromGlobal(help.globalPos());
  const std::string reading = display_->reading_at(static_cast<double>(at.x()) / context_.view.width(),
                                                   1 - static_cast<double>(at.y()) / context_.view.height());
  if (reading.empty()) return false;
  QToolTip::showText(help.globalPos(), QString::fromStdString(reading), &context_.view);
  return true;
}

void FieldWindow::choose_line(const Eigen::Vector3d& from, const Eigen::Vector3d& to, const QString& name) {
  line_ = {from, to, name.isEmpty() ? tr("Along the line") : name};
  show_line();
}

void FieldWindow::choose_no_line() {
  line_.reset();
  show_line();
}

void FieldWindow::follow_atoms(std::span<const NamedPlace> atoms) {
  if (atoms.size() == 2) {
    choose_line(atoms[0].place, atoms[1].place, tr("From %1 to %2").arg(atoms[0].name, atoms[1].name));
    line_->of_atoms = true;
  } else if (line_ && line_->of_atoms) {
    choose_no_line();
  }
}

void FieldWindow::set_note(const QString& note) {
  note_ = note;
  if (values_) values_->set_note(note_);
}

void FieldWindow::show_values() {
  if (!workbench::in_sight(values_) || !picture_) return;
  show_line();
  if (!lab_.moving || !lab_.moving()) count_values();
}

void FieldWindow::show_line() {
  if (!values_) return;
  if (!line_ || !picture_) return values_->clear_profile();
  show_profile(profile(*picture_->field, line_->from, line_->to, line_points));
  const bool moving = lab_.moving && lab_.moving();  // each frame would show both in turn
  if (!moving && source_ && source_->takes_lines() && line_->from != line_->to) compute_line();
}

void FieldWindow::show_profile(const Profile& profile) {
  if (picture_->both_signs && is_zero(profile, picture_->summary.largest))
    return values_->clear_profile(tr("The field is zero along the line."));
  values_->set_profile(profile, line_->name, length_unit(*picture_), shown(picture_->field->unit),
                       picture_->both_signs ? 0 : decades_shown * picture_->summary.largest);
}

/// Interpolated values have no peaks at nuclei, and corners at the grid's points.
void FieldWindow::compute_line() {
  context_.jobs.submit(
      workbench::said(tr("Values along the line")), lab_.name + ".line",
      [this, source = source_, line = *line_, field = picture_->field,
       to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const auto made =
            source->compute(line_grid(line.from, line.to, line_points, field->grid.unit), progress);
        progress.check();
        to_gui(workbench::guarded(this, [this, source, line, field, made] {
          const bool is_shown = values_ && picture_ && picture_->field == field && source_ == source &&
                                line_ && line_->from == line.from && line_->to == line.to;
          if (!is_shown) return;
          const auto& values = made.field->values;
          show_profile({(line.to - line.from).norm(), {values.begin(), values.end()}});
        }));
      },
      jobs::Waited::by_nobody);
}

void FieldWindow::count_values() {
  context_.jobs.submit(
      workbench::said(tr("Values of the field")), lab_.name + ".values",
      [this, picture = *picture_, to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const auto counted = picture.both_signs
                                 ? histogram(*picture.field, histogram_bins, isovalues_of(picture), progress)
                                 : logarithmic_histogram(*picture.field, histogram_bins, progress);
        progress.check();
        to_gui(workbench::guarded(this, [this, picture, counted] {
          if (!values_ || !picture_ || picture_->field != picture.field) return;
          values_->set_histogram(counted, shown(picture.field->unit), isovalues_of(*picture_));
        }));
      },
      jobs::Waited::by_nobody);
}

void FieldWindow::restyle() {
  follow_colours();
  display_->restyle(dark());
  context_.view.request_render();
  if (picture_ && !awaiting_ && surface_in_readings_ != lab_.view.surface) show_readings();
}

/// If the colours fit the surface, the limit is computed and shown, until it is locked. Free ends begin with the
/// range that was shown.
void FieldWindow::follow_colours() {
  auto& view = lab_.view;
  if (awaiting_ || !picture_ || !picture_->colouring || view.colour_range == scene::ColourRange::free) return;
  const auto& colouring = *picture_->colouring;
  if (view.colour_range == scene::ColourRange::usual) view.colour_limit = colouring.usual_limit;
  const auto shown = scene::colour_span(view, colouring.both_signs, colouring.usual_limit);
  view.colour_low = shown.low;
  view.colour_high = shown.high;
}

void FieldWindow::keep_in_view() {
  if (QGuiApplication::mouseButtons() != Qt::NoButton) return camera_rest_.start();
  display_->field().keep_in_view();
  context_.view.request_render();
}

void FieldWindow::leave_camera() {
  camera_stays_ = true;
  display_->field().leave_camera();
}

void FieldWindow::write(const std::filesystem::path& path, jobs::JobRunner::Work work, const QString& what) {
  context_.jobs.submit(workbench::said(tr("Write %1"), path.filename().string()), {},
                       [this, path, what, work = std::move(work),
                        to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
                         work(progress);
                         to_gui(workbench::guarded(this, [this, path, what] {
                           const QString file = QString::fromStdString(path.string());
                           context_.show_status(what.isEmpty() ? tr("Written: %1").arg(file)
                                                               : tr("Written: %1 (%2)").arg(file, what));
                         }));
                       });
}

vtkSmartPointer<vtkImageData> FieldWindow::draw(const scene::ImageOptions& options,
                                                const std::optional<scene::FieldPicture>& picture) const {
  context_.view.end_drafts();
  display_->restyle(dark());
  return scene::picture_of_view(context_.view, options, [&](vtkRenderer& renderer) {
    std::shared_ptr<FieldDisplay> display = lab_.make_display(renderer);
    if (picture) display->field().show(*picture);
    display->restyle(dark());
    return display;
  });
}

void FieldWindow::write_image(const std::filesystem::path& path, const scene::ImageOptions& options) {
  require_no_failure();
  if (!picture_)
    throw Error(workbench::said(tr("The picture is still being computed: try again in a moment.")));
  write_image(path, options, picture_);
}

void FieldWindow::write_image(const std::filesystem::path& path, const scene::ImageOptions& options,
                              const std::optional<scene::FieldPicture>& picture) {
  const auto image = draw(options, picture);
  QString what = tr("%1 × %2 pixels").arg(options.width).arg(options.height);
  if (picture && lab_.view.surface) {
    what += tr(", surface from points at %1 %2")
                .arg(QString::fromStdString(shown_reading(scene::shown_spacing(picture->field->grid), 3)))
                .arg(length_unit(*picture));
  }
  write(
      path, [=](const jobs::Progress&) { scene::write_png(*image, options.dpi, path); }, what);
}

QString FieldWindow::export_filter() {
  return tr(
      "Surface for printing (*.stl);;Surface with colours (*.ply);;Surface for VTK (*.vtp);;Scene as glTF "
      "(*.gltf)");
}

void FieldWindow::export_file(const std::filesystem::path& path) {
  require_no_failure();
  write(path, [export_scene = display_->prepare_export(path)](const jobs::Progress&) { export_scene(); });
}

}  // namespace isolume::fields

#include "moc_field_window.cpp"
