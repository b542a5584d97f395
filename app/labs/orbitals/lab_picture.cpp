#include <QGuiApplication>

#include <vtkRenderer.h>

#include "app/labs/orbitals/lab.h"
#include "app/scene/view_widget.h"
#include "app/workbench/translated.h"

namespace isolume::labs::orbitals {
namespace {

/// Of the film: slow enough for eyes to follow the lobes.
constexpr double femtoseconds_per_second = 0.15;
/// Fields that take longer than this are animated as previews.
constexpr double animation_budget_ms = 40;

}  // namespace

void OrbitalsLab::request_picture(Detail detail) {
  pipeline_.request({document_, field_, view_, file_field_, detail});
  awaiting_ = true;
}

void OrbitalsLab::show_picture(const Picture& picture) {
  if (picture.document != document_) return;
  picture_ = picture;
  awaiting_ = false;
  scene_.field().show(picture);
  restyle();
  keep_in_view();
  show_numbers();
  // Of isovalue and enclosed fraction one is given; the other follows and is shown, too.
  (view_.isovalue_mode == IsovalueMode::enclosed ? view_.isovalue : view_.enclosed) =
      view_.isovalue_mode == IsovalueMode::enclosed ? picture.isovalue : picture.enclosed;
  // So has the limit of the colours, until it is locked.
  if (picture.colouring && view_.colour_range == scene::ColourRange::usual)
    view_.colour_limit = picture.colouring->usual_limit;
  if (context_.parameters_changed) context_.parameters_changed();
  const std::string missing = scene_.field().missing_surface();
  context_.show_status(QString::fromStdString((missing.empty() ? "" : missing + " | ") + readings(picture)));
}

/// Turned by the molecule alone, so that every orbital of it is seen from the same side.
void OrbitalsLab::fit_camera() {
  scene::view_from(*context_.view.renderer(), "tilted");
  scene_.field().forget_camera();
}

/// Not while a picture is being dragged.
void OrbitalsLab::keep_in_view() {
  if (QGuiApplication::mouseButtons() != Qt::NoButton) return camera_rest_.start();
  scene_.field().keep_in_view();
  context_.view.request_render();
}

void OrbitalsLab::restyle() {
  scene_.set_view(view_, dark());
  context_.view.request_render();
}

// Animation.

void OrbitalsLab::play(bool on) {
  if (on == playback_.playing()) return;
  if (!on) return playback_.pause();
  if (!animated(field_.field)) set_parameters(tr("Superposition"), {{"field", "superposition"}});
  awaiting_ = false;  // a frame that was cancelled will not come
  playback_.play();
}

std::string OrbitalsLab::without_time() const {
  if (const auto why = without_orbitals(); !why.empty()) return why;
  return animated(field_.field) ? std::string()
                                : workbench::said(QObject::tr("Show a superposition of orbitals first."));
}

/// The line below the view is there while there is something to play.
void OrbitalsLab::follow_superposition() {
  const bool shown = wavefunction() != nullptr && animated(field_.field);
  if (bar_) bar_->setVisible(shown);
  if (!shown) return play(false);
  const double loop = science::loop_femtoseconds(field_, *wavefunction());
  playback_.set_range(0, loop, tr("fs"), loop / femtoseconds_per_second);
  playback_.show_time(field_.time_femtoseconds);
}

/// Without an entry in the undo list.
void OrbitalsLab::show_time(double femtoseconds) {
  field_.time_femtoseconds = femtoseconds;
  if (!playback_.playing()) return request_picture();
  if (picture_ && picture_->refined)
    refined_milliseconds_ = picture_->field_milliseconds + picture_->surface_milliseconds;
  request_picture(refined_milliseconds_ < animation_budget_ms ? Detail::refined : Detail::preview);
}

}  // namespace isolume::labs::orbitals
