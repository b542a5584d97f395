#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include "app/scene/drawing/text_style.h"
#include "app/scene/surfaces/surface.h"

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

/// The label of a second field's values on a surface, such as "Potential / kT/e", and their colours.
struct ExportedValues {
  std::string name;
  vtkSmartPointer<vtkLookupTable> colours;
};

/// These functions may be called from any thread while their inputs are drawn.

/// A copy of a surface's mesh with the second field's values under their label, and a colour ("colour"
/// scalars) that is grey for unknown values. Without values, the mesh itself.
vtkSmartPointer<vtkPolyData> with_values(const Surface& surface, const std::optional<ExportedValues>& values);

/// Writes both lobes as one mesh: STL (binary), PLY (as write_mesh) or VTP (with normals and the array
/// "lobe": +1 or -1, values and colours). The title of STL contains the unit of length. Throws Error if the
/// file cannot be written.
void export_surfaces(const Lobes& lobes, std::string_view unit, const std::optional<ExportedValues>& values,
                     const std::filesystem::path& path);

/// Writes all bodies as one glTF file with embedded data. Throws Error if the file cannot be written.
void export_gltf(const std::vector<ExportedBody>& bodies, const std::filesystem::path& path);

}  // namespace isolume::scene
