#include "app/scene/props/mesh_prop.h"

#include <algorithm>
#include <utility>

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
namespace {

vtkSmartPointer<vtkFloatArray> vectors_of(const std::vector<float>& numbers) {
  auto array = vtkSmartPointer<vtkFloatArray>::New();
  array->SetNumberOfComponents(3);
  array->SetNumberOfTuples(static_cast<vtkIdType>(numbers.size() / 3));
  std::ranges::copy(numbers, array->GetPointer(0));
  return array;
}

vtkSmartPointer<vtkPolyData> poly_data_of(const ColouredMesh& mesh) {
  vtkNew<vtkPoints> points;
  points->SetData(vectors_of(mesh.points));
  vtkNew<vtkUnsignedCharArray> colours;
  colours->SetName("colour");
  colours->SetNumberOfComponents(3);
  for (const auto& each : mesh.colours) colours->InsertNextTypedTuple(each.data());
  vtkNew<vtkCellArray> cells;
  for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3) {
    cells->InsertNextCell(3);
    for (std::size_t corner = 0; corner < 3; ++corner) cells->InsertCellPoint(mesh.triangles[i + corner]);
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(cells);
  data->GetPointData()->SetNormals(vectors_of(mesh.normals));
  data->GetPointData()->SetScalars(colours);
  return data;
}

}  // namespace

struct MeshProp::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  vtkSmartPointer<vtkPolyData> data = vtkSmartPointer<vtkPolyData>::New();
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
};

MeshProp::MeshProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.mapper->SetInputData(p.data);
  p.actor->SetMapper(p.mapper);
  auto& property = *p.actor->GetProperty();
  property.SetInterpolationToPhong();
  property.SetAmbient(0.15);
  property.SetDiffuse(0.8);
  property.SetSpecular(0.2);
  property.SetSpecularPower(30);
  p.actor->VisibilityOff();
  renderer.AddActor(p.actor);
}

MeshProp::~MeshProp() {
  parts_->renderer->RemoveViewProp(parts_->actor);
}

void MeshProp::set(const ColouredMesh& mesh) {
  set(poly_data_of(mesh));
}

void MeshProp::set(vtkSmartPointer<vtkPolyData> triangles) {
  auto& p = *parts_;
  p.data = std::move(triangles);
  p.actor->SetVisibility(p.data->GetNumberOfPolys() > 0);
  p.mapper->SetInputData(p.data);
}

bool MeshProp::visible() const {
  return parts_->actor->GetVisibility() != 0;
}

vtkSmartPointer<vtkPolyData> MeshProp::triangles() const {
  return parts_->data;
}

}  // namespace isolume::scene
