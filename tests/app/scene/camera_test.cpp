#include "app/scene/cameras/camera.h"

#include <cmath>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkCubeSource.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkPolyDataMapper.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>

#include "core/base/error.h"

namespace isolume::scene {
namespace {

using Eigen::Vector3d;

/// A box of 6 x 4 x 1 angstrom about a place.
void add_box(vtkRenderer& renderer, const Vector3d& centre = Vector3d::Zero(), double scale = 1) {
  vtkNew<vtkCubeSource> box;
  box->SetXLength(6 * scale);
  box->SetYLength(4 * scale);
  box->SetZLength(scale);
  box->SetCenter(centre.x(), centre.y(), centre.z());
  box->Update();
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(box->GetOutput());
  vtkNew<vtkActor> actor;
  actor->SetMapper(mapper);
  renderer.AddActor(actor);
}

Vector3d vector_of(const double* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

Vector3d toward_camera(vtkRenderer& renderer) {
  auto* camera = renderer.GetActiveCamera();
  return (vector_of(camera->GetPosition()) - vector_of(camera->GetFocalPoint())).normalized();
}

void expect_near(const Vector3d& found, const Vector3d& expected) {
  EXPECT_LT((found - expected).norm(), 1e-6)
      << "found " << found.transpose() << ", expected " << expected.transpose();
}

/// Where a place is seen, from the middle of the picture, in units of half its height.
Eigen::Vector2d seen(vtkRenderer& renderer, const Vector3d& place) {
  auto* camera = renderer.GetActiveCamera();
  const Vector3d toward = toward_camera(renderer);
  const Vector3d up = vector_of(camera->GetViewUp());
  const Vector3d right = up.cross(toward).normalized();
  const Vector3d from_focal = place - vector_of(camera->GetFocalPoint());
  const double half_height =
      camera->GetParallelProjection()
          ? camera->GetParallelScale()
          : (camera->GetDistance() - from_focal.dot(toward)) * std::tan(camera->GetViewAngle() / 360 * M_PI);
  return Eigen::Vector2d(from_focal.dot(right), from_focal.dot(toward.cross(right))) / half_height;
}

TEST(Camera, PresetsLookFromWhereTheirNamesSay) {
  vtkNew<vtkRenderer> renderer;
  const Vector3d centre(1, 2, 3);
  add_box(*renderer, centre);
  const std::vector<std::pair<std::string, Vector3d>> expected{{"front", {0, -1, 0}}, {"back", {0, 1, 0}},
                                                               {"left", {-1, 0, 0}},  {"right", {1, 0, 0}},
                                                               {"top", {0, 0, 1}},    {"bottom", {0, 0, -1}}};
  for (const auto& [name, direction] : expected) {
    view_from(*renderer, name);
    expect_near(toward_camera(*renderer), direction);
    expect_near(vector_of(renderer->GetActiveCamera()->GetFocalPoint()), centre);
  }
  view_from(*renderer, "isometric");
  EXPECT_NEAR(toward_camera(*renderer).z(), 1 / std::sqrt(3), 1e-6);
}

TEST(Camera, WidestLooksAlongTheThinnestDirection) {
  for (const Vector3d& axis : {Vector3d(0, 0, 1), Vector3d(1, 2, 3).normalized()}) {
    vtkNew<vtkRenderer> renderer;
    add_box(*renderer);
    const auto turn = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), axis);
    const Eigen::AngleAxisd rotation(turn);
    vtkActor* actor = vtkActor::SafeDownCast(renderer->GetViewProps()->GetItemAsObject(0));
    actor->RotateWXYZ(rotation.angle() * 180 / M_PI, rotation.axis().x(), rotation.axis().y(),
                      rotation.axis().z());
    view_from(*renderer, "widest");
    EXPECT_NEAR(std::abs(toward_camera(*renderer).dot(axis)), 1, 1e-6);
    // The longest side lies across the picture.
    const Vector3d longest = turn * Vector3d::UnitX();
    EXPECT_NEAR(vector_of(renderer->GetActiveCamera()->GetViewUp()).dot(longest), 0, 1e-6);
  }
}

vtkSmartPointer<vtkGenericOpenGLRenderWindow> sized(vtkRenderer& renderer, int width, int height) {
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  window->SetReadyForRendering(false);
  window->SetSize(width, height);
  window->AddRenderer(&renderer);
  return {window};
}

TEST(Camera, APictureShowsWhatTheViewShowsWhateverTheirShapes) {
  vtkNew<vtkRenderer> view, picture;
  add_box(*view);
  add_box(*picture);
  const auto narrow = sized(*view, 300, 600);
  const auto wide = sized(*picture, 800, 600);
  for (const bool orthographic : {false, true}) {
    set_orthographic(*view, orthographic);
    view_from(*view, "top");
    look_like(*view, *picture);
    // The box is 6 wide: the narrow view holds it with much room above, the wide picture without.
    EXPECT_LT(view_height(*picture), 0.6 * view_height(*view));
    EXPECT_LT(seen(*picture, {3, 2, 0.5}).x(), 800.0 / 600);
    EXPECT_LT(seen(*picture, {3, 2, 0.5}).y(), 1);
    EXPECT_GT(seen(*picture, {3, 2, 0.5}).x(), 0.6 * 800 / 600);
    // A person's own margin stays: half as large in both.
    zoom(*view, 0.5);
    const double fitted = view_height(*picture);
    look_like(*view, *picture);
    EXPECT_NEAR(view_height(*picture) / fitted, 2, 0.01);
    // A part is shown as that part.
    zoom(*view, 16);
    look_like(*view, *picture);
    EXPECT_NEAR(view_height(*picture), view_height(*view), 1e-6);
  }
  narrow->RemoveRenderer(view);
  wide->RemoveRenderer(picture);
}

TEST(Camera, ANarrowerPictureContainsAlsoTheFarEndOfWhatAWideViewShows) {
  vtkNew<vtkRenderer> view, picture;
  add_box(*view);
  add_box(*picture);
  const auto wide = sized(*view, 1200, 600);
  const auto square = sized(*picture, 600, 600);
  view_from(*view, "front");
  // The near end of the box is wider than the view, and its far corners are just inside.
  const double slope = std::tan(view->GetActiveCamera()->GetViewAngle() / 360 * M_PI);
  stand_at(*view, {3 / (1.95 * slope) - 2, 1});
  EXPECT_GT(seen(*view, {3, -2, 0.5}).x(), 2);
  EXPECT_NEAR(seen(*view, {3, 2, 0.5}).x(), 1.95, 1e-6);
  look_like(*view, *picture);
  EXPECT_NEAR(seen(*picture, {3, 2, 0.5}).x(), 1.95 / 2, 1e-5);
  EXPECT_NEAR(seen(*picture, {-3, 2, -0.5}).x(), -1.95 / 2, 1e-5);
  wide->RemoveRenderer(view);
  square->RemoveRenderer(picture);
}

TEST(Camera, EveryPresetFitsTheSceneIntoThePicture) {
  for (const bool parallel : {false, true}) {
    vtkNew<vtkRenderer> renderer;
    add_box(*renderer, {5, 0, 0});
    set_orthographic(*renderer, parallel);
    for (const auto& preset : view_presets()) {
      view_from(*renderer, preset);
      double largest = 0;
      for (int i = 0; i < 8; ++i) {
        const Vector3d corner((i & 1) ? 8 : 2, (i & 2) ? 2 : -2, (i & 4) ? 0.5 : -0.5);
        const auto place = seen(*renderer, corner);
        largest = std::max({largest, std::abs(place.y()), std::abs(place.x()) / (4.0 / 3.0)});
      }
      EXPECT_LT(largest, 0.95) << preset;
      EXPECT_GT(largest, 0.6) << preset;
    }
  }
}

TEST(Camera, ASceneOfAFewThousandthsFillsThePictureToo) {
  vtkNew<vtkRenderer> renderer;
  add_box(*renderer, Vector3d::Zero(), 1e-3);
  for (const bool parallel : {false, true}) {
    set_orthographic(*renderer, parallel);
    view_from(*renderer, "front");
    const double right = seen(*renderer, {3e-3, -2e-3, 0.5e-3}).x() / (4.0 / 3.0);
    EXPECT_GT(right, 0.6);
    EXPECT_LT(right, 0.95);
  }
}

TEST(Camera, AnUnknownViewNamesTheViewsThereAre) {
  vtkNew<vtkRenderer> renderer;
  try {
    view_from(*renderer, "sideways");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sideways"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("isometric, widest"), std::string::npos);
  }
}

TEST(Camera, AnEmptySceneIsNoMistake) {
  vtkNew<vtkRenderer> renderer;
  for (const auto& preset : view_presets()) view_from(*renderer, preset);
  reset_camera(*renderer);
  EXPECT_TRUE(std::isfinite(renderer->GetActiveCamera()->GetDistance()));
}

TEST(Camera, OrbitTurnsTheSceneToTheRightAndUp) {
  vtkNew<vtkRenderer> renderer;
  add_box(*renderer);
  view_from(*renderer, "front");
  const Vector3d near_point(0, -2, 0);
  orbit(*renderer, 20, 0);
  EXPECT_GT(seen(*renderer, near_point).x(), 0.05);
  EXPECT_NEAR(seen(*renderer, near_point).y(), 0, 1e-9);
  view_from(*renderer, "front");
  orbit(*renderer, 0, 20);
  EXPECT_GT(seen(*renderer, near_point).y(), 0.05);
  EXPECT_NEAR(seen(*renderer, near_point).x(), 0, 1e-9);
}

TEST(Camera, ZoomEnlargesByItsFactor) {
  for (const bool parallel : {false, true}) {
    vtkNew<vtkRenderer> renderer;
    add_box(*renderer);
    set_orthographic(*renderer, parallel);
    view_from(*renderer, "front");
    const Vector3d on_focal_plane(1, 0, 0);
    const double before = seen(*renderer, on_focal_plane).x();
    zoom(*renderer, 2);
    EXPECT_NEAR(seen(*renderer, on_focal_plane).x(), 2 * before, 1e-9);
    EXPECT_THROW(zoom(*renderer, 0), Error);
    EXPECT_THROW(zoom(*renderer, -1), Error);
  }
}

TEST(Camera, PanMovesTheSceneByFractionsOfTheHeight) {
  for (const bool parallel : {false, true}) {
    vtkNew<vtkRenderer> renderer;
    add_box(*renderer);
    set_orthographic(*renderer, parallel);
    view_from(*renderer, "front");
    pan(*renderer, 0.25, -0.1);
    EXPECT_NEAR(seen(*renderer, Vector3d::Zero()).x(), 0.5, 1e-9);
    EXPECT_NEAR(seen(*renderer, Vector3d::Zero()).y(), -0.2, 1e-9);
  }
}

TEST(Camera, OrthographicKeepsTheSizeOfTheFocalPlane) {
  vtkNew<vtkRenderer> renderer;
  add_box(*renderer);
  view_from(*renderer, "isometric");
  const Vector3d on_focal_plane = vector_of(renderer->GetActiveCamera()->GetFocalPoint()) + Vector3d(1, 1, 0);
  const auto before = seen(*renderer, on_focal_plane);
  set_orthographic(*renderer, true);
  EXPECT_TRUE(orthographic(*renderer));
  EXPECT_LT((seen(*renderer, on_focal_plane) - before).norm(), 1e-9);
  set_orthographic(*renderer, false);
  EXPECT_FALSE(orthographic(*renderer));
  EXPECT_LT((seen(*renderer, on_focal_plane) - before).norm(), 1e-9);
}

TEST(Camera, TextGivesTheSameCameraBack) {
  for (const bool parallel : {false, true}) {
    vtkNew<vtkRenderer> renderer;
    add_box(*renderer);
    view_from(*renderer, "isometric");
    orbit(*renderer, 13, -21);
    set_orthographic(*renderer, parallel);
    const auto text = camera_text(*renderer);
    vtkNew<vtkRenderer> other;
    add_box(*other);
    set_camera(*other, text);
    EXPECT_EQ(camera_text(*other), text);
    EXPECT_EQ(orthographic(*other), parallel);
    EXPECT_LT((toward_camera(*other) - toward_camera(*renderer)).norm(), 1e-6);
    EXPECT_LT((seen(*other, {1, 2, 3}) - seen(*renderer, {1, 2, 3})).norm(), 1e-6);
  }
}

TEST(Camera, TextMayBeNumbersOrAPreset) {
  vtkNew<vtkRenderer> renderer;
  add_box(*renderer);
  set_camera(*renderer, "0,0,10, 0,0,0, 0,1,0");
  expect_near(toward_camera(*renderer), Vector3d::UnitZ());
  EXPECT_EQ(camera_text(*renderer), "0,0,10,0,0,0,0,1,0");
  set_camera(*renderer, "0,0,10,0,0,0,0,1,0,2.5");
  EXPECT_EQ(renderer->GetActiveCamera()->GetParallelScale(), 2.5);
  set_camera(*renderer, "left");
  expect_near(toward_camera(*renderer), -Vector3d::UnitX());
}

TEST(Camera, BadTextIsRefusedAndChangesNothing) {
  vtkNew<vtkRenderer> renderer;
  add_box(*renderer);
  view_from(*renderer, "isometric");
  const auto before = camera_text(*renderer);
  for (const auto* text : {"", "1,2,3", "0,0,10,0,0,0,0,1,x", "0,0,10,0,0,0,0,1,nan", "0,0,10,0,0,10,0,1,0",
                           "0,0,10,0,0,0,0,0,1", "0,0,10,0,0,0,0,1,0,-1", "1;2;3;4;5;6;7;8;9", "Front"}) {
    EXPECT_THROW(set_camera(*renderer, text), Error) << text;
  }
  EXPECT_EQ(camera_text(*renderer), before);
}

}  // namespace
}  // namespace isolume::scene
