#include <vtkRenderer.h>

#include "app/labs/orbitals/lab.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::orbitals {
namespace {

/// Of the film: slow enough for eyes to follow the lobes.
constexpr double femtoseconds_per_second = 0.15;

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

fields::FieldPlayback::Declaration OrbitalsLab::playing() {
  return {.prefix = "orbitals.animation",
          .show = [this](double femtoseconds, fields::Detail detail) { show_time(femtoseconds, detail); },
          .unavailable = [this] { return without_time(); },
          .cannot_play = [this] { return without_orbitals(); },
          .before_play =
              [this] {
                if (!animated(field_.field))
                  set_parameters(tr("Superposition"), {{"field", "superposition"}});
              }};
}

std::string OrbitalsLab::without_time() const {
  if (const auto why = without_orbitals(); !why.empty()) return why;
  return animated(field_.field) ? std::string()
                                : workbench::said(QObject::tr("Show a superposition of orbitals first."));
}

void OrbitalsLab::follow_superposition() {
  playback_.follow();
  if (!without_time().empty()) return;
  const double loop = science::loop_femtoseconds(field_, *wavefunction());
  playback_.time().set_range(0, loop, tr("fs"), loop / femtoseconds_per_second);
  playback_.show_time(field_.time_femtoseconds);
}

/// Without an entry in the undo list.
void OrbitalsLab::show_time(double femtoseconds, fields::Detail detail) {
  field_.time_femtoseconds = femtoseconds;
  if (document_) request_picture(detail);
}

}  // namespace isolume::labs::orbitals
