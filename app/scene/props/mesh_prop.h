#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

class vtkPolyData;
class vtkRenderer;
template <class T>
class vtkSmartPointer;

namespace isolume::scene {

/// Triangles with a colour at each point.
struct ColouredMesh {
  std::vector<float> points, normals;    ///< three numbers a point
  std::vector<std::uint32_t> triangles;  ///< three points each
  std::vector<std::array<std::uint8_t, 3>> colours;
};

/// Opaque triangles in a renderer for the lifetime of this object.
class MeshProp {
 public:
  explicit MeshProp(vtkRenderer& renderer);
  ~MeshProp();
  MeshProp(const MeshProp&) = delete;
  MeshProp& operator=(const MeshProp&) = delete;

  /// Copies the mesh; without triangles nothing is shown.
  void set(const ColouredMesh& mesh);
  /// Triangles with normals and a colour of three bytes at each point.
  void set(vtkSmartPointer<vtkPolyData> triangles);
  bool visible() const;
  /// The triangles with a colour per point, for files; immutable.
  vtkSmartPointer<vtkPolyData> triangles() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
