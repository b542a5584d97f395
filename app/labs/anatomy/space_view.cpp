#include "app/labs/anatomy/space_view.h"

#include <cmath>

#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/fields/stage.h"
#include "core/volumes/resize.h"

namespace isolume::labs::anatomy {

scene::Surface surface_of(const images::Volume& image, double level, bool is_finished,
                          const jobs::Progress& progress) {
  grid::ScalarField field = images::field_of(image);
  constexpr double most_while_it_changes = 300000;
  const double ratio = std::cbrt(static_cast<double>(field.values.size()) / most_while_it_changes);
  if (!is_finished && ratio > 1) {
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
  return scene::contour(field, level, false, progress).positive;
}

SpaceView::SpaceView(scene::ViewWidget& view) : view_(&view), surfaces_(*view.renderer()) {
  scene::set_stage(*view.renderer());
  const auto background = scene::background_colour(true);  // dark in both themes, as the slices are
  view.renderer()->SetBackground(background[0], background[1], background[2]);
  show();
}

void SpaceView::set_surfaces(const scene::Surface* fixed, const scene::Surface* warped) {
  all_ = {.positive = fixed != nullptr ? *fixed : scene::Surface{},
          .negative = warped != nullptr ? *warped : scene::Surface{}};
  show();
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
  if (is_new_ && !is_empty) {
    is_new_ = false;
    scene::view_from(*view_->renderer(), "front");
    scene::orbit(*view_->renderer(), 15, -25);
    scene::reset_camera(*view_->renderer());
  }
  view_->request_render();
}

}  // namespace isolume::labs::anatomy
