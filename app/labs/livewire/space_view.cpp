#include "app/labs/livewire/space_view.h"

#include "app/labs/livewire/views.h"
#include "app/labs/livewire/workspace.h"
#include "app/scene/camera.h"
#include "app/scene/view_widget.h"

namespace isolume::labs::livewire {
namespace {

constexpr int surface_rest_ms = 300, slice_rest_ms = 60;

}  // namespace

SpaceView::SpaceView(Workspace& workspace)
    : QObject(&workspace), workspace_(workspace), scene_(*workspace.context().view.renderer()) {
  for (QTimer* timer : {&surface_rest_, &slice_rest_}) timer->setSingleShot(true);
  surface_rest_.setInterval(surface_rest_ms);
  slice_rest_.setInterval(slice_rest_ms);
  connect(&surface_rest_, &QTimer::timeout, this, &SpaceView::make_surfaces);
  connect(&slice_rest_, &QTimer::timeout, this, &SpaceView::follow_slice);
  TracingModel& model = workspace_.model();
  connect(&model, &TracingModel::image_changed, this, &SpaceView::follow_image);
  connect(&model, &TracingModel::contours_changed, this, [this] {
    scene_.set_contours(workspace_.model().contours());
    workspace_.context().view.request_render();
    surface_rest_.start();
  });
  connect(&model, &TracingModel::slice_changed, &slice_rest_, qOverload<>(&QTimer::start));
  connect(&workspace_, &Workspace::look_changed, &slice_rest_, qOverload<>(&QTimer::start));
}

void SpaceView::set_dark(bool dark) {
  scene_.set_view({}, dark);
  workspace_.context().view.request_render();
}

void SpaceView::follow_image() {
  scene_.set_image(workspace_.image().volume);
  scene_.set_contours(workspace_.model().contours());
  set_dark(workspace_.context().dark());
  follow_slice();
  scene::view_from(*workspace_.context().view.renderer(), "tilted");
}

void SpaceView::follow_slice() {
  if (workspace_.model().image() == nullptr) return;
  scene_.set_slice(workspace_.model().slice(), workspace_.views().large().window());
  workspace_.context().view.request_render();
}

void SpaceView::make_surfaces() {
  if (workspace_.model().image() == nullptr) return;
  workspace_.context().jobs.submit("Surfaces", "livewire.surfaces",
                                   [this, set = workspace_.model().contours(),
                                    image = workspace_.model().image()](const jobs::Progress& progress) {
                                     auto surfaces = surfaces_of(set, image->volume.geometry, progress);
                                     workspace_.later([this, surfaces = std::move(surfaces), image] {
                                       if (image != workspace_.model().image()) return;
                                       scene_.set_surfaces(surfaces);
                                       workspace_.context().view.request_render();
                                     });
                                   });
}

}  // namespace isolume::labs::livewire
