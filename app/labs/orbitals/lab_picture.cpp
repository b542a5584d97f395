#include <vtkRenderer.h>

#include "app/labs/orbitals/lab.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::orbitals {
namespace {

/// Of the film: slow enough for eyes to follow the lobes.
constexpr double femtoseconds_per_second = 0.15;
/// Fields that take longer than this are animated as previews.
constexpr double animation_budget_ms = 40;

}  // namespace

void OrbitalsLab::request_picture(fields::Detail detail) {
  const auto request = wanted();
  window_.show(source_of(request, engines_), detail, colouring_of(request, engines_),
               field_.engine == "cpu" ? nullptr : surfaces_);
}

void OrbitalsLab::follow_picture() {
  const auto request = wanted();
  window_.follow(source_of(request, engines_), colouring_of(request, engines_),
                 field_.engine == "cpu" ? nullptr : surfaces_);
}

/// Turned by the molecule alone, so that every orbital of it is seen from the same side.
void OrbitalsLab::fit_camera() {
  scene::view_from(*context_.view.renderer(), "tilted");
  scene_.field().forget_camera();
}

// Animation.

void OrbitalsLab::play(bool on) {
  if (on == playback_.playing()) return;
  if (!on) return playback_.pause();
  if (!animated(field_.field)) set_parameters(tr("Superposition"), {{"field", "superposition"}});
  window_.give_up_waiting();
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
  if (const auto& picture = window_.picture(); picture && picture->refined)
    refined_milliseconds_ = picture->field_milliseconds + picture->surface_milliseconds;
  request_picture(refined_milliseconds_ < animation_budget_ms ? fields::Detail::refined
                                                              : fields::Detail::preview);
}

}  // namespace isolume::labs::orbitals
