#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include <Eigen/Core>
#include <vtkFloatArray.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "core/fields/source.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "gpu/surfaces/surface_engine.h"

namespace isolume::scene {

/// An isosurface of a field: points in the unit that scenes show (`grid::shown_unit`), unit normals from
/// the field's gradient (pointing to smaller magnitude), triangles. On the host or held by a GPU.
struct Surface {
  vtkSmartPointer<vtkPolyData> mesh;  ///< without cells when the surface is empty; null when a GPU has it
  /// The same from every second point along each axis, for drafts on slow machines; null if the mesh itself
  /// is small, and for a surface on a GPU.
  vtkSmartPointer<vtkPolyData> draft;
  std::shared_ptr<const gpu::GpuSurface> on_gpu;
  /// Values of a second field at the vertices, set by `sample`: of the mesh, which also has them under
  /// `second_field`, or of the GPU's surface. NaN outside its box. Null: none.
  vtkSmartPointer<vtkFloatArray> values;
  double isovalue = 0;
  double area = 0;  ///< in the square of that unit

  std::size_t triangle_count() const;
  bool empty() const { return triangle_count() == 0; }
};

/// Name of the values of a second field in a mesh.
inline constexpr const char* second_field = "second field";

/// The surface's mesh; one on a GPU is copied each time. Never null. Throws Error if that fails.
vtkSmartPointer<vtkPolyData> mesh_of(const Surface& surface);

/// The surfaces field = +isovalue and, for signed fields, field = -isovalue. An empty surface is a normal
/// result. Works for rotated grids. Callable from any thread.
struct Lobes {
  Surface positive;
  Surface negative;
};

/// Adds a second field's values at the vertices, by trilinear interpolation, to surfaces that are not shared
/// yet. On the host, wherever the vertices are. `height` moves the sampling points along the normals, in the
/// unit that scenes show. Throws Cancelled, Error if a GPU's vertices cannot be copied.
void sample(const grid::ScalarField& second, Lobes& lobes, double height = 0,
            const jobs::Progress& progress = {});

/// The same with values that are computed at the vertices. Throws as `second`, too.
void sample(const fields::ValuesAtPlaces& second, Lobes& lobes, double height = 0,
            const jobs::Progress& progress = {});

/// The sampled value at a place on one of the surfaces, interpolated linearly within a triangle at the nearest vertex.
/// Nothing where there are no values. Throws as `mesh_of`.
std::optional<double> sampled_value_at(const Lobes& lobes, const Eigen::Vector3d& place);

/// Takes away the values, as if they were outside of the box, where a surface is blank. False where it is nowhere. Throws as
/// `sample`.
bool blank_out(const fields::Blanks& blanks, Lobes& lobes);

/// On the CPU, by surfaces::isosurface. Throws Cancelled, and as it does.
Lobes contour(const grid::ScalarField& field, double isovalue, bool both_signs,
              const jobs::Progress& progress = {});

/// On a GPU. Throws Error when it fails, ResourceError, Cancelled.
Lobes contour_on_gpu(gpu::SurfaceEngine& gpu, const std::shared_ptr<const grid::ScalarField>& field,
                     double isovalue, bool both_signs, const jobs::Progress& progress = {});

/// On the GPU, if one is given, for fields large enough to be worth the transfer; otherwise on the CPU. If
/// the GPU fails, also on the CPU, after a warning in the log. Throws Cancelled.
Lobes contour_where_best(gpu::SurfaceEngine* gpu, const std::shared_ptr<const grid::ScalarField>& field,
                         double isovalue, bool both_signs, const jobs::Progress& progress = {});

}  // namespace isolume::scene
