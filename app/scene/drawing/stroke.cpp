#include "app/scene/drawing/stroke.h"

#include <vtkCellArray.h>
#include <vtkPoints.h>

namespace isolume::scene {

using Eigen::Vector2d;

void add_stroke(vtkPoints& points, vtkCellArray& cells, const Vector2d& from, const Vector2d& to,
                double thick) {
  const Vector2d along = to - from;
  const double length = along.norm();
  const Vector2d side = length > 1e-6 ? Vector2d(Vector2d(-along.y(), along.x()) * (thick / 2 / length))
                                      : Vector2d(thick / 2, 0);
  const vtkIdType first = points.GetNumberOfPoints();
  for (const Vector2d& place :
       {Vector2d(from - side), Vector2d(to - side), Vector2d(to + side), Vector2d(from + side)}) {
    points.InsertNextPoint(place.x(), place.y(), 0);
  }
  cells.InsertNextCell({first, first + 1, first + 2, first + 3});
}

}  // namespace isolume::scene
