#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <vtkSmartPointer.h>

#include "app/scene/surface.h"
#include "app/scene/text_style.h"

class vtkPolyData;

namespace isolume::scene {

/// One body of an exported scene: triangles, with one colour or a colour per point ("colour"
/// scalars).
struct ExportedBody {
  std::string name;
  vtkSmartPointer<vtkPolyData> triangles;
  Rgb colour{1, 1, 1};
  double opacity = 1;
};

/// Both may be called from any thread while what they are given is drawn.

/// Both lobes as one mesh, written as STL (binary), PLY (binary, with normals) or VTP (with normals and the
/// array "lobe": +1 or -1); the unit of lengths stands in the title of STL. Throws Error when the file cannot
/// be written.
void export_surfaces(const Lobes& lobes, std::string_view unit, const std::filesystem::path& path);

/// All bodies as one glTF file with its data inside. Throws Error when the file cannot be written.
void export_gltf(const std::vector<ExportedBody>& bodies, const std::filesystem::path& path);

}  // namespace isolume::scene
