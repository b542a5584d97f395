#include "app/scene/cameras/camera.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkActor.h>
#include <vtkActorCollection.h>
#include <vtkBoundingBox.h>
#include <vtkCamera.h>
#include <vtkMath.h>
#include <vtkMatrix4x4.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/principal_axes.h"
#include "core/base/error.h"
#include "core/base/number_list.h"

namespace isolume::scene {
namespace {

using Eigen::Vector3d;

struct View {
  Vector3d toward_camera;
  Vector3d up;
};

/// Calls `visit(actor)` for the actors that make up the scene: visible ones that count for the bounds.
template <class Visit>
void for_each_actor(vtkRenderer& renderer, Visit visit) {
  auto* actors = renderer.GetActors();
  vtkCollectionSimpleIterator place;
  actors->InitTraversal(place);
  while (auto* actor = actors->GetNextActor(place)) {
    if (actor->GetVisibility() && actor->GetUseBounds()) visit(*actor);
  }
}

std::vector<Vector3d> scene_points(vtkRenderer& renderer) {
  constexpr vtkIdType most_per_actor = 2000;
  std::vector<Vector3d> points;
  for_each_actor(renderer, [&](vtkActor& actor) {
    auto* mapper = vtkPolyDataMapper::SafeDownCast(actor.GetMapper());
    auto* mesh = mapper != nullptr ? mapper->GetInput() : nullptr;
    if (mesh == nullptr || mesh->GetNumberOfPoints() == 0) return;
    const vtkIdType stride = std::max<vtkIdType>(1, mesh->GetNumberOfPoints() / most_per_actor);
    const Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>> matrix(actor.GetMatrix()->GetData());
    const Eigen::Matrix3d turn = matrix.topLeftCorner<3, 3>();
    const Vector3d shift = matrix.topRightCorner<3, 1>();
    for (vtkIdType i = 0; i < mesh->GetNumberOfPoints(); i += stride) {
      Vector3d place;
      mesh->GetPoint(i, place.data());
      points.emplace_back(turn * place + shift);
    }
  });
  return points;
}

View widest_view(vtkRenderer& renderer) {
  const Eigen::Matrix3d axes = principal_axes(scene_points(renderer));
  return {axes.col(0), axes.col(1)};  // the longest direction is horizontal
}

View preset_view(vtkRenderer& renderer, std::string_view preset) {
  const Vector3d x = Vector3d::UnitX();
  const Vector3d y = Vector3d::UnitY();
  const Vector3d z = Vector3d::UnitZ();
  if (preset == "front") return {-y, z};
  if (preset == "back") return {y, z};
  if (preset == "left") return {-x, z};
  if (preset == "right") return {x, z};
  if (preset == "top") return {z, y};
  if (preset == "bottom") return {-z, y};
  if (preset == "isometric") return {Vector3d(1, -1, 1).normalized(), z};
  if (preset == "widest") return widest_view(renderer);
  throw Error(fmt::format("There is no view named {}; the views are {}.", quoted(preset),
                          fmt::join(view_presets(), ", ")));
}

/// Camera axes: right, up, toward the camera.
Eigen::Matrix3d frame_of(vtkCamera& camera) {
  Eigen::Matrix3d frame;
  const Vector3d toward = (vector_of(camera.GetPosition()) - vector_of(camera.GetFocalPoint())).normalized();
  const Vector3d right = vector_of(camera.GetViewUp()).cross(toward).normalized();
  frame << right, toward.cross(right), toward;
  return frame;
}

/// Aspect ratio of the picture's part for the scene: a camera that looks past the centre leaves a strip at
/// the side.
double aspect_of(vtkRenderer& renderer) {
  auto* window = renderer.GetRenderWindow();
  const double left = 1 - std::abs(renderer.GetActiveCamera()->GetWindowCenter()[0]);
  if (window == nullptr || window->GetSize()[0] <= 0 || window->GetSize()[1] <= 0) return 4.0 / 3.0 * left;
  return left * window->GetSize()[0] / window->GetSize()[1];
}

std::vector<Vector3d> corners(const double* bounds) {
  std::vector<Vector3d> all;
  all.reserve(8);
  for (int i = 0; i < 8; ++i)
    all.emplace_back(bounds[i & 1], bounds[2 + ((i >> 1) & 1)], bounds[4 + ((i >> 2) & 1)]);
  return all;
}

/// The points that must be in the picture: the scene's own points if they are known, else the corners of its
/// bounds.
std::vector<Vector3d> points_to_fit(vtkRenderer& renderer, const double* bounds) {
  auto points = scene_points(renderer);
  if (points.empty()) points = corners(bounds);
  return points;
}

}  // namespace

const std::vector<std::string>& view_presets() {
  static const std::vector<std::string> presets{"front",  "back",      "left",   "right", "top",
                                                "bottom", "isometric", "widest", "tilted"};
  return presets;
}

void view_from(vtkRenderer& renderer, std::string_view preset) {
  const bool tilted = preset == "tilted";
  const View view = preset_view(renderer, tilted ? "widest" : preset);
  auto* camera = renderer.GetActiveCamera();
  const Vector3d focal = vector_of(camera->GetFocalPoint());
  const Vector3d position = focal + view.toward_camera * std::max(1e-3, camera->GetDistance());
  camera->SetPosition(position.data());
  camera->SetViewUp(view.up.data());
  if (tilted) orbit(renderer, 12, 24);
  reset_camera(renderer);
}

void reset_camera(vtkRenderer& renderer) {
  std::array<double, 6> bounds{};
  renderer.ComputeVisiblePropBounds(bounds.data());
  if (!vtkMath::AreBoundsInitialized(bounds.data())) return;
  auto* camera = renderer.GetActiveCamera();
  const Eigen::Matrix3d frame = frame_of(*camera);
  const Vector3d centre((bounds[0] + bounds[1]) / 2, (bounds[2] + bounds[3]) / 2,
                        (bounds[4] + bounds[5]) / 2);
  const Vector3d position = centre + frame.col(2);
  const Vector3d up = frame.col(1);
  camera->SetFocalPoint(centre.data());
  camera->SetPosition(position.data());
  camera->SetViewUp(up.data());
  constexpr double part = 0.9;  // leaves room for texts
  stand_at(renderer, stand_to_fit(renderer, part));
}

Stand stand(vtkRenderer& renderer) {
  auto* camera = renderer.GetActiveCamera();
  return {camera->GetDistance(), camera->GetParallelScale()};
}

Stand stand_to_fit(vtkRenderer& renderer, double part) {
  std::array<double, 6> bounds{};
  renderer.ComputeVisiblePropBounds(bounds.data());
  if (!vtkMath::AreBoundsInitialized(bounds.data())) return stand(renderer);
  auto* camera = renderer.GetActiveCamera();
  const Eigen::Matrix3d frame = frame_of(*camera);
  const Vector3d centre = vector_of(camera->GetFocalPoint());
  constexpr double usual = 0.5;  // in the scene's unit: spheres and labels extend beyond their centres
  const double extent = vtkBoundingBox(bounds.data()).GetDiagonalLength();
  const double rim = extent > 0 && extent < usual ? extent / 10 : usual;
  const double aspect = aspect_of(renderer);
  const double slope = std::tan(vtkMath::RadiansFromDegrees(camera->GetViewAngle()) / 2) * part;
  Stand found;
  for (const auto& point : points_to_fit(renderer, bounds.data())) {
    const Vector3d seen = frame.transpose() * (point - centre);
    const double half_height = std::max(std::abs(seen.y()) + rim, (std::abs(seen.x()) + rim) / aspect);
    found.distance = std::max(found.distance, seen.z() + half_height / slope);
    found.scale = std::max(found.scale, half_height / part);
  }
  return found;
}

void stand_at(vtkRenderer& renderer, const Stand& stand) {
  auto* camera = renderer.GetActiveCamera();
  const Vector3d toward = frame_of(*camera).col(2);
  const Vector3d position = vector_of(camera->GetFocalPoint()) + toward * stand.distance;
  camera->SetPosition(position.data());
  camera->SetParallelScale(stand.scale);
  renderer.ResetCameraClippingRange();
}

namespace {

/// How far the scene reaches beyond the focal point, along the line of sight. In a perspective projection the visible
/// width grows with the depth, so that a camera which steps back gains least at the far end.
double depth_behind_focus(vtkRenderer& renderer) {
  auto* camera = renderer.GetActiveCamera();
  const Vector3d toward = frame_of(*camera).col(2);
  const Vector3d focus = vector_of(camera->GetFocalPoint());
  double depth = 0;
  for (const auto& point : scene_points(renderer)) depth = std::max(depth, toward.dot(focus - point));
  return depth;
}

}  // namespace

void look_like(vtkRenderer& view, vtkRenderer& picture) {
  set_camera(picture, camera_text(view));
  const Stand is = stand(view);
  const Stand all = stand_to_fit(view, 1);
  const Stand all_in_picture = stand_to_fit(picture, 1);
  const double wider = std::max(1.0, aspect_of(view) / aspect_of(picture));
  const auto choose = [wider](double now, double fits, double fits_in_picture, double depth) {
    return now >= fits ? now / fits * fits_in_picture
                       : std::min(now * wider + (wider - 1) * depth, fits_in_picture);
  };
  stand_at(picture, {choose(is.distance, all.distance, all_in_picture.distance, depth_behind_focus(view)),
                     choose(is.scale, all.scale, all_in_picture.scale, 0)});
}

void set_orthographic(vtkRenderer& renderer, bool orthographic) {
  auto* camera = renderer.GetActiveCamera();
  if (orthographic == static_cast<bool>(camera->GetParallelProjection())) return;
  // The focal plane keeps its size in the picture.
  const double slope = std::tan(vtkMath::RadiansFromDegrees(camera->GetViewAngle()) / 2);
  if (orthographic) {
    camera->SetParallelScale(camera->GetDistance() * slope);
  } else {
    const Vector3d focal = vector_of(camera->GetFocalPoint());
    const Vector3d position = focal + frame_of(*camera).col(2) * (camera->GetParallelScale() / slope);
    camera->SetPosition(position.data());
  }
  camera->SetParallelProjection(orthographic);
  renderer.ResetCameraClippingRange();
}

bool orthographic(const vtkRenderer& renderer) {
  return const_cast<vtkRenderer&>(renderer).GetActiveCamera()->GetParallelProjection() != 0;
}

void orbit(vtkRenderer& renderer, double azimuth_degrees, double elevation_degrees) {
  auto* camera = renderer.GetActiveCamera();
  // Moving the camera to the left rotates the scene to the right.
  camera->Azimuth(-azimuth_degrees);
  camera->Elevation(-elevation_degrees);
  camera->OrthogonalizeViewUp();
  renderer.ResetCameraClippingRange();
}

void orbit_upright(vtkRenderer& renderer, double azimuth_degrees, double elevation_degrees) {
  constexpr double steepest = 89.9;
  auto& camera = *renderer.GetActiveCamera();
  const Vector3d focal = vector_of(camera.GetFocalPoint());
  const Vector3d toward = vector_of(camera.GetPosition()) - focal;
  const double distance = toward.norm();
  double elevation = vtkMath::DegreesFromRadians(std::asin(std::clamp(toward.z() / distance, -1.0, 1.0)));
  // Seen along z, the up vector defines the azimuth.
  Vector3d level(toward.x(), toward.y(), 0);
  if (level.norm() < 1e-3 * distance) level = (toward.z() > 0 ? -1.0 : 1.0) * vector_of(camera.GetViewUp());
  const double azimuth = std::atan2(level.y(), level.x()) - vtkMath::RadiansFromDegrees(azimuth_degrees);
  elevation = vtkMath::RadiansFromDegrees(std::clamp(elevation - elevation_degrees, -steepest, steepest));
  const Vector3d turned(std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                        std::sin(elevation));
  const Vector3d position = focal + distance * turned;
  camera.SetPosition(position.data());
  camera.SetViewUp(0, 0, 1);
  renderer.ResetCameraClippingRange();
}

void zoom(vtkRenderer& renderer, double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) {
    throw Error(fmt::format("A zoom by {} is not possible; the factor must be positive.", factor));
  }
  auto* camera = renderer.GetActiveCamera();
  if (camera->GetParallelProjection()) {
    camera->SetParallelScale(camera->GetParallelScale() / factor);
  } else {
    camera->Dolly(factor);
  }
  renderer.ResetCameraClippingRange();
}

double view_height(vtkRenderer& renderer) {
  auto* camera = renderer.GetActiveCamera();
  return camera->GetParallelProjection()
             ? 2 * camera->GetParallelScale()
             : 2 * camera->GetDistance() * std::tan(vtkMath::RadiansFromDegrees(camera->GetViewAngle()) / 2);
}

void pan(vtkRenderer& renderer, double right, double up) {
  auto* camera = renderer.GetActiveCamera();
  const double height = view_height(renderer);
  const Eigen::Matrix3d frame = frame_of(*camera);
  const Vector3d shift = -height * (right * frame.col(0) + up * frame.col(1));
  const Vector3d focal = vector_of(camera->GetFocalPoint()) + shift;
  const Vector3d position = vector_of(camera->GetPosition()) + shift;
  camera->SetFocalPoint(focal.data());
  camera->SetPosition(position.data());
  renderer.ResetCameraClippingRange();
}

std::string camera_text(vtkRenderer& renderer) {
  auto* camera = renderer.GetActiveCamera();
  std::vector<double> numbers;
  for (const double* part : {camera->GetPosition(), camera->GetFocalPoint(), camera->GetViewUp()}) {
    numbers.insert(numbers.end(), part, part + 3);
  }
  if (camera->GetParallelProjection()) numbers.push_back(camera->GetParallelScale());
  std::string text;
  for (const double number : numbers) text += fmt::format("{}{:.7g}", text.empty() ? "" : ",", number + 0.0);
  return text;
}

namespace {

std::vector<double> numbers_of(std::string_view text) {
  std::vector<double> numbers = numbers_in(text);
  const bool all_finite = std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
  return all_finite ? numbers : std::vector<double>();
}

}  // namespace

void set_camera(vtkRenderer& renderer, std::string_view text) {
  if (std::find(view_presets().begin(), view_presets().end(), text) != view_presets().end()) {
    view_from(renderer, text);
    return;
  }
  const auto numbers = numbers_of(text);
  const bool parallel = numbers.size() == 10;
  if (numbers.size() != 9 && !parallel) {
    throw Error(fmt::format(
        "Expected a camera as 9 or 10 numbers px,py,pz,fx,fy,fz,ux,uy,uz[,scale], or one of {}; found {}.",
        fmt::join(view_presets(), ", "), quoted(text)));
  }
  const Vector3d position = vector_of(numbers.data());
  const Vector3d focal = vector_of(numbers.data() + 3);
  const Vector3d up = vector_of(numbers.data() + 6);
  if ((position - focal).cross(up).norm() <= 1e-9 * (position - focal).norm() * up.norm()) {
    throw Error(
        fmt::format("The camera {} has no direction: position and focal point must differ, and up must not "
                    "be parallel to the line of sight.",
                    quoted(text, 120)));
  }
  if (parallel && numbers[9] <= 0)
    throw Error(fmt::format("The camera's scale {} must be positive.", numbers[9]));
  auto* camera = renderer.GetActiveCamera();
  camera->SetPosition(position.data());
  camera->SetFocalPoint(focal.data());
  camera->SetViewUp(up.data());
  camera->SetParallelProjection(parallel);
  if (parallel) camera->SetParallelScale(numbers[9]);
  renderer.ResetCameraClippingRange();
}

}  // namespace isolume::scene
