#include "app/scene/props/line_set.h"

#include <algorithm>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkUnsignedCharArray.h>

namespace isolume::scene {

struct LineSetProp::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
  LineLook look;
};

LineSetProp::LineSetProp(vtkRenderer& renderer, const LineLook& look) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.look = look;
  p.mapper->SetInputData(vtkNew<vtkPolyData>());
  if (look.on_surfaces) {
    vtkMapper::SetResolveCoincidentTopologyToPolygonOffset();
    p.mapper->SetRelativeCoincidentTopologyLineOffsetParameters(0, -64);
  }
  p.actor->SetMapper(p.mapper);
  p.actor->GetProperty()->LightingOff();
  look.translucent ? p.actor->ForceTranslucentOn() : p.actor->ForceOpaqueOn();
  p.actor->UseBoundsOff();
  p.actor->PickableOff();
  p.actor->VisibilityOff();
  renderer.AddViewProp(p.actor);
}

LineSetProp::~LineSetProp() {
  parts_->renderer->RemoveViewProp(parts_->actor);
}

void LineSetProp::update(double pixel_scale) {
  parts_->actor->GetProperty()->SetLineWidth(static_cast<float>(parts_->look.width_points * pixel_scale));
}

void LineSetProp::set(const std::shared_ptr<const LineSet>& lines) {
  auto& p = *parts_;
  const bool shown = lines != nullptr && !lines->starts.empty();
  p.actor->SetVisibility(shown);
  if (!shown) return;
  const auto count = static_cast<vtkIdType>(lines->colours.size());
  vtkNew<vtkFloatArray> places;
  places->SetNumberOfComponents(3);
  places->SetNumberOfTuples(count);
  std::ranges::copy(lines->places, places->GetPointer(0));
  vtkNew<vtkPoints> points;
  points->SetData(places);
  vtkNew<vtkUnsignedCharArray> colours;
  colours->SetName("colour");
  colours->SetNumberOfComponents(4);
  colours->SetNumberOfTuples(count);
  std::copy_n(lines->colours.data()->data(), 4 * lines->colours.size(), colours->GetPointer(0));
  vtkNew<vtkCellArray> cells;
  for (std::size_t i = 0; i < lines->starts.size(); ++i) {
    const vtkIdType from = lines->starts[i];
    const vtkIdType to = i + 1 < lines->starts.size() ? lines->starts[i + 1] : count;
    cells->InsertNextCell(static_cast<int>(to - from));
    for (vtkIdType place = from; place < to; ++place) cells->InsertCellPoint(place);
  }
  vtkNew<vtkPolyData> data;
  data->SetPoints(points);
  data->SetLines(cells);
  data->GetPointData()->SetScalars(colours);
  p.mapper->SetInputData(data);
}

bool LineSetProp::visible() const {
  return parts_->actor->GetVisibility() != 0;
}

vtkSmartPointer<vtkPolyData> LineSetProp::lines() const {
  return parts_->mapper->GetInput();
}

}  // namespace isolume::scene
