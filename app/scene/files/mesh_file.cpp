#include "app/scene/files/mesh_file.h"

#include <fmt/format.h>
#include <vtkErrorCode.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkSTLWriter.h>
#include <vtkXMLPolyDataWriter.h>

#include "app/scene/files/ply_file.h"
#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/suffix.h"

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

/// Written in memory first: given a path, VTK's writers do not report a disk that is full at the end.
void write_vtp(vtkXMLPolyDataWriter& writer, vtkPolyData& mesh, const std::filesystem::path& path) {
  writer.WriteToOutputStringOn();
  run(writer, mesh, path);
  const std::string bytes = writer.GetOutputString();
  AtomicFile file(path);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.commit();
}

/// The required length of a binary STL file of triangles.
std::uintmax_t length_of_stl(vtkPolyData& mesh) {
  constexpr std::uintmax_t header = 84, triangle = 50;
  return header + triangle * static_cast<std::uintmax_t>(mesh.GetNumberOfPolys());
}

/// This writer accepts only paths.
void write_stl(vtkSTLWriter& writer, vtkPolyData& mesh, const std::filesystem::path& path) {
  AtomicFile file(path);
  writer.SetFileName(file.temporary().c_str());
  run(writer, mesh, path);
  file.commit(length_of_stl(mesh));
}

}  // namespace

void write_mesh(vtkPolyData& mesh, const std::string& title, const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  if (suffix == ".stl") {
    vtkNew<vtkSTLWriter> writer;
    writer->SetFileTypeToBinary();
    writer->SetHeader(title.c_str());
    write_stl(*writer, mesh, path);
  } else if (suffix == ".ply") {
    AtomicFile file(path);
    write_ply(mesh, file.stream());
    file.commit();
  } else if (suffix == ".vtp") {
    vtkNew<vtkXMLPolyDataWriter> writer;
    writer->SetDataModeToAppended();
    writer->EncodeAppendedDataOff();
    write_vtp(*writer, mesh, path);
  } else {
    throw Error(fmt::format("{}: a mesh is written as .stl, .ply or .vtp; found the suffix {}.",
                            path.string(), isolume::quoted(suffix)));
  }
}

}  // namespace isolume::scene
