#include "app/scene/fields/scale_bar.h"

#include <cmath>
#include <string>

#include <Eigen/Core>
#include <fmt/format.h>
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

#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/stroke.h"
#include "core/base/round_numbers.h"

namespace isolume::scene {

struct ScaleBar::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkPolyData> shape;
  vtkNew<vtkPolyDataMapper2D> mapper;
  vtkNew<vtkActor2D> bar;
  vtkNew<vtkTextActor> text;
  std::string unit;
  double unit_size = 1;
};

ScaleBar::ScaleBar(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.mapper->SetInputData(p.shape);
  p.bar->SetMapper(p.mapper);
  p.text->GetTextProperty()->SetJustificationToCentered();
  p.text->GetTextProperty()->SetVerticalJustificationToCentered();
  renderer.AddViewProp(p.bar);
  renderer.AddViewProp(p.text);
}

ScaleBar::~ScaleBar() {
  parts_->renderer->RemoveViewProp(parts_->bar);
  parts_->renderer->RemoveViewProp(parts_->text);
}

void ScaleBar::set_visible(bool visible) {
  parts_->bar->SetVisibility(visible);
  parts_->text->SetVisibility(visible);
}

void ScaleBar::set_unit(std::string_view unit, double size) {
  parts_->unit = unit;
  parts_->unit_size = size;
}

void ScaleBar::set_colour(const Rgb& text) {
  parts_->bar->GetProperty()->SetColor(text[0], text[1], text[2]);
  use_scene_font(*parts_->text->GetTextProperty(), scene_font_points, text);
  set_backdrop(*parts_->text->GetTextProperty());
}

void ScaleBar::update(double pixel_scale, int width, int height, double raised) {
  using Eigen::Vector2d;
  constexpr double margin_points = 18, thick_points = 3.08, widest = 0.2, text_above = 12;
  auto& p = *parts_;
  const double pixels_per_length = height / (p.unit_size * view_height(*p.renderer));
  if (!(pixels_per_length > 0) || !std::isfinite(pixels_per_length)) return;
  const double length = rounded_down(widest * width / pixels_per_length);
  const Vector2d end(width - margin_points * pixel_scale, margin_points * pixel_scale + raised);
  const Vector2d start = end - Vector2d(length * pixels_per_length, 0);
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> cell;
  add_stroke(*points, *cell, start, end, thick_points * pixel_scale);
  p.shape->SetPoints(points);
  p.shape->SetPolys(cell);
  p.text->SetInput(displayable(fmt::format("{:g} {}", length, p.unit)).c_str());
  const Vector2d place = (start + end) / 2 + Vector2d(0, text_above * pixel_scale);
  p.text->SetDisplayPosition(static_cast<int>(place.x()), static_cast<int>(place.y()));
}

}  // namespace isolume::scene
