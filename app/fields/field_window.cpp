#include "app/fields/field_window.h"

#include <QEvent>
#include <QGuiApplication>
#include <algorithm>
#include <utility>

#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/scene/camera.h"
#include "app/scene/text_style.h"
#include "app/scene/view_widget.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/guarded.h"
#include "app/workbench/translated.h"
#include "core/base/logging.h"
#include "core/fields/numbers.h"

namespace isolume::fields {
namespace {

constexpr int camera_rest_ms = 100;
constexpr std::size_t histogram_bins = 200;
constexpr std::size_t line_points = 400;

bool moves_surface(std::string_view key) {
  return key == "isovalue" || key == "enclosed" || key == "isovalue-mode";
}

}  // namespace

FieldWindow::FieldWindow(workbench::LabContext& context, std::string lab, const std::string& unit,
                         const std::string& length_unit)
    : context_(context),
      lab_(std::move(lab)),
      length_unit_(length_unit),
      view_set_(
          all_of_view_, {},
          [this, unit](parameters::Description& each) {
            if (each.key != "isovalue") return;
            each.unit = unit;
            if (!picture_) return;
            const auto& usual = picture_->summary.usual_isovalues;
            const parameters::Range allowed{std::max(usual.low, each.low), std::min(usual.high, each.high)};
            if (allowed.low < allowed.high) each.usual = allowed;
          }),
      scene_(*context.view.renderer(), length_unit),
      pipeline_(context.jobs) {
  camera_rest_.setSingleShot(true);
  camera_rest_.setInterval(camera_rest_ms);
  connect(&camera_rest_, &QTimer::timeout, this, &FieldWindow::keep_in_view);
  scene_.on_slice_dragged([this](double position) {
    context_.commands.run("parameter.set slice-position " + parameters::to_text(position));
  });
  restyle();
}

void FieldWindow::set_parameter(std::string_view key, const parameters::Value& value) {
  follow_isovalue_mode(key);
  view_set_.set(key, value);
  if (moves_surface(key) && source_) return show(source_);
  restyle();
  keep_in_view();  // a slice may reach beyond the surfaces
}

/// Whoever moves the isovalue wants the isovalue: the mode follows, as a change of its own that can be undone.
void FieldWindow::follow_isovalue_mode(std::string_view key) {
  const bool by_value = view_.isovalue_mode == scene::IsovalueMode::value;
  if (key == "isovalue" && !by_value)
    context_.set_parameters(tr("Isovalue by"), {{"isovalue-mode", "value"}});
  if (key == "enclosed" && by_value)
    context_.set_parameters(tr("Isovalue by"), {{"isovalue-mode", "enclosed"}});
}

void FieldWindow::show(std::shared_ptr<const FieldSource> source, Detail detail) {
  pipeline_.request({source,
                     [this, view = view_, to_gui = context_.on_gui_thread](
                         const MadeField& made, bool refined, const jobs::Progress& progress) {
                       const auto picture = scene::picture_of(made, refined, view, nullptr, progress);
                       progress.check();
                       to_gui(workbench::guarded(this, [this, picture] { take(picture); }));
                     },
                     detail});
  source_ = std::move(source);
  awaiting_ = true;
}

void FieldWindow::take(const scene::FieldPicture& picture) {
  const bool first = !picture_;
  picture_ = picture;
  awaiting_ = false;
  scene_.show(picture);
  restyle();
  if (first && !camera_stays_) {
    scene::view_from(*context_.view.renderer(), "isometric");
    scene_.forget_camera();
  }
  keep_in_view();
  // Of isovalue and enclosed fraction one is given; the other follows and is shown, too.
  const bool by_value = view_.isovalue_mode == scene::IsovalueMode::value;
  (by_value ? view_.enclosed : view_.isovalue) = by_value ? picture.enclosed : picture.isovalue;
  show_values();
  context_.parameters_changed();
  const std::string missing = scene_.missing_surface();
  context_.show_status(
      QString::fromStdString((missing.empty() ? "" : missing + " | ") + scene::readings(picture)));
}

void FieldWindow::probe(const Eigen::Vector3d& place) {
  if (!picture_) throw Error(workbench::said(tr("The field is not there yet: try again in a moment.")));
  context_.show_status(QString::fromStdString(scene::value_text(*picture_->field, place)));
}

workbench::LabPanel FieldWindow::make_values_panel(const QString& how_to_choose_a_line) {
  values_ = new FieldPanel(how_to_choose_a_line);
  values_->installEventFilter(this);
  return {tr("Values"), values_, Qt::RightDockWidgetArea};
}

bool FieldWindow::eventFilter(QObject* watched, QEvent* event) {
  if (watched == values_ && event->type() == QEvent::Show) show_values();
  return QObject::eventFilter(watched, event);
}

void FieldWindow::choose_line(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  line_ = {from, to};
  show_values();
}

/// Nothing is counted while nobody sees it.
void FieldWindow::show_values() {
  if (!values_ || !values_->isVisible() || !picture_) return;
  count_values();
  if (!line_) return;
  values_->set_profile(profile(*picture_->field, line_->first, line_->second, line_points),
                       tr("Along the line"), QString::fromStdString(scene::pretty_unit(length_unit_)),
                       QString::fromStdString(scene::pretty_unit(picture_->field->unit)));
}

void FieldWindow::count_values() {
  context_.jobs.submit(
      workbench::said(tr("Values of the field")), lab_ + ".values",
      [this, picture = *picture_, to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        const auto counted = histogram(*picture.field, histogram_bins, progress);
        to_gui(workbench::guarded(this, [this, picture, counted] {
          if (!values_ || picture_->field != picture.field) return;
          values_->set_histogram(counted, QString::fromStdString(scene::pretty_unit(picture.field->unit)),
                                 {picture_->isovalue, -picture_->isovalue});
        }));
      },
      jobs::Waited::by_nobody);
}

void FieldWindow::restyle() {
  scene_.set_view(view_, dark());
  context_.view.request_render();
}

/// Not while a picture is being dragged.
void FieldWindow::keep_in_view() {
  if (QGuiApplication::mouseButtons() != Qt::NoButton) return camera_rest_.start();
  scene_.keep_in_view();
  context_.view.request_render();
}

void FieldWindow::leave_camera() {
  camera_stays_ = true;
  scene_.leave_camera();
}

/// As a job; the status bar says when the file is there.
void FieldWindow::write(const std::filesystem::path& path, jobs::JobRunner::Work work) {
  context_.jobs.submit(
      workbench::said(tr("Write %1"), path.filename().string()), {},
      [this, path, work = std::move(work), to_gui = context_.on_gui_thread](const jobs::Progress& progress) {
        work(progress);
        to_gui(workbench::guarded(this, [this, path] {
          context_.show_status(tr("Written: %1").arg(QString::fromStdString(path.string())));
        }));
      });
}

void FieldWindow::write_image(const std::filesystem::path& path, const scene::ImageOptions& options) {
  if (!picture_) throw Error(workbench::said(tr("The picture is not there yet: try again in a moment.")));
  vtkNew<vtkRenderer> renderer;
  // Nothing is drawn in it: it tells how large the picture will be.
  vtkNew<vtkGenericOpenGLRenderWindow> frame;
  frame->SetReadyForRendering(false);
  frame->SetSize(options.width, options.height);
  frame->AddRenderer(renderer);
  scene::FieldScene scene(*renderer, length_unit_);
  scene.show(*picture_);
  scene.set_view(view_, dark());
  scene::look_like(*context_.view.renderer(), *renderer);
  // VTK's fonts are shared by all scenes and not safe for threads: the picture is drawn here, while people wait, and
  // only packed elsewhere.
  log::debug("The window rests while the image of {} x {} pixels is drawn.", options.width, options.height);
  QGuiApplication::setOverrideCursor(Qt::WaitCursor);
  const auto image = scene::render_offscreen(*renderer, options);
  QGuiApplication::restoreOverrideCursor();
  write(path, [=](const jobs::Progress&) { scene::write_png(*image, options.dpi, path); });
}

QString FieldWindow::export_filter() {
  return tr(
      "Surface for printing (*.stl);;Surface with colours (*.ply);;Surface for VTK (*.vtp);;Scene as glTF "
      "(*.gltf)");
}

void FieldWindow::export_file(const std::filesystem::path& path) {
  write(path, [export_scene = scene_.prepare_export(path, {})](const jobs::Progress&) { export_scene(); });
}

}  // namespace isolume::fields
