#include "app/scene/export_scene.h"

#include <fmt/format.h>
#include <vtkActor.h>
#include <vtkAppendPolyData.h>
#include <vtkGLTFExporter.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSignedCharArray.h>

#include "app/scene/mesh_file.h"
#include "core/base/atomic_file.h"

namespace isolume::scene {
namespace {

vtkSmartPointer<vtkPolyData> with_lobe_array(const Surface& surface, signed char lobe) {
  auto copy = vtkSmartPointer<vtkPolyData>::New();
  copy->DeepCopy(mesh_of(surface));  // those that are drawn meanwhile stay untouched
  vtkNew<vtkSignedCharArray> lobes;
  lobes->SetName("lobe");
  lobes->SetNumberOfTuples(copy->GetNumberOfPoints());
  lobes->Fill(lobe);
  copy->GetPointData()->AddArray(lobes);
  return copy;
}

vtkSmartPointer<vtkPolyData> one_mesh(const Lobes& lobes) {
  vtkNew<vtkAppendPolyData> both;
  for (const auto& [surface, lobe] : {std::pair(&lobes.positive, 1), std::pair(&lobes.negative, -1)}) {
    if (!surface->empty()) both->AddInputData(with_lobe_array(*surface, static_cast<signed char>(lobe)));
  }
  both->Update();
  return both->GetOutput();
}

}  // namespace

void export_surfaces(const Lobes& lobes, std::string_view unit, const std::filesystem::path& path) {
  write_mesh(*one_mesh(lobes), fmt::format("surfaces of a field, in {}", unit), path);
}

void export_gltf(const std::vector<ExportedBody>& bodies, const std::filesystem::path& path) {
  // The exporter takes a window's scene; this one never gets an OpenGL context.
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  window->AddRenderer(renderer);
  for (const auto& body : bodies) {
    vtkNew<vtkPolyData> copy;
    copy->DeepCopy(body.triangles);
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
  // To a path it would write without looking whether there is room.
  exporter->WriteToStream(file.stream());
  file.commit();
}

}  // namespace isolume::scene
