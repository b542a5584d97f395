#include "app/scene/surfaces/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <tbb/blocked_range.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/logging.h"
#include "core/fields/numbers.h"
#include "core/surfaces/isosurface.h"

namespace isolume::scene {
namespace {

constexpr std::size_t grain = 4096;

float* floats(vtkDataArray* array) {
  return static_cast<float*>(array->GetVoidPointer(0));
}

using Triangles = vtkTypeInt64Array;

Triangles& connectivity(vtkPolyData& mesh) {
  return *mesh.GetPolys()->GetConnectivityArray64();
}

Eigen::Vector3f corner(const float* points, vtkTypeInt64 index) {
  return Eigen::Map<const Eigen::Vector3f>(points + 3 * index);
}

/// From this number of triangles on, drawing them takes a CPU longer than a frame.
constexpr std::size_t worth_a_draft = 20'000;

grid::ScalarField every_second_point(const grid::ScalarField& field) {
  grid::ScalarField some;
  some.grid = field.grid;
  some.grid.step *= 2;
  for (int& points : some.grid.dimensions) points = (points + 1) / 2;
  const auto& n = some.grid.dimensions;
  some.values.resize(some.grid.point_count());
  const auto length = static_cast<std::size_t>(field.grid.dimensions[0]);
  const auto rows = static_cast<std::size_t>(field.grid.dimensions[1]);
  const float* from = field.values.data();
  float* to = some.values.data();
  for (std::size_t k = 0; k < static_cast<std::size_t>(n[2]); ++k) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(n[1]); ++j) {
      const float* row = from + length * (2 * j + rows * 2 * k);
      for (std::size_t i = 0; i < length; i += 2) *to++ = row[i];
    }
  }
  return some;
}

Surface no_surface(double isovalue) {
  Surface surface;
  surface.mesh = vtkSmartPointer<vtkPolyData>::New();
  surface.isovalue = isovalue;
  return surface;
}

/// Zero is not an isovalue: the field is zero in whole regions, and both lobes would be the same sheet.
bool makes_surfaces(const grid::ScalarField& field, double isovalue) {
  const auto& n = field.grid.dimensions;
  return std::min({n[0], n[1], n[2]}) >= 2 && isovalue > 0 && std::isfinite(isovalue);
}

/// By value, as the memory of large surfaces is released as soon as it has been copied.
vtkSmartPointer<vtkFloatArray> vectors(std::vector<float> numbers) {
  auto array = vtkSmartPointer<vtkFloatArray>::New();
  array->SetNumberOfComponents(3);
  array->SetNumberOfTuples(static_cast<vtkIdType>(numbers.size() / 3));
  std::copy(numbers.begin(), numbers.end(), array->GetPointer(0));
  return array;
}

vtkSmartPointer<vtkPolyData> poly_data(surfaces::Mesh mesh) {
  auto result = vtkSmartPointer<vtkPolyData>::New();
  if (mesh.triangles.empty()) return result;
  vtkNew<vtkPoints> points;
  points->SetData(vectors(std::move(mesh.points)));
  result->SetPoints(points);
  const auto normals = vectors(std::move(mesh.normals));
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

double area_of(const surfaces::Mesh& mesh) {
  return handover::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, mesh.triangle_count(), grain), 0.0,
      [&](const auto& range, double area) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          const std::uint32_t* triangle = &mesh.triangles[3 * i];
          const Eigen::Vector3f a = corner(mesh.points.data(), triangle[0]);
          area += 0.5 * (corner(mesh.points.data(), triangle[1]) - a)
                            .cross(corner(mesh.points.data(), triangle[2]) - a)
                            .norm();
        }
        return area;
      },
      std::plus<>());
}

Surface surface_at(const grid::ScalarField& field, double isovalue, const jobs::Progress& progress) {
  surfaces::Mesh found = surfaces::isosurface(field, isovalue, progress);
  Surface surface;
  surface.isovalue = isovalue;
  surface.area = area_of(found);
  surface.mesh = poly_data(std::move(found));
  return surface;
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

void sample(const grid::ScalarField& second, Lobes& lobes, double height, const jobs::Progress& progress) {
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

Lobes contour(const grid::ScalarField& field, double isovalue, bool both_signs,
              const jobs::Progress& progress) {
  progress.check();
  if (!makes_surfaces(field, isovalue)) return {no_surface(isovalue), no_surface(-isovalue)};
  std::optional<grid::ScalarField> coarse;
  const auto find = [&](double at, const jobs::Progress& on) {
    Surface surface = surface_at(field, at, on.part(0, 0.9));
    if (surface.triangle_count() >= worth_a_draft) {
      if (!coarse) coarse = every_second_point(field);
      surface.draft = surface_at(*coarse, at, on.part(0.9, 1)).mesh;
    }
    on.report(1.0, "surface");
    return surface;
  };
  Lobes lobes{find(isovalue, progress.part(0, both_signs ? 0.5 : 1)), no_surface(-isovalue)};
  if (both_signs) lobes.negative = find(-isovalue, progress.part(0.5, 1));
  progress.check();
  return lobes;
}

Lobes contour_on_gpu(gpu::SurfaceEngine& gpu, const std::shared_ptr<const grid::ScalarField>& field,
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

Lobes contour_where_best(gpu::SurfaceEngine* gpu, const std::shared_ptr<const grid::ScalarField>& field,
                         double isovalue, bool both_signs, const jobs::Progress& progress) {
  if (gpu != nullptr && field->values.size() >= fields::surface_points_worth_a_gpu) {
    try {
      return contour_on_gpu(*gpu, field, isovalue, both_signs, progress);
    } catch (const Error& error) {
      log::warning("The surface was extracted on the CPU because the GPU failed: {}", error.what());
    }
  }
  return contour(*field, isovalue, both_signs, progress);
}

}  // namespace isolume::scene
