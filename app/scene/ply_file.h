#pragma once

#include <ostream>

class vtkPolyData;

namespace isolume::scene {

/// Writes triangles as binary PLY: places, normals where there are some, one value of type float a point and red, green and
/// blue where the mesh has arrays of such: the first of one float, whose name stands in a comment, and "colour".
void write_ply(vtkPolyData& mesh, std::ostream& out);

}  // namespace isolume::scene
