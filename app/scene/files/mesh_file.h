#pragma once

#include <filesystem>
#include <string>

class vtkPolyData;

namespace isolume::scene {

/// Writes lines or triangles by the suffix: .stl (binary, triangles only; `title` goes into its header), .ply
/// (write_ply) or .vtp (everything). The file is written completely or not at all. Throws Error for another
/// suffix and if the file cannot be written.
void write_mesh(vtkPolyData& mesh, const std::string& title, const std::filesystem::path& path);

}  // namespace isolume::scene
