#include "app/scene/measure_mark.h"

#include <cmath>
#include <numbers>
#include <utility>

#include <vtkActor2D.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkProperty2D.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include "app/scene/overlays.h"
#include "app/scene/stroke.h"

namespace isolume::scene {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double mark_font_points = 15;
constexpr double ring_radius = 11;
constexpr double stroke_thickness = 2.4;

Vector2d on_picture(vtkRenderer& renderer, const Vector3d& place) {
  renderer.SetWorldPoint(place.x(), place.y(), place.z(), 1);
  renderer.WorldToDisplay();
  const double* found = renderer.GetDisplayPoint();
  return {found[0], found[1]};
}

}  // namespace

struct MeasureMark::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  std::vector<Vector3d> places;
  vtkNew<vtkPolyData> shape;
  vtkNew<vtkPolyDataMapper2D> mapper;
  vtkNew<vtkActor2D> strokes;
  vtkNew<vtkTextActor> text;
};

MeasureMark::MeasureMark(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.mapper->SetInputData(p.shape);
  p.strokes->SetMapper(p.mapper);
  p.strokes->SetLayerNumber(label_layer);
  p.text->GetTextProperty()->SetJustificationToCentered();
  p.text->GetTextProperty()->SetVerticalJustificationToBottom();
  renderer.AddViewProp(p.strokes);
  renderer.AddViewProp(p.text);
  set({}, {});
}

MeasureMark::~MeasureMark() {
  parts_->renderer->RemoveViewProp(parts_->strokes);
  parts_->renderer->RemoveViewProp(parts_->text);
}

void MeasureMark::set(std::vector<Vector3d> places, std::string_view text) {
  auto& p = *parts_;
  p.places = std::move(places);
  p.text->SetInput(displayable(text).c_str());
  p.strokes->SetVisibility(!p.places.empty());
  p.text->SetVisibility(!p.places.empty());
}

void MeasureMark::set_colour(const Rgb& text) {
  auto& p = *parts_;
  // Okabe-Ito: orange on a dark background, a darker orange on a light one.
  const Rgb marked = colour_of(luminance(text) > 0.5 ? "#f0b840" : "#a85f00");
  p.strokes->GetProperty()->SetColor(marked[0], marked[1], marked[2]);
  use_scene_font(*p.text->GetTextProperty(), mark_font_points, text);
  const double behind = luminance(text) > 0.5 ? 0 : 1;
  p.text->GetTextProperty()->SetBackgroundColor(behind, behind, behind);
  p.text->GetTextProperty()->SetBackgroundOpacity(0.75);
}

void MeasureMark::update(double pixel_scale) {
  auto& p = *parts_;
  if (p.places.empty()) return;
  std::vector<Vector2d> seen;
  for (const auto& place : p.places) seen.push_back(on_picture(*p.renderer, place));
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> cells;
  constexpr int corners = 32;
  const auto on_ring = [&](const Vector2d& centre, int corner) {
    const double angle = 2 * std::numbers::pi * corner / corners;
    return Vector2d(centre + ring_radius * pixel_scale * Vector2d(std::cos(angle), std::sin(angle)));
  };
  for (const auto& centre : seen) {
    for (int i = 0; i < corners; ++i)
      add_stroke(*points, *cells, on_ring(centre, i), on_ring(centre, i + 1), stroke_thickness * pixel_scale);
  }
  for (std::size_t i = 1; i < seen.size(); ++i) {
    const Vector2d along = seen[i] - seen[i - 1];
    const double room = ring_radius * pixel_scale;
    if (along.norm() <= 2 * room) continue;
    const Vector2d gap = along.normalized() * room;
    add_stroke(*points, *cells, seen[i - 1] + gap, seen[i] - gap, stroke_thickness * pixel_scale);
  }
  p.shape->SetPoints(points);
  p.shape->SetPolys(cells);
  // Above axes and scale bar, where there are neither lobes nor labels of atoms.
  constexpr double above_annotations = 84;
  p.text->SetDisplayPosition(p.renderer->GetSize()[0] / 2, static_cast<int>(above_annotations * pixel_scale));
}

}  // namespace isolume::scene
