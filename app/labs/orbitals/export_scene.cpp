#include "app/labs/orbitals/export_scene.h"

#include <fmt/format.h>
#include <vtkActor.h>
#include <vtkAppendPolyData.h>
#include <vtkErrorCode.h>
#include <vtkGLTFExporter.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkPLYWriter.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSTLWriter.h>
#include <vtkSignedCharArray.h>
#include <vtkXMLPolyDataWriter.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::labs::orbitals {
namespace {

vtkSmartPointer<vtkPolyData> with_lobe_array(const scene::Surface& surface, signed char lobe) {
  auto copy = vtkSmartPointer<vtkPolyData>::New();
  copy->ShallowCopy(mesh_of(surface));
  vtkNew<vtkSignedCharArray> lobes;
  lobes->SetName("lobe");
  lobes->SetNumberOfTuples(copy->GetNumberOfPoints());
  lobes->Fill(lobe);
  copy->GetPointData()->AddArray(lobes);
  return copy;
}

vtkSmartPointer<vtkPolyData> one_mesh(const scene::Lobes& lobes) {
  vtkNew<vtkAppendPolyData> both;
  for (const auto& [surface, lobe] : {std::pair(&lobes.positive, 1), std::pair(&lobes.negative, -1)}) {
    if (!surface->empty()) both->AddInputData(with_lobe_array(*surface, static_cast<signed char>(lobe)));
  }
  both->Update();
  return both->GetOutput();
}

/// VTK's writers report a full disk by an error code and go on.
template <class Writer>
void write(Writer& writer, vtkPolyData& mesh, const std::filesystem::path& path) {
  AtomicFile file(path);
  writer.SetFileName(file.temporary().c_str());
  writer.SetInputData(&mesh);
  if (writer.Write() == 0 || writer.GetErrorCode() != vtkErrorCode::NoError) {
    throw Error(
        fmt::format("{}: could not be written ({}). Check the free space and the folder's permissions.",
                    path.string(), vtkErrorCode::GetStringFromErrorCode(writer.GetErrorCode())));
  }
  file.commit();
}

}  // namespace

void export_surfaces(const scene::Lobes& lobes, const std::filesystem::path& path) {
  const auto mesh = one_mesh(lobes);
  const auto suffix = path.extension();
  if (suffix == ".stl") {
    vtkNew<vtkSTLWriter> writer;
    writer->SetFileTypeToBinary();
    writer->SetHeader("surfaces of a field, in angstrom");
    write(*writer, *mesh, path);
  } else if (suffix == ".ply") {
    vtkNew<vtkPLYWriter> writer;
    writer->SetFileTypeToBinary();
    write(*writer, *mesh, path);
  } else {
    vtkNew<vtkXMLPolyDataWriter> writer;
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
    write(*writer, *mesh, path);
  }
}

void export_gltf(const std::vector<ExportedBody>& bodies, const std::filesystem::path& path) {
  // The exporter takes a window's scene; this one never gets an OpenGL context.
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  window->AddRenderer(renderer);
  for (const auto& body : bodies) {
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(body.triangles);
    mapper->SetScalarVisibility(body.triangles->GetPointData()->GetScalars() != nullptr);
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
  exporter->SetFileName(file.temporary().c_str());
  exporter->InlineDataOn();
  exporter->SaveNormalOn();
  exporter->Write();
  file.commit();
}

}  // namespace isolume::labs::orbitals
