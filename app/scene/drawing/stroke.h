#pragma once

#include <Eigen/Core>

class vtkCellArray;
class vtkPoints;

namespace isolume::scene {

/// Adds a straight stroke to the picture, in pixels, of the given thickness; OpenGL's own wide lines are not
/// available everywhere.
void add_stroke(vtkPoints& points, vtkCellArray& cells, const Eigen::Vector2d& from,
                const Eigen::Vector2d& to, double thick);

}  // namespace isolume::scene
