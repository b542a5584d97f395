// Format: Turk, "The PLY Polygon File Format" (1994).
#include "app/scene/files/ply_file.h"

#include <bit>
#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkIdList.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkUnsignedCharArray.h>

namespace isolume::scene {
namespace {

static_assert(std::endian::native == std::endian::little);

struct PlyArrays {
  explicit PlyArrays(vtkPointData& data)
      : normals(vtkFloatArray::SafeDownCast(data.GetNormals())),
        colours(vtkUnsignedCharArray::SafeDownCast(data.GetArray("colour"))) {
    for (int i = 0; i < data.GetNumberOfArrays() && value == nullptr; ++i) {
      auto* array = vtkFloatArray::SafeDownCast(data.GetArray(i));
      if (array != nullptr && array->GetNumberOfComponents() == 1) value = array;
    }
  }
  vtkFloatArray *normals = nullptr, *value = nullptr;
  vtkUnsignedCharArray* colours = nullptr;
};

std::string ply_header(vtkPolyData& mesh, const PlyArrays& arrays) {
  std::string text = "ply\nformat binary_little_endian 1.0\n";
  if (arrays.value != nullptr) text += fmt::format("comment value is {}\n", arrays.value->GetName());
  text += fmt::format("element vertex {}\nproperty float x\nproperty float y\nproperty float z\n",
                      mesh.GetNumberOfPoints());
  if (arrays.normals != nullptr) text += "property float nx\nproperty float ny\nproperty float nz\n";
  if (arrays.colours != nullptr) text += "property uchar red\nproperty uchar green\nproperty uchar blue\n";
  if (arrays.value != nullptr) text += "property float value\n";
  return text + fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                            mesh.GetNumberOfPolys());
}

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_three(std::string& bytes, vtkFloatArray& array, vtkIdType i) {
  for (int axis = 0; axis < 3; ++axis) append(bytes, array.GetTypedComponent(i, axis));
}

}  // namespace

void write_ply(vtkPolyData& mesh, std::ostream& out) {
  const PlyArrays arrays(*mesh.GetPointData());
  std::string bytes = ply_header(mesh, arrays);
  const auto flush = [&] {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.clear();
  };
  constexpr std::size_t full = std::size_t{1} << 20U;
  for (vtkIdType i = 0; i < mesh.GetNumberOfPoints(); ++i) {
    for (int axis = 0; axis < 3; ++axis) append(bytes, static_cast<float>(mesh.GetPoint(i)[axis]));
    if (arrays.normals != nullptr) append_three(bytes, *arrays.normals, i);
    for (int channel = 0; arrays.colours != nullptr && channel < 3; ++channel)
      append(bytes, arrays.colours->GetTypedComponent(i, channel));
    if (arrays.value != nullptr) append(bytes, arrays.value->GetValue(i));
    if (bytes.size() > full) flush();
  }
  vtkNew<vtkIdList> corners;
  auto* polygons = mesh.GetPolys();
  for (polygons->InitTraversal(); polygons->GetNextCell(corners) != 0;) {
    append(bytes, static_cast<std::uint8_t>(corners->GetNumberOfIds()));
    for (vtkIdType i = 0; i < corners->GetNumberOfIds(); ++i)
      append(bytes, static_cast<std::int32_t>(corners->GetId(i)));
    if (bytes.size() > full) flush();
  }
  flush();
}

}  // namespace isolume::scene
