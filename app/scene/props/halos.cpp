#include "app/scene/props/halos.h"

#include <utility>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkOpenGLSphereMapper.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>

namespace isolume::scene {

vtkSmartPointer<vtkPolyData> halos_at(std::span<const Eigen::Vector3f> places) {
  const auto count = static_cast<vtkIdType>(places.size());
  vtkNew<vtkPoints> points;
  points->SetNumberOfPoints(count);
  vtkNew<vtkCellArray> cells;  // one per point: VTK takes bounds from cells
  cells->AllocateExact(count, count);
  for (vtkIdType i = 0; i < count; ++i) {
    points->SetPoint(i, places[static_cast<std::size_t>(i)].cast<double>().eval().data());
    cells->InsertNextCell(1, &i);
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetVerts(cells);
  data->ComputeBounds();
  return data;
}

struct HaloProp::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkOpenGLSphereMapper> mapper;
  vtkNew<vtkActor> actor;
  vtkSmartPointer<vtkPolyData> places;
  bool visible = true;

  void show() { actor->SetVisibility(visible && places && places->GetNumberOfPoints() > 0); }
};

HaloProp::HaloProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.mapper->ScalarVisibilityOff();
  p.actor->SetMapper(p.mapper);
  auto& look = *p.actor->GetProperty();
  look.SetColor(0.94, 0.89, 0.26);  // Okabe-Ito yellow: only sulphur is similar
  look.SetOpacity(0.45);
  look.SetAmbient(0.6);
  look.SetDiffuse(0.4);
  renderer.AddActor(p.actor);
  p.show();
}

HaloProp::~HaloProp() {
  parts_->renderer->RemoveViewProp(parts_->actor);
}

void HaloProp::set(vtkSmartPointer<vtkPolyData> places) {
  if (places == parts_->places) return;
  parts_->places = std::move(places);
  if (parts_->places) parts_->mapper->SetInputData(parts_->places);
  parts_->show();
}

void HaloProp::set_radius(double radius) {
  parts_->mapper->SetRadius(static_cast<float>(radius));
}

void HaloProp::set_visible(bool visible) {
  parts_->visible = visible;
  parts_->show();
}

}  // namespace isolume::scene
