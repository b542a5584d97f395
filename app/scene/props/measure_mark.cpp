#include "app/scene/props/measure_mark.h"

#include <array>
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

#include "app/scene/drawing/overlays.h"
#include "app/scene/drawing/stroke.h"

namespace isolume::scene {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double mark_font_points = 15;
constexpr double ring_radius = 11;
constexpr double stroke_thickness = 2.4, rim = 1.4;

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
  vtkNew<vtkTextActor> text;
  struct Strokes {
    vtkNew<vtkPolyData> shape;
    vtkNew<vtkPolyDataMapper2D> mapper;
    vtkNew<vtkActor2D> actor;
  };
  std::array<Strokes, 2>
      strokes;  ///< the strokes, and their rims on both sides, which are seen on surfaces of any colour
};

MeasureMark::MeasureMark(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  renderer.AddViewProp(p.text);
  for (auto& each : p.strokes) {
    each.mapper->SetInputData(each.shape);
    each.actor->SetMapper(each.mapper);
    each.actor->SetLayerNumber(label_layer);
    renderer.AddViewProp(each.actor);
  }
  p.text->GetTextProperty()->SetJustificationToCentered();
  p.text->GetTextProperty()->SetVerticalJustificationToBottom();
  set({}, {});
}

MeasureMark::~MeasureMark() {
  for (auto& each : parts_->strokes) parts_->renderer->RemoveViewProp(each.actor);
  parts_->renderer->RemoveViewProp(parts_->text);
}

void MeasureMark::set(std::vector<Vector3d> places, std::string_view text) {
  auto& p = *parts_;
  p.places = std::move(places);
  p.text->SetInput(displayable(text).c_str());
  for (auto& each : p.strokes) each.actor->SetVisibility(!p.places.empty());
  p.text->SetVisibility(!p.places.empty());
}

void MeasureMark::lower() {
  auto& p = *parts_;
  for (auto& each : p.strokes) {  // VTK draws what was added first on top, whatever the layers are
    p.renderer->RemoveViewProp(each.actor);
    p.renderer->AddViewProp(each.actor);
  }
}

void MeasureMark::set_colour(const Rgb& text) {
  auto& p = *parts_;
  // Okabe-Ito: orange on a dark background, a darker orange on a light one.
  const Rgb marked = colour_of(luminance(text) > 0.5 ? "#f0b840" : "#a85f00");
  p.strokes[0].actor->GetProperty()->SetColor(marked[0], marked[1], marked[2]);
  use_scene_font(*p.text->GetTextProperty(), mark_font_points, text);
  const double behind = luminance(text) > 0.5 ? 0 : 1;
  p.strokes[1].actor->GetProperty()->SetColor(behind, behind, behind);
  p.text->GetTextProperty()->SetBackgroundColor(behind, behind, behind);
  p.text->GetTextProperty()->SetBackgroundOpacity(0.75);
}

void MeasureMark::update(double pixel_scale) {
  auto& p = *parts_;
  if (p.places.empty()) return;
  std::vector<Vector2d> seen;
  for (const auto& place : p.places) seen.push_back(on_picture(*p.renderer, place));
  constexpr int corners = 32;
  // Strokes and rims do not overlap, as VTK's order of drawing them depends on what else is drawn.
  constexpr double rim_offset = (stroke_thickness + rim) / 2;
  for (std::size_t k = 0; k < p.strokes.size(); ++k) {
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> cells;
    const std::vector<double> offsets = k == 0 ? std::vector{0.0} : std::vector{-rim_offset, rim_offset};
    const double thickness = (k == 0 ? stroke_thickness : rim) * pixel_scale;
    for (const double offset : offsets) {
      const auto on_ring = [&](const Vector2d& centre, int corner) {
        const double angle = 2 * std::numbers::pi * corner / corners;
        return Vector2d(centre +
                        (ring_radius + offset) * pixel_scale * Vector2d(std::cos(angle), std::sin(angle)));
      };
      for (const auto& centre : seen) {
        for (int i = 0; i < corners; ++i)
          add_stroke(*points, *cells, on_ring(centre, i), on_ring(centre, i + 1), thickness);
      }
      for (std::size_t i = 1; i < seen.size(); ++i) {
        const Vector2d along = seen[i] - seen[i - 1];
        const double room = ring_radius * pixel_scale;
        if (along.norm() <= 2 * room) continue;
        const Vector2d gap = along.normalized() * room;
        const Vector2d aside = Vector2d(-along.y(), along.x()).normalized() * offset * pixel_scale;
        add_stroke(*points, *cells, seen[i - 1] + gap + aside, seen[i] - gap + aside, thickness);
      }
    }
    p.strokes[k].shape->SetPoints(points);
    p.strokes[k].shape->SetPolys(cells);
  }
  // Above axes and scale bar, where there are neither lobes nor labels of atoms.
  constexpr double above_annotations = 84;
  p.text->SetDisplayPosition(p.renderer->GetSize()[0] / 2, static_cast<int>(above_annotations * pixel_scale));
}

}  // namespace isolume::scene
