#include "app/labs/anatomy/space_view.h"

#include <cmath>
#include <utility>

#include <vtkCommand.h>
#include <vtkLookupTable.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/fields/stage.h"
#include "core/volumes/resize.h"

namespace isolume::labs::anatomy {

namespace {

vtkSmartPointer<vtkLookupTable> greys() {
  auto greys = vtkSmartPointer<vtkLookupTable>::New();
  greys->SetHueRange(0, 0);
  greys->SetSaturationRange(0, 0);
  greys->SetValueRange(0, 1);
  greys->SetRampToLinear();
  greys->SetRange(0, 1);
  greys->Build();
  return greys;
}

/// What is cut away along the patient's axes, which point to the left, to the back and to the head: 0: both sides stay.
std::array<int, 3> cut_sides(VolumeCut cut) {
  switch (cut) {
    case VolumeCut::left:
      return {1, 0, 0};
    case VolumeCut::front:
      return {0, -1, 0};
    case VolumeCut::top:
      return {0, 0, 1};
    case VolumeCut::corner:
      return {1, -1, 1};
    case VolumeCut::none:
      break;
  }
  return {0, 0, 0};
}

}  // namespace

grid::ScalarField thinned_field(const images::Volume& image, bool is_finished) {
  grid::ScalarField field = images::field_of(image);
  const double most = is_finished ? 4e6 : 3e5;
  const double ratio = std::cbrt(static_cast<double>(field.values.size()) / most);
  if (ratio > 1) {
    volumes::Counts counts = field.grid.dimensions;
    const FieldValues all = std::move(field.values.host());
    Eigen::Vector3d first;
    for (int axis = 0; axis < 3; ++axis) {
      int& count = counts[static_cast<std::size_t>(axis)];
      const int fewer = std::max(std::min(count, 2), static_cast<int>(count / ratio));
      const double step = static_cast<double>(count) / fewer;
      first[axis] = (step - 1) / 2;
      count = fewer;
    }
    const grid::Grid fine = field.grid;
    field.grid.origin = fine.position(first);
    for (int axis = 0; axis < 3; ++axis)
      field.grid.step.col(axis) *= static_cast<double>(fine.dimensions[static_cast<std::size_t>(axis)]) /
                                   counts[static_cast<std::size_t>(axis)];
    field.grid.dimensions = counts;
    field.values = volumes::resized(all, fine.dimensions, counts);
  }
  return field;
}

scene::Surface surface_of(const images::Volume& image, double level, bool is_finished,
                          const jobs::Progress& progress) {
  const grid::ScalarField field = is_finished ? images::field_of(image) : thinned_field(image, false);
  return scene::contour(field, level, false, progress).positive;
}

SpaceView::SpaceView(scene::ViewWidget& view)
    : view_(&view), surfaces_(*view.renderer()), labels_(*view.renderer()), volume_(*view.renderer()) {
  // While the view turns, fewer rays and steps are used where there is no GPU.
  start_of_frame_->SetClientData(this);
  start_of_frame_->SetCallback([](vtkObject* renderer, unsigned long, void* self, void*) {
    const auto* window = static_cast<vtkRenderer*>(renderer)->GetRenderWindow();
    static_cast<SpaceView*>(self)->volume_.set_draft(
        const_cast<vtkRenderWindow*>(window)->GetDesiredUpdateRate() > 1);
  });
  observer_ = view.renderer()->AddObserver(vtkCommand::StartEvent, start_of_frame_);
  scene::set_stage(*view.renderer());
  const auto background = scene::background_colour(true);  // dark in both themes, as the slices are
  view.renderer()->SetBackground(background[0], background[1], background[2]);
  show();
}

SpaceView::~SpaceView() {
  if (view_) view_->renderer()->RemoveObserver(observer_);
}

void SpaceView::set_volume(std::shared_ptr<const scene::FieldVolume> volume, const VolumeStyle& style,
                           const Eigen::Vector3d& cursor_mm) {
  if (volume != shown_volume_) {
    shown_volume_ = std::move(volume);
    volume_.set_volume(shown_volume_ != nullptr ? *shown_volume_ : scene::FieldVolume());
  }
  if (!view_ || (shown_volume_ == nullptr && !volume_.visible())) return;
  static const vtkSmartPointer<vtkLookupTable> colours = greys();
  volume_.set_look(*colours, style.opacity);
  volume_.set_cut(cursor_mm, cut_sides(style.cut));
  volume_.set_visible(shown_volume_ != nullptr);
  face_patient();
  view_->request_render();
}

void SpaceView::set_surfaces(const scene::Surface* fixed, const scene::Surface* warped) {
  all_ = {.positive = fixed != nullptr ? *fixed : scene::Surface{},
          .negative = warped != nullptr ? *warped : scene::Surface{}};
  show();
}

void SpaceView::set_labels(vtkSmartPointer<vtkPolyData> coloured) {
  if (!view_ || coloured == shown_labels_) return;
  shown_labels_ = std::move(coloured);
  labels_.set(shown_labels_ != nullptr ? shown_labels_ : vtkSmartPointer<vtkPolyData>::New());
  face_patient();
  view_->request_render();
}

void SpaceView::set_style(const SurfaceStyle& style) {
  style_ = style;
  show();
}

void SpaceView::show() {
  if (!view_) return;
  scene::Lobes lobes = all_;
  if (style_.shown == SurfacesShown::fixed) lobes.negative = {};
  if (style_.shown == SurfacesShown::warped) lobes.positive = {};
  const bool is_empty = lobes.positive.empty() && lobes.negative.empty();
  surfaces_.set_lobes(std::move(lobes));
  // The colours of the overlay.
  surfaces_.set_style(scene::SurfaceStyle::smooth, style_.opacity, {0.2, 0.8, 0.2}, {0.9, 0.2, 0.9});
  surfaces_.set_visible(style_.shown != SurfacesShown::none && !is_empty);
  face_patient();
  view_->request_render();
}

void SpaceView::face_patient() {
  if (!is_new_ || (!surfaces_.visible() && !labels_.visible() && !volume_.visible())) return;
  is_new_ = false;
  scene::view_from(*view_->renderer(), "front");
  scene::orbit(*view_->renderer(), 15, -25);
  scene::reset_camera(*view_->renderer());
}

}  // namespace isolume::labs::anatomy
