#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include "app/scene/surface.h"
#include "app/scene/text_style.h"

class vtkPolyData;

namespace isolume::scene {

/// One body of an exported scene: triangles or lines, with one colour or a colour per point ("colour"
/// scalars).
struct ExportedBody {
  std::string name;
  vtkSmartPointer<vtkPolyData> cells;
  Rgb colour{1, 1, 1};
  double opacity = 1;
};

/// What a second field's values on a surface are called, as "Potential / kT/e", and their colours.
struct ExportedValues {
  std::string name;
  vtkSmartPointer<vtkLookupTable> colours;
};

/// All may be called from any thread while what they are given is drawn.

/// A copy of a surface's mesh in which the second field's values have their name, and a colour ("colour" scalars) in which those
/// that are not known are grey. Without values, the mesh itself.
vtkSmartPointer<vtkPolyData> with_values(const Surface& surface, const std::optional<ExportedValues>& values);

/// Both lobes as one mesh, written as STL (binary), PLY (as write_mesh) or VTP (with normals and the
/// array "lobe": +1 or -1, values and colours); the unit of lengths stands in the title of STL. Throws Error when the file cannot
/// be written.
void export_surfaces(const Lobes& lobes, std::string_view unit, const std::optional<ExportedValues>& values,
                     const std::filesystem::path& path);

/// All bodies as one glTF file with its data inside. Throws Error when the file cannot be written.
void export_gltf(const std::vector<ExportedBody>& bodies, const std::filesystem::path& path);

}  // namespace isolume::scene
