#pragma once

#include <filesystem>
#include <string>

class vtkPolyData;

namespace isolume::scene {

/// Writes lines or triangles by the suffix: .stl (binary, triangles alone; `title` goes into its header),
/// .ply (write_ply) or .vtp (everything). The file is there whole or not at all. Throws
/// Error for another suffix and when the file cannot be written.
void write_mesh(vtkPolyData& mesh, const std::string& title, const std::filesystem::path& path);

}  // namespace isolume::scene
