#include "app/scene/surface.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <tbb/blocked_range.h>
#include <vtkCellArray.h>
#include <vtkExtractVOI.h>
#include <vtkFloatArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>

#include "app/scene/lattice_image.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/logging.h"
#include "core/fields/numbers.h"

namespace isolume::scene {
namespace {

constexpr std::size_t grain = 4096;

float* floats(vtkDataArray* array) {
  return static_cast<float*>(array->GetVoidPointer(0));
}

/// Maps points and normals from lattice indices to the scene. Gradients are covectors, which transform with
/// the inverse transpose. VTK's normals point down the gradient; `sign` turns them to smaller magnitude.
/// Returns false if a point is not finite, as a NaN in the field causes.
bool to_space(vtkPolyData& mesh, const lattice::Lattice& lattice, float sign) {
  const double scale = lattice::shown_per_unit(lattice.unit);
  const Eigen::Matrix3f step = (lattice.step * scale).cast<float>();
  const Eigen::Vector3f origin = (lattice.origin * scale).cast<float>();
  const Eigen::Matrix3f covector = sign * step.inverse().transpose();
  float* points = floats(mesh.GetPoints()->GetData());
  float* normals = floats(mesh.GetPointData()->GetNormals());
  std::atomic<bool> finite = true;
  const auto count = static_cast<std::size_t>(mesh.GetNumberOfPoints());
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain), [&](const auto& range) {
    bool all_finite = true;
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      Eigen::Map<Eigen::Vector3f> point(points + 3 * i);
      Eigen::Map<Eigen::Vector3f> normal(normals + 3 * i);
      point = (origin + step * point).eval();
      all_finite = all_finite && point.allFinite();
      const Eigen::Vector3f turned = covector * normal;
      const float length = turned.norm();
      normal =
          length > 0 && std::isfinite(length) ? Eigen::Vector3f(turned / length) : Eigen::Vector3f::UnitZ();
    }
    if (!all_finite) finite = false;
  });
  return finite;
}

using Triangles = vtkTypeInt64Array;

Triangles& connectivity(vtkPolyData& mesh) {
  return *mesh.GetPolys()->GetConnectivityArray64();
}

/// Removes triangles with a point that is not finite.
void drop_broken_triangles(vtkPolyData& mesh) {
  const float* points = floats(mesh.GetPoints()->GetData());
  vtkNew<vtkCellArray> kept;
  const vtkIdType* corners = nullptr;
  vtkIdType size = 0;
  for (vtkIdType cell = 0; cell < mesh.GetNumberOfPolys(); ++cell) {
    mesh.GetPolys()->GetCellAtId(cell, size, corners);
    bool finite = true;
    for (int k = 0; k < 3; ++k)
      finite = finite && Eigen::Map<const Eigen::Vector3f>(points + 3 * corners[k]).allFinite();
    if (finite) kept->InsertNextCell(3, corners);
  }
  mesh.SetPolys(kept);
  // The unused points stay; they must not affect the bounds.
  float* writable = floats(mesh.GetPoints()->GetData());
  for (vtkIdType i = 0; i < mesh.GetNumberOfPoints(); ++i) {
    Eigen::Map<Eigen::Vector3f> point(writable + 3 * i);
    if (!point.allFinite()) point = Eigen::Map<const Eigen::Vector3f>(points);
  }
}

Eigen::Vector3f corner(const float* points, vtkTypeInt64 index) {
  return Eigen::Map<const Eigen::Vector3f>(points + 3 * index);
}

/// Orients triangles counter-clockwise seen from the side of their normals; returns the area.
double orient_and_measure(vtkPolyData& mesh) {
  const float* points = floats(mesh.GetPoints()->GetData());
  const float* normals = floats(mesh.GetPointData()->GetNormals());
  vtkTypeInt64* corners = connectivity(mesh).GetPointer(0);
  const auto count = static_cast<std::size_t>(mesh.GetNumberOfPolys());
  return handover::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, count, grain), 0.0,
      [&](const auto& range, double area) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          vtkTypeInt64* triangle = corners + 3 * i;
          const Eigen::Vector3f a = corner(points, triangle[0]);
          const Eigen::Vector3f cross =
              (corner(points, triangle[1]) - a).cross(corner(points, triangle[2]) - a);
          area += 0.5 * cross.norm();
          const Eigen::Vector3f outward =
              corner(normals, triangle[0]) + corner(normals, triangle[1]) + corner(normals, triangle[2]);
          if (cross.dot(outward) < 0) std::swap(triangle[1], triangle[2]);
        }
        return area;
      },
      std::plus<>());
}

Surface surface_at(vtkImageData& image, const lattice::Lattice& lattice, double isovalue) {
  vtkNew<vtkFlyingEdges3D> contour;
  contour->SetInputData(&image);
  contour->SetNumberOfContours(1);
  contour->SetValue(0, isovalue);
  contour->ComputeNormalsOn();
  contour->ComputeScalarsOff();
  contour->Update();
  Surface surface;
  surface.isovalue = isovalue;
  surface.mesh = contour->GetOutput();
  if (surface.empty()) {
    surface.mesh = vtkSmartPointer<vtkPolyData>::New();
    return surface;
  }
  // The field decreases outwards at the positive lobe and increases at the negative one.
  if (!to_space(*surface.mesh, lattice, isovalue >= 0 ? 1.0F : -1.0F)) drop_broken_triangles(*surface.mesh);
  surface.area = orient_and_measure(*surface.mesh);
  return surface;
}

/// From this number of triangles on, drawing them takes a CPU longer than a frame.
constexpr std::size_t worth_a_draft = 20'000;

/// Keeps the indices of the whole image.
vtkSmartPointer<vtkImageData> every_second_point(vtkImageData& image) {
  vtkNew<vtkExtractVOI> some;
  some->SetInputData(&image);
  some->SetVOI(image.GetExtent());
  some->SetSampleRate(2, 2, 2);
  some->IncludeBoundaryOff();
  some->Update();
  return some->GetOutput();
}

Surface no_surface(double isovalue) {
  Surface surface;
  surface.mesh = vtkSmartPointer<vtkPolyData>::New();
  surface.isovalue = isovalue;
  return surface;
}

/// Zero is not an isovalue: the field is zero in whole regions, and both lobes would be the same sheet.
bool makes_surfaces(const lattice::ScalarField& field, double isovalue) {
  const auto& n = field.lattice.dimensions;
  return std::min({n[0], n[1], n[2]}) >= 2 && isovalue > 0 && std::isfinite(isovalue);
}

vtkSmartPointer<vtkFloatArray> vectors(const std::vector<float>& numbers) {
  auto array = vtkSmartPointer<vtkFloatArray>::New();
  array->SetNumberOfComponents(3);
  array->SetNumberOfTuples(static_cast<vtkIdType>(numbers.size() / 3));
  std::copy(numbers.begin(), numbers.end(), array->GetPointer(0));
  return array;
}

vtkSmartPointer<vtkPolyData> poly_data(const gpu::GpuSurface::Mesh& mesh) {
  auto result = vtkSmartPointer<vtkPolyData>::New();
  vtkNew<vtkPoints> points;
  points->SetData(vectors(mesh.points));
  result->SetPoints(points);
  const auto normals = vectors(mesh.normals);
  normals->SetName("Normals");
  result->GetPointData()->SetNormals(normals);
  vtkNew<Triangles> corners;
  corners->SetNumberOfValues(static_cast<vtkIdType>(mesh.triangles.size()));
  std::copy(mesh.triangles.begin(), mesh.triangles.end(), corners->GetPointer(0));
  vtkNew<vtkCellArray> triangles;
  triangles->SetData(3, corners);
  result->SetPolys(triangles);
  return result;
}

}  // namespace

std::size_t Surface::triangle_count() const {
  if (on_gpu != nullptr) return on_gpu->triangle_count();
  return mesh == nullptr ? 0 : static_cast<std::size_t>(mesh->GetNumberOfPolys());
}

vtkSmartPointer<vtkPolyData> mesh_of(const Surface& surface) {
  if (surface.on_gpu != nullptr) {
    auto mesh = poly_data(surface.on_gpu->download());
    if (surface.values != nullptr) mesh->GetPointData()->AddArray(surface.values);
    return mesh;
  }
  return surface.mesh != nullptr ? surface.mesh : vtkSmartPointer<vtkPolyData>::New();
}

namespace {

vtkSmartPointer<vtkFloatArray> array_of(const std::vector<float>& found) {
  auto values = vtkSmartPointer<vtkFloatArray>::New();
  values->SetName(second_field);
  values->SetNumberOfTuples(static_cast<vtkIdType>(found.size()));
  std::ranges::copy(found, values->GetPointer(0));
  return values;
}

vtkSmartPointer<vtkFloatArray> values_above(const fields::ValuesAtPlaces& second,
                                            std::span<const float> points, std::span<const float> normals,
                                            double height, const jobs::Progress& progress) {
  if (height == 0) return array_of(second(points, progress));
  std::vector<float> places(points.begin(), points.end());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] += static_cast<float>(height) * normals[i];
  return array_of(second(places, progress));
}

bool has_vertices(vtkPolyData* mesh) {
  return mesh != nullptr && mesh->GetNumberOfPolys() > 0;
}

}  // namespace

void sample(const fields::ValuesAtPlaces& second, Lobes& lobes, double height,
            const jobs::Progress& progress) {
  const auto add_to = [&](vtkPolyData& mesh, const jobs::Progress& on) {
    auto* points = mesh.GetPoints()->GetData();
    const auto count = static_cast<std::size_t>(points->GetNumberOfValues());
    const auto values = values_above(second, {floats(points), count},
                                     {floats(mesh.GetPointData()->GetNormals()), count}, height, on);
    mesh.GetPointData()->AddArray(values);
    return values;
  };
  const bool both = !lobes.positive.empty() && !lobes.negative.empty();
  double done = 0;
  for (Surface* surface : {&lobes.positive, &lobes.negative}) {
    progress.check();
    if (surface->empty()) continue;
    const double end = both && done == 0 ? 0.5 : 1;
    if (surface->on_gpu != nullptr) {
      const auto mesh = surface->on_gpu->download();
      surface->values = values_above(second, mesh.points, mesh.normals, height, progress.part(done, end));
    } else {
      // A draft has a quarter of the vertices.
      const double whole = has_vertices(surface->draft) ? end - 0.2 * (end - done) : end;
      surface->values = add_to(*surface->mesh, progress.part(done, whole));
      if (has_vertices(surface->draft)) add_to(*surface->draft, progress.part(whole, end));
    }
    done = end;
  }
}

void sample(const lattice::ScalarField& second, Lobes& lobes, double height, const jobs::Progress& progress) {
  sample([&second](std::span<const float> places,
                   const jobs::Progress&) { return fields::values_at(second, places); },
         lobes, height, progress);
}

namespace {

struct NearestVertex {
  vtkSmartPointer<vtkPolyData> mesh;  ///< null: there is none with values
  vtkFloatArray* values = nullptr;
  vtkIdType vertex = 0;
  float distance_squared = std::numeric_limits<float>::max();
};

NearestVertex nearest_vertex(const Lobes& lobes, const Eigen::Vector3f& place) {
  NearestVertex nearest;
  for (const Surface* surface : {&lobes.positive, &lobes.negative}) {
    if (surface->values == nullptr || surface->empty()) continue;
    const auto mesh = mesh_of(*surface);
    const float* points = floats(mesh->GetPoints()->GetData());
    for (vtkIdType i = 0; i < mesh->GetNumberOfPoints(); ++i) {
      const float distance = (corner(points, i) - place).squaredNorm();
      if (distance < nearest.distance_squared) nearest = {mesh, surface->values, i, distance};
    }
  }
  return nearest;
}

}  // namespace

std::optional<double> sampled_value_at(const Lobes& lobes, const Eigen::Vector3d& place) {
  const Eigen::Vector3f at = place.cast<float>();
  const auto nearest = nearest_vertex(lobes, at);
  if (nearest.mesh == nullptr) return std::nullopt;
  double best = nearest.values->GetValue(nearest.vertex);
  float most_inside = -1;  // the smallest of the three weights, which are all positive inside a triangle
  const float* points = floats(nearest.mesh->GetPoints()->GetData());
  const vtkTypeInt64* corners = connectivity(*nearest.mesh).GetPointer(0);
  for (vtkIdType cell = 0; cell < nearest.mesh->GetNumberOfPolys(); ++cell) {
    const vtkTypeInt64* of = corners + 3 * cell;
    if (of[0] != nearest.vertex && of[1] != nearest.vertex && of[2] != nearest.vertex) continue;
    const Eigen::Vector3f a = corner(points, of[0]), b = corner(points, of[1]), c = corner(points, of[2]);
    const Eigen::Vector3f normal = (b - a).cross(c - a);
    const float area = normal.squaredNorm();
    if (!(area > 0)) continue;
    const float first = (c - b).cross(at - b).dot(normal) / area;
    const float second = (a - c).cross(at - c).dot(normal) / area;
    const float third = 1 - first - second;
    const float inside = std::min({first, second, third});
    if (inside <= most_inside) continue;
    most_inside = inside;
    best = first * nearest.values->GetValue(of[0]) + second * nearest.values->GetValue(of[1]) +
           third * nearest.values->GetValue(of[2]);
  }
  return best;
}

bool blank_out(const fields::Blanks& blanks, Lobes& lobes) {
  bool any = false;
  const auto take_away = [&](std::span<const float> places, vtkFloatArray& values) {
    const auto blank = blanks.at(places);
    for (std::size_t i = 0; i < blank.size(); ++i) {
      if (!blank[i]) continue;
      values.SetValue(static_cast<vtkIdType>(i), std::numeric_limits<float>::quiet_NaN());
      any = true;
    }
  };
  const auto take_from = [&](vtkPolyData& mesh) {
    auto* values = vtkFloatArray::SafeDownCast(mesh.GetPointData()->GetArray(second_field));
    if (values == nullptr) return;
    auto* points = mesh.GetPoints()->GetData();
    take_away({floats(points), static_cast<std::size_t>(points->GetNumberOfValues())}, *values);
  };
  for (Surface* surface : {&lobes.positive, &lobes.negative}) {
    if (surface->values == nullptr) continue;
    if (surface->on_gpu != nullptr) {
      take_away(surface->on_gpu->download().points, *surface->values);
    } else {
      take_from(*surface->mesh);
      if (surface->draft != nullptr) take_from(*surface->draft);
    }
  }
  return any;
}

Lobes contour(const lattice::ScalarField& field, double isovalue, bool both_signs,
              const jobs::Progress& progress) {
  progress.check();
  if (!makes_surfaces(field, isovalue)) return {no_surface(isovalue), no_surface(-isovalue)};
  const auto image = lattice_image(field);
  const auto coarse = every_second_point(*image);
  const auto find = [&](double at) {
    Surface surface = surface_at(*image, field.lattice, at);
    if (surface.triangle_count() >= worth_a_draft)
      surface.draft = surface_at(*coarse, field.lattice, at).mesh;
    return surface;
  };
  Lobes lobes{find(isovalue), no_surface(-isovalue)};
  progress.check();
  progress.report(both_signs ? 0.5 : 1.0, "surface");
  if (both_signs) lobes.negative = find(-isovalue);
  progress.check();
  progress.report(1.0, "surface");
  return lobes;
}

Lobes contour_on_gpu(gpu::SurfaceEngine& gpu, const std::shared_ptr<const lattice::ScalarField>& field,
                     double isovalue, bool both_signs, const jobs::Progress& progress) {
  progress.check();
  Lobes lobes{no_surface(isovalue), no_surface(-isovalue)};
  if (!makes_surfaces(*field, isovalue)) return lobes;
  const auto find = [&](Surface& surface) {
    auto found = gpu.surface(field, surface.isovalue, progress);
    if (found->triangle_count() == 0) return;
    surface.area = found->area();
    surface.on_gpu = std::move(found);
    surface.mesh = nullptr;
  };
  find(lobes.positive);
  progress.report(both_signs ? 0.5 : 1.0, "surface");
  if (both_signs) find(lobes.negative);
  progress.check();
  progress.report(1.0, "surface");
  return lobes;
}

Lobes contour_where_best(gpu::SurfaceEngine* gpu, const std::shared_ptr<const lattice::ScalarField>& field,
                         double isovalue, bool both_signs, const jobs::Progress& progress) {
  if (gpu != nullptr && field->values.size() >= gpu::surface_points_worth_a_gpu) {
    try {
      return contour_on_gpu(*gpu, field, isovalue, both_signs, progress);
    } catch (const Error& error) {
      log::warning("The surface was extracted on the CPU because the GPU failed: {}", error.what());
    }
  }
  return contour(*field, isovalue, both_signs, progress);
}

}  // namespace isolume::scene
