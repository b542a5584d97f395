#pragma once

#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

namespace isolume::scene {

/// An isosurface of a field: points in angstrom, unit normals from the field's gradient (pointing to smaller
/// magnitude), triangles.
struct Surface {
  vtkSmartPointer<vtkPolyData> mesh;  ///< never null; without cells when the surface is empty
  double isovalue = 0;
  double area_angstrom2 = 0;

  bool empty() const { return mesh == nullptr || mesh->GetNumberOfPolys() == 0; }
};

/// The surfaces field = +isovalue and, for signed fields, field = -isovalue (vtkFlyingEdges3D). An empty
/// surface is a normal result. Works for rotated lattices. Callable from any thread; throws Cancelled.
struct Lobes {
  Surface positive;
  Surface negative;
};
Lobes contour(const lattice::ScalarField& field, double isovalue, bool both_signs,
              const jobs::Progress& progress = {});

}  // namespace isolume::scene
