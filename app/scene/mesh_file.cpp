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

template <class Writer>
void run(Writer& writer, vtkPolyData& mesh, const std::filesystem::path& path) {
  writer.SetInputData(&mesh);
  if (writer.Write() == 0 || writer.GetErrorCode() != vtkErrorCode::NoError) {
    throw Error(
        fmt::format("{}: could not be written ({}). Check the free space and the folder's permissions.",
                    path.string(), vtkErrorCode::GetStringFromErrorCode(writer.GetErrorCode())));
  }
}

/// By way of the memory: to a path, VTK's writers do not tell when the last bytes find no room.
template <class Writer>
void write(Writer& writer, vtkPolyData& mesh, const std::filesystem::path& path) {
  writer.WriteToOutputStringOn();
  run(writer, mesh, path);
  const std::string& bytes = writer.GetOutputString();
  AtomicFile file(path);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

/// This writer knows only paths; the file's length follows from the number of triangles.
void write_stl(vtkSTLWriter& writer, vtkPolyData& mesh, const std::filesystem::path& path) {
  AtomicFile file(path);
  writer.SetFileName(file.temporary().c_str());
  run(writer, mesh, path);
  constexpr std::uintmax_t header = 84, triangle = 50;
  file.commit(header + triangle * static_cast<std::uintmax_t>(mesh.GetNumberOfPolys()));
}

}  // namespace

void write_mesh(vtkPolyData& mesh, const std::string& title, const std::filesystem::path& path) {
  const auto suffix = path.extension();
  if (suffix == ".stl") {
    vtkNew<vtkSTLWriter> writer;
    writer->SetFileTypeToBinary();
    writer->SetHeader(title.c_str());
    write_stl(*writer, mesh, path);
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
