#pragma once

#include <ostream>

class vtkPolyData;

namespace isolume::scene {

/// Writes triangles as binary PLY: points, normals if present, one float value per point, and red, green and
/// blue, if the mesh has such arrays: the first array of one float, whose name is written as a comment, and
/// "colour".
void write_ply(vtkPolyData& mesh, std::ostream& out);

}  // namespace isolume::scene
