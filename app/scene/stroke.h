#pragma once

#include <Eigen/Core>

class vtkCellArray;
class vtkPoints;

namespace isolume::scene {

/// Adds a straight stroke upon the picture, in pixels, as thick as asked; OpenGL's own wide lines are not to
/// be had everywhere.
void add_stroke(vtkPoints& points, vtkCellArray& cells, const Eigen::Vector2d& from,
                const Eigen::Vector2d& to, double thick);

}  // namespace isolume::scene
