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

/// Opaque triangles in a renderer, as long as this lives.
class MeshProp {
 public:
  explicit MeshProp(vtkRenderer& renderer);
  ~MeshProp();
  MeshProp(const MeshProp&) = delete;
  MeshProp& operator=(const MeshProp&) = delete;

  /// Takes a copy; without triangles nothing is shown.
  void set(const ColouredMesh& mesh);
  bool visible() const;
  /// With a colour per point, for files; never changed again.
  vtkSmartPointer<vtkPolyData> triangles() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
