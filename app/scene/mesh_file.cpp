#include "app/scene/mesh_file.h"

#include <fmt/format.h>
#include <vtkErrorCode.h>
#include <vtkNew.h>
#include <vtkPLYWriter.h>
#include <vtkPolyData.h>
#include <vtkSTLWriter.h>
#include <vtkXMLPolyDataWriter.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::scene {
namespace {

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

void write_mesh(vtkPolyData& mesh, const std::string& title, const std::filesystem::path& path) {
  const auto suffix = path.extension();
  if (suffix == ".stl") {
    vtkNew<vtkSTLWriter> writer;
    writer->SetFileTypeToBinary();
    writer->SetHeader(title.c_str());
    write(*writer, mesh, path);
  } else if (suffix == ".ply") {
    vtkNew<vtkPLYWriter> writer;
    writer->SetFileTypeToBinary();
    write(*writer, mesh, path);
  } else if (suffix == ".vtp") {
    vtkNew<vtkXMLPolyDataWriter> writer;
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
    write(*writer, mesh, path);
  } else {
    throw Error(fmt::format("{}: a mesh is written as .stl, .ply or .vtp; found the suffix {}.",
                            path.string(), isolume::quoted(suffix.string())));
  }
}

}  // namespace isolume::scene
