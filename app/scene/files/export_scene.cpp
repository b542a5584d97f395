#include "app/scene/files/export_scene.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <vtkActor.h>
#include <vtkAppendPolyData.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkGLTFExporter.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSignedCharArray.h>
#include <vtkUnsignedCharArray.h>

#include "app/scene/files/mesh_file.h"
#include "core/base/atomic_file.h"

namespace isolume::scene {
namespace {

vtkSmartPointer<vtkPolyData> with_lobe_array(const Surface& surface, signed char lobe,
                                             const std::optional<ExportedValues>& values) {
  auto copy = vtkSmartPointer<vtkPolyData>::New();
  copy->DeepCopy(with_values(surface, values));  // meshes in use for drawing stay unchanged
  vtkNew<vtkSignedCharArray> lobes;
  lobes->SetName("lobe");
  lobes->SetNumberOfTuples(copy->GetNumberOfPoints());
  lobes->Fill(lobe);
  copy->GetPointData()->AddArray(lobes);
  return copy;
}

vtkSmartPointer<vtkPolyData> one_mesh(const Lobes& lobes, const std::optional<ExportedValues>& values) {
  vtkNew<vtkAppendPolyData> both;
  for (const auto& [surface, lobe] : {std::pair(&lobes.positive, 1), std::pair(&lobes.negative, -1)}) {
    if (!surface->empty())
      both->AddInputData(with_lobe_array(*surface, static_cast<signed char>(lobe), values));
  }
  both->Update();
  return both->GetOutput();
}

/// Lines of glTF are pairs of points.
void cut_into_pairs(vtkPolyData& mesh) {
  if (mesh.GetNumberOfLines() == 0) return;
  vtkNew<vtkCellArray> pairs;
  vtkNew<vtkIdList> line;
  for (mesh.GetLines()->InitTraversal(); mesh.GetLines()->GetNextCell(line) != 0;) {
    for (vtkIdType i = 0; i + 1 < line->GetNumberOfIds(); ++i) {
      pairs->InsertNextCell(2);
      pairs->InsertCellPoint(line->GetId(i));
      pairs->InsertCellPoint(line->GetId(i + 1));
    }
  }
  mesh.SetLines(pairs);
}

}  // namespace

vtkSmartPointer<vtkPolyData> with_values(const Surface& surface,
                                         const std::optional<ExportedValues>& values) {
  auto mesh = mesh_of(surface);
  auto* const data = surface.values ? surface.values.Get() : nullptr;
  if (!values || data == nullptr || data->GetNumberOfTuples() != mesh->GetNumberOfPoints()) return mesh;
  auto copy = vtkSmartPointer<vtkPolyData>::New();
  copy->DeepCopy(mesh);
  copy->GetPointData()->RemoveArray(second_field);
  vtkNew<vtkFloatArray> named;
  named->DeepCopy(data);
  named->SetName(values->name.c_str());
  copy->GetPointData()->AddArray(named);
  vtkNew<vtkUnsignedCharArray> colours;
  colours->SetName("colour");
  colours->SetNumberOfComponents(3);
  for (vtkIdType i = 0; i < data->GetNumberOfTuples(); ++i) {
    constexpr std::array<unsigned char, 3> grey{128, 128, 128};
    const float value = data->GetValue(i);
    colours->InsertNextTypedTuple(std::isnan(value) ? grey.data()
                                                    : values->colours->MapValue(static_cast<double>(value)));
  }
  copy->GetPointData()->SetScalars(colours);
  return copy;
}

void export_surfaces(const Lobes& lobes, std::string_view unit, const std::optional<ExportedValues>& values,
                     const std::filesystem::path& path) {
  write_mesh(*one_mesh(lobes, values), fmt::format("surfaces of a field, in {}", unit), path);
}

void export_gltf(const std::vector<ExportedBody>& bodies, const std::filesystem::path& path) {
  // The exporter takes the scene of a window; this one never gets an OpenGL context.
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  window->AddRenderer(renderer);
  for (const auto& body : bodies) {
    vtkNew<vtkPolyData> copy;
    copy->DeepCopy(body.cells);
    cut_into_pairs(*copy);
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(copy);
    mapper->SetScalarVisibility(copy->GetPointData()->GetScalars() != nullptr);
    vtkNew<vtkActor> actor;
    actor->SetMapper(mapper);
    actor->GetProperty()->SetColor(body.colour[0], body.colour[1], body.colour[2]);
    actor->GetProperty()->SetOpacity(body.opacity);
    renderer->AddActor(actor);
  }
  renderer->ResetCamera();
  AtomicFile file(path);
  vtkNew<vtkGLTFExporter> exporter;
  exporter->SetRenderWindow(window);
  exporter->InlineDataOn();
  exporter->SaveNormalOn();
  // Given a path, the exporter would not check for a full disk.
  exporter->WriteToStream(file.stream());
  file.commit();
}

}  // namespace isolume::scene
