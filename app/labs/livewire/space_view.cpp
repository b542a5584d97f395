#include "app/labs/livewire/space_view.h"

#include "app/labs/livewire/workspace/workspace.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::livewire {
namespace {

constexpr int surface_rest_ms = 300, slice_rest_ms = 60;

}  // namespace

SpaceView::SpaceView(Workspace& workspace)
    : QObject(&workspace), workspace_(workspace), scene_(*workspace.context().view.renderer()) {
  scene_.set_view({}, true);  // dark in both themes, as the slices beside it are
  for (QTimer* timer : {&surface_rest_, &slice_rest_}) timer->setSingleShot(true);
  surface_rest_.setInterval(surface_rest_ms);
  slice_rest_.setInterval(slice_rest_ms);
  connect(&surface_rest_, &QTimer::timeout, this, &SpaceView::make_surfaces);
  connect(&slice_rest_, &QTimer::timeout, this, &SpaceView::follow_slice);
  TracingModel& model = workspace_.model();
  connect(&model, &TracingModel::image_changed, this, &SpaceView::follow_image);
  connect(&model, &TracingModel::contours_changed, this, &SpaceView::follow_contours);
  connect(&model, &TracingModel::slice_changed, &slice_rest_, qOverload<>(&QTimer::start));
  connect(&workspace_, &Workspace::look_changed, &slice_rest_, qOverload<>(&QTimer::start));
  connect(&workspace_.views().large(), &slices::SliceView::slice_taken, &slice_rest_,
          qOverload<>(&QTimer::start));
}

void SpaceView::follow_image() {
  scene_.set_image(workspace_.image().volume.geometry);
  scene_.set_contours(workspace_.model().contours());
  follow_slice();
  face_patient();
}

void SpaceView::follow_contours() {
  scene_.set_contours(workspace_.model().contours());
  fit_unless_turned();
  workspace_.context().view.request_render();
  surface_rest_.start();
}

void SpaceView::face_patient() {
  auto& view = workspace_.context().view;
  scene_.face_patient();
  own_view_ = scene::camera_text(*view.renderer());
  view.request_render();
}

/// Keeps all contours and surfaces in the picture until somebody turns or moves it.
void SpaceView::fit_unless_turned() {
  if (scene::camera_text(*workspace_.context().view.renderer()) == own_view_) face_patient();
}

void SpaceView::follow_slice() {
  const auto& large = workspace_.views().large();
  const auto shown = large.ground();
  if (!shown) return;
  scene_.set_slice(shown->volume, shown->slice, large.window());
  workspace_.context().view.request_render();
}

void SpaceView::make_surfaces() {
  if (workspace_.model().image() == nullptr) return;
  workspace_.context().jobs.submit(workbench::said(QObject::tr("Surfaces")), "livewire.surfaces",
                                   [this, set = workspace_.model().contours(),
                                    image = workspace_.model().image()](const jobs::Progress& progress) {
                                     auto surfaces = surfaces_of(set, image->volume.geometry, progress);
                                     workspace_.later([this, surfaces = std::move(surfaces), image] {
                                       if (image != workspace_.model().image()) return;
                                       scene_.set_surfaces(surfaces);
                                       fit_unless_turned();
                                       workspace_.context().view.request_render();
                                     });
                                   });
}

}  // namespace isolume::labs::livewire

#include "moc_space_view.cpp"
