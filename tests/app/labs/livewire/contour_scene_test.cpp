#include "app/labs/livewire/views/contour_scene.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkDataArray.h>
#include <vtkIdList.h>
#include <vtkImageData.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkPLYReader.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkSTLReader.h>
#include <vtkStringArray.h>
#include <vtkXMLPolyDataReader.h>

#include "app/labs/livewire/views/contour_lines.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/files/image.h"
#include "app/scene/surfaces/label_surface.h"
#include "core/base/error.h"
#include "tests/app/scene/baseline.h"
#include "tests/core/contours/shapes.h"
#include "tests/full_disk.h"
#include "tests/temporary_folder.h"

namespace isolume::labs::livewire {
namespace {

using contours::Contour;
using contours::ContourSet;
using contours::testing::closed;
using contours::testing::volume_of;
using Eigen::Vector3d;
using std::numbers::pi;

/// Slices of 3 mm, turned out of the patient's axes.
images::Geometry oblique() {
  images::Geometry geometry;
  geometry.dimensions = {80, 70, 30};
  geometry.set_spacing({0.8, 1, 3});
  geometry.origin = {-40, 20, 500};
  geometry.set_directions(Eigen::AngleAxisd(0.5, Vector3d(1, 2, -1).normalized()).toRotationMatrix());
  return geometry;
}

images::Geometry left_handed() {
  auto geometry = oblique();
  geometry.step.col(2) *= -1;
  return geometry;
}

Vector3d middle(const images::Geometry& geometry) {
  return geometry.position(Vector3d(39.3, 34.6, 14.4));
}

/// The voxels inside an ellipsoid along the image's axes.
contours::LabelMask ellipsoid(const images::Geometry& geometry, const Vector3d& radii_mm) {
  const Vector3d centre = middle(geometry);
  contours::LabelMask mask{.low = {0, 0, 0}, .size = geometry.dimensions, .values = {}};
  for (int k = 0; k < geometry.dimensions[2]; ++k) {
    for (int j = 0; j < geometry.dimensions[1]; ++j) {
      for (int i = 0; i < geometry.dimensions[0]; ++i) {
        const Vector3d away =
            geometry.directions().transpose() * (geometry.position(Vector3d(i, j, k)) - centre);
        mask.values.push_back(away.cwiseQuotient(radii_mm).norm() <= 1 ? 1 : 0);
      }
    }
  }
  return mask;
}

Vector3d point(vtkPolyData& mesh, vtkIdType index) {
  Vector3d place;
  mesh.GetPoint(index, place.data());
  return place;
}

std::array<Vector3d, 3> corners(vtkPolyData& mesh, vtkIdType triangle) {
  vtkNew<vtkIdList> ids;
  mesh.GetCellPoints(triangle, ids);
  return {point(mesh, ids->GetId(0)), point(mesh, ids->GetId(1)), point(mesh, ids->GetId(2))};
}

/// By Gauss's theorem: positive where triangles run counter-clockwise seen from outside.
double volume_in(vtkPolyData& mesh) {
  double volume = 0;
  const Vector3d origin = point(mesh, 0);
  for (vtkIdType cell = 0; cell < mesh.GetNumberOfCells(); ++cell) {
    const auto [a, b, c] = corners(mesh, cell);
    volume += (a - origin).dot((b - origin).cross(c - origin)) / 6;
  }
  return volume;
}

void expect_closed(vtkPolyData& mesh) {
  std::map<std::pair<vtkIdType, vtkIdType>, int> edges;
  vtkNew<vtkIdList> ids;
  for (vtkIdType cell = 0; cell < mesh.GetNumberOfCells(); ++cell) {
    mesh.GetCellPoints(cell, ids);
    for (int k = 0; k < 3; ++k) ++edges[{ids->GetId(k), ids->GetId((k + 1) % 3)}];
  }
  for (const auto& [edge, count] : edges) {
    ASSERT_EQ(count, 1);
    ASSERT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

TEST(LabelSurface, SphereAndEllipsoidHaveTheirVolume) {
  for (const auto& geometry : {oblique(), left_handed()}) {
    for (const Vector3d& radii_mm : {Vector3d(20, 20, 20), Vector3d(25, 12, 30)}) {
      const auto mesh = scene::surface_of_label(ellipsoid(geometry, radii_mm), geometry);
      ASSERT_GT(mesh->GetNumberOfPolys(), 1000);
      const double expected = 4.0 / 3 * pi * radii_mm.prod();
      EXPECT_NEAR(volume_in(*mesh), expected, 0.02 * expected);
      expect_closed(*mesh);
    }
  }
}

TEST(LabelSurface, HasNoStairs) {
  constexpr double radius = 22;
  for (const auto& geometry : {oblique(), left_handed()}) {
    const auto mesh = scene::surface_of_label(ellipsoid(geometry, Vector3d::Constant(radius)), geometry);
    double squares = 0, least_cosine = 1;
    for (vtkIdType i = 0; i < mesh->GetNumberOfPoints(); ++i) {
      const Vector3d out = point(*mesh, i) - middle(geometry);
      Vector3d normal;
      mesh->GetPointData()->GetNormals()->GetTuple(i, normal.data());
      squares += std::pow(out.norm() - radius, 2);
      least_cosine = std::min(least_cosine, normal.dot(out.normalized()));
    }
    EXPECT_LT(std::sqrt(squares / static_cast<double>(mesh->GetNumberOfPoints())), 0.35);  // mm
    EXPECT_GT(least_cosine, std::cos(20 * pi / 180));  // the voxels' own sides lie up to 55 degrees off
  }
}

TEST(LabelSurface, OfContoursUpToTheImagesRim) {
  images::Geometry geometry;
  geometry.dimensions = {40, 40, 10};
  geometry.set_spacing({1, 1, 2});
  ContourSet set;
  set.put_label({.value = 2, .name = "Empty"});
  for (int k = 0; k < 10; ++k) {
    set.add(closed(contours::testing::circle({19.7, 20.2}, 12, 200), {2, k}, 7));
  }
  const auto surfaces = surfaces_of(set, geometry);
  ASSERT_EQ(surfaces.size(), 1U);
  EXPECT_EQ(surfaces[0].label.value, 7);
  expect_closed(*surfaces[0].mesh);
  EXPECT_NEAR(volume_in(*surfaces[0].mesh), pi * 144 * 20, 0.02 * pi * 144 * 20);
  EXPECT_EQ(scene::surface_of_label({}, oblique())->GetNumberOfPolys(), 0);
}

TEST(LabelSurface, HasTheVolumeOfItsVoxelsHoweverFlatOrSmall) {
  images::Geometry geometry;
  geometry.dimensions = {64, 64, 12};
  geometry.set_spacing({0.9, 0.9, 5});
  const double voxel_mm3 = 0.9 * 0.9 * 5;
  ContourSet set;
  set.add(closed(contours::testing::rectangle(10, 12, 50, 52), {2, 6}, 1));  // one slice of 1600 voxels
  set.add(closed(contours::testing::rectangle(20, 20, 22, 22), {2, 3}, 2));  // four voxels
  set.add(closed(contours::testing::rectangle(10, 10, 40, 11), {2, 4}, 3));  // a line of thirty
  set.add(closed(contours::testing::rectangle(5, 5, 60, 60), {2, 6}, 4));    // covers the first
  const auto surfaces = surfaces_of(set, geometry);
  ASSERT_EQ(surfaces.size(), 4U);
  const std::array<double, 4> voxels{1600, 4, 30, 55 * 55};
  for (std::size_t i = 0; i < 4; ++i) {
    expect_closed(*surfaces[i].mesh);
    EXPECT_NEAR(volume_in(*surfaces[i].mesh), voxels[i] * voxel_mm3, 0.002 * voxels[i] * voxel_mm3) << i;
  }
}

TEST(LabelSurface, StopsWhenCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(scene::surface_of_label(ellipsoid(oblique(), {5, 5, 5}), oblique(), {stop.get_token(), {}}),
               Cancelled);
}

/// Two labels: a ball with a hole through it, and a small one with an open line; and a suggestion.
ContourSet organs() {
  ContourSet set;
  set.put_label({.value = 1, .name = "Liver", .colour = "#e69f00"});
  set.put_label({.value = 2, .name = "Gallbladder", .colour = "#009e73"});
  for (int k = 5; k <= 23; ++k) {
    const double radius_mm = std::sqrt(std::max(900 - std::pow(3 * (k - 14), 2), 0.0));
    set.add(closed(contours::testing::ellipse({34, 34}, {radius_mm / 0.8, radius_mm}, 120), {2, k}, 1));
    set.add(
        closed(contours::testing::ellipse({30, 34}, {8, 6}, 60), {2, k}, 1, contours::Combination::subtract));
  }
  for (int k = 12; k <= 16; ++k) {
    set.add(closed(contours::testing::ellipse({74, 60}, {5, 8}, 60), {2, k}, 2));
  }
  set.add(contours::contour_from_outline({{2, 2}, {30, 5}, {60, 2}}, {2, 14}, false, 2));
  auto suggestion = closed(contours::testing::ellipse({74, 60}, {4, 7}, 60), {2, 17}, 2);
  suggestion.suggestion = true;
  set.add(suggestion);
  return set;
}

/// Grey levels from 0 to 240; bright in the quarter of small i and large j.
images::Volume picture_of_quarters() {
  return volume_of<std::int16_t>(oblique(), images::PixelType::int16, [](int i, int j, int k) {
    return (i < 40 && j >= 35 ? 160 : 40) + (i / 10 + j / 10 + k) % 2 * 40;
  });
}

struct Stage {
  vtkNew<vtkRenderer> renderer;
  ContourScene scene{*renderer};
  ContourView view;

  vtkSmartPointer<vtkImageData> picture() {
    scene::ImageOptions options;
    options.width = 480;
    options.height = 360;
    return scene::render_offscreen(*renderer, options);
  }
};

TEST(ContourScene, LooksAsLookedAt) {
  Stage stage;
  const auto image = picture_of_quarters();
  stage.scene.set_image(image.geometry);
  stage.scene.set_contours(organs());
  stage.scene.set_surfaces(surfaces_of(organs(), oblique()));
  stage.scene.set_slice(image, {2, 14}, {.centre = 120, .width = 240, .name = {}});
  scene::view_from(*stage.renderer, "isometric");
  scene::expect_like_baseline(*stage.picture(), "contours", scene::likeness::small);
  stage.view.surface_opacity = 0.35;
  stage.scene.set_view(stage.view, true);
  scene::expect_like_baseline(*stage.picture(), "contours-dark", scene::likeness::small);
  stage.view.surfaces = stage.view.slice = false;
  stage.scene.set_view(stage.view, false);
  scene::expect_like_baseline(*stage.picture(), "contours-lines", scene::likeness::small);
}

/// The picture's pixel where a place in mm is seen.
std::array<int, 2> pixel_of(vtkRenderer& renderer, const Vector3d& place_mm) {
  const auto* matrix = renderer.GetActiveCamera()->GetCompositeProjectionTransformMatrix(480.0 / 360, 0, 1);
  std::array<double, 4> in{place_mm.x(), place_mm.y(), place_mm.z(), 1}, seen{};
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column) {
      seen[static_cast<std::size_t>(row)] +=
          matrix->GetElement(row, column) * in[static_cast<std::size_t>(column)];
    }
  }
  return {static_cast<int>((seen[0] / seen[3] + 1) / 2 * 480),
          static_cast<int>((seen[1] / seen[3] + 1) / 2 * 360)};
}

std::array<int, 3> colour_at(vtkRenderer& renderer, vtkImageData& picture, const Vector3d& place_mm) {
  const auto [x, y] = pixel_of(renderer, place_mm);
  const auto* pixel = static_cast<const unsigned char*>(picture.GetScalarPointer(x, y, 0));
  return {pixel[0], pixel[1], pixel[2]};
}

TEST(ContourScene, SliceLiesWhereItsVoxelsAre) {
  const auto geometry = oblique();
  for (const int axis : {0, 1, 2}) {
    // One bright voxel in the dark: 3 x 3 on the slice, so that the texture's interpolation leaves it bright.
    const std::array<int, 3> bright{17, 52, 21};
    const auto volume = volume_of<std::uint8_t>(geometry, images::PixelType::uint8, [&](int i, int j, int k) {
      return std::max({std::abs(i - bright[0]), std::abs(j - bright[1]), std::abs(k - bright[2])}) <= 1 ? 255
                                                                                                        : 0;
    });
    Stage stage;
    stage.scene.set_image(volume.geometry);
    stage.scene.set_slice(volume, {axis, bright[static_cast<std::size_t>(axis)]},
                          {.centre = 127.5, .width = 255, .name = {}});
    stage.view.box = stage.view.annotations = false;
    stage.scene.set_view(stage.view, false);
    scene::view_from(*stage.renderer, "isometric");
    const auto picture = stage.picture();
    const Vector3d index(bright[0], bright[1], bright[2]);
    EXPECT_GT(colour_at(*stage.renderer, *picture, geometry.position(index))[0], 230);
    for (const double sign : {-1.0, 1.0}) {
      for (int other = 0; other < 3; ++other) {
        if (other == axis) continue;
        const Vector3d beside = index + 5 * sign * Vector3d::Unit(other);
        EXPECT_LT(colour_at(*stage.renderer, *picture, geometry.position(beside))[0], 25);
      }
    }
  }
}

TEST(ContourScene, AContourInTheSliceIsWholeHoweverSteeplyItIsSeen) {
  const auto image = picture_of_quarters();
  ContourSet set;
  set.put_label({.value = 1, .name = "Liver", .colour = "#e69f00"});
  set.add(closed(contours::testing::ellipse({40, 34}, {30, 25}, 400), {2, 14}, 1));
  Stage stage;
  stage.view.annotations = stage.view.box = false;
  stage.scene.set_view(stage.view, true);
  stage.scene.set_image(image.geometry);
  stage.scene.set_contours(set);
  stage.scene.set_slice(image, {2, 14}, {.centre = 120, .width = 240, .name = {}});
  const auto plane = images::slice_plane(image.geometry, {2, 14});
  for (int step = 0; step < 8; ++step) {
    scene::view_from(*stage.renderer, "front");
    scene::orbit(*stage.renderer, 13 * step, -3 - 11 * step);
    scene::reset_camera(*stage.renderer);
    const auto places_seen = [&](bool with_slice) {
      stage.view.slice = with_slice;
      stage.scene.set_view(stage.view, true);
      const auto picture = stage.picture();
      int places = 0;
      for (const auto& place : set.contours().front()->outline()) {
        const auto [x, y] = pixel_of(*stage.renderer, plane.position(place));
        bool seen = false;
        for (int off = 0; off < 9; ++off) {
          const auto* pixel = static_cast<const unsigned char*>(
              picture->GetScalarPointer(x - 1 + off % 3, y - 1 + off / 3, 0));
          seen |= pixel[0] > pixel[2] + 150;  // nearly the pure colour
        }
        places += seen;
      }
      return places;
    };
    const int alone = places_seen(false);
    EXPECT_GT(alone, 350);
    EXPECT_EQ(places_seen(true), alone) << "seen from " << 3 + 11 * step << " degrees above the slice";
  }
}

TEST(ContourScene, ASliceHidesTheContoursBelowIt) {
  const auto image = picture_of_quarters();
  ContourSet below, all;
  for (const int index : {12, 13, 14}) {
    for (auto* set : {&below, &all}) {
      set->put_label({.value = 1, .name = "Liver", .colour = "#e69f00"});
      if (index < 14 || set == &all)
        set->add(closed(contours::testing::ellipse({40, 34}, {10, 8}, 400), {2, index}, 1));
    }
  }
  const auto plane = images::slice_plane(image.geometry, {2, 14});
  const auto next = images::slice_plane(image.geometry, {2, 15});
  const Eigen::Vector3d up = (next.corner - plane.corner).normalized();
  Stage stage;
  stage.view.annotations = stage.view.box = false;
  stage.scene.set_view(stage.view, true);
  stage.scene.set_image(image.geometry);
  stage.scene.set_slice(image, {2, 14}, {.centre = 120, .width = 240, .name = {}});
  const auto places_seen = [&](const ContourSet& set) {
    stage.scene.set_contours(set);
    const auto picture = stage.picture();
    int places = 0;
    for (int y = 0; y < 360; ++y) {
      for (int x = 0; x < 480; ++x) {
        const auto* pixel = static_cast<const unsigned char*>(picture->GetScalarPointer(x, y, 0));
        places += pixel[0] > pixel[2] + 150;
      }
    }
    return places;
  };
  for (const double degrees : {10.0, 35.0, 55.0, 70.0}) {
    for (const bool parallel : {false, true}) {
      auto* camera = stage.renderer->GetActiveCamera();
      const Eigen::Vector3d centre = plane.position({40, 34});
      const Eigen::Vector3d side = plane.along.normalized();
      const double angle = degrees * std::numbers::pi / 180;
      const Eigen::Vector3d from = centre + 600 * (std::cos(angle) * up + std::sin(angle) * side);
      camera->SetFocalPoint(centre.x(), centre.y(), centre.z());
      camera->SetPosition(from.x(), from.y(), from.z());
      camera->SetViewUp(plane.across.normalized().x(), plane.across.normalized().y(),
                        plane.across.normalized().z());
      camera->SetParallelProjection(parallel);
      scene::reset_camera(*stage.renderer);
      EXPECT_EQ(places_seen(below), 0) << degrees << " degrees off, parallel: " << parallel;
      EXPECT_GT(places_seen(all), 80) << degrees << " degrees off, parallel: " << parallel;
    }
  }
}

TEST(ContourScene, ThePatientIsSeenFromTheFrontAndContoursFillThePicture) {
  const auto image = picture_of_quarters();
  Stage stage;
  stage.scene.set_image(image.geometry);
  stage.scene.face_patient();
  auto* camera = stage.renderer->GetActiveCamera();
  EXPECT_LT(camera->GetDirectionOfProjection()[2], 0) << "from above";
  EXPECT_GT(camera->GetDirectionOfProjection()[1], 0.7) << "towards the back";
  EXPECT_GT(camera->GetViewUp()[2], 0.7) << "the head is up";
  const double of_the_image = camera->GetDistance();
  ContourSet set;
  set.put_label({.value = 1, .name = "Liver", .colour = "#e69f00"});
  set.add(closed(contours::testing::ellipse({40, 34}, {8, 6}, 60), {2, 14}, 1));
  stage.scene.set_contours(set);
  stage.scene.set_slice(image, {2, 14}, {.centre = 120, .width = 240, .name = {}});
  stage.scene.face_patient();
  EXPECT_LT(camera->GetDistance(), 0.5 * of_the_image);
}

/// Light letters of a dark view, in front of a slice that is as light.
TEST(ContourScene, LettersAreLegibleInFrontOfALightSlice) {
  const auto image = picture_of_quarters();
  Stage stage;
  stage.view.box = false;
  stage.scene.set_view(stage.view, true);
  stage.scene.set_image(image.geometry);
  stage.scene.set_slice(image, {2, 14}, {.centre = -1e4, .width = 1, .name = {}});  // white everywhere
  const auto plane = images::slice_plane(image.geometry, {2, 14});
  const auto next = images::slice_plane(image.geometry, {2, 15});
  const Vector3d across = (next.corner - plane.corner).normalized(), middle = plane.position({40, 34}),
                 from = middle + 20 * across;
  auto* camera = stage.renderer->GetActiveCamera();
  camera->SetFocalPoint(middle.x(), middle.y(), middle.z());
  camera->SetPosition(from.x(), from.y(), from.z());
  camera->SetViewUp(plane.across.normalized().x(), plane.across.normalized().y(),
                    plane.across.normalized().z());
  stage.renderer->ResetCameraClippingRange();
  const auto picture = stage.picture();
  const auto dark_in = [&](int first, int end) {
    int dark = 0;
    for (int y = 0; y < 120; ++y) {
      for (int x = first; x < end; ++x) {
        const auto* pixel = static_cast<const unsigned char*>(picture->GetScalarPointer(x, y, 0));
        dark += std::max({pixel[0], pixel[1], pixel[2]}) < 130;
      }
    }
    return dark;
  };
  const auto* corner = static_cast<const unsigned char*>(picture->GetScalarPointer(240, 300, 0));
  ASSERT_GT(corner[0], 250) << "the slice fills the picture";
  EXPECT_GT(dark_in(0, 120), 100) << "axes";
  EXPECT_GT(dark_in(360, 480), 100) << "scale bar";
}

TEST(ContourScene, HidesWhatIsHidden) {
  auto set = organs();
  Stage stage;
  stage.view.annotations = stage.view.box = false;
  stage.scene.set_view(stage.view, false);
  stage.scene.set_image(picture_of_quarters().geometry);
  stage.scene.set_contours(set);
  scene::view_from(*stage.renderer, "isometric");
  const auto all = stage.picture();
  auto hidden = *set.label(2);
  hidden.visible = false;
  set.put_label(hidden);
  stage.scene.set_contours(set);
  const auto without = stage.picture();
  EXPECT_LT(scene::structural_similarity(*all, *without), 0.999);
  hidden.value = 1;
  set.put_label(hidden);
  stage.scene.set_contours(set);
  const auto nothing = stage.picture();
  for (vtkIdType i = 0; i < nothing->GetNumberOfPoints(); ++i) {
    ASSERT_EQ(nothing->GetPointData()->GetScalars()->GetComponent(i, 0), 255);
  }
}

TEST(ExportContours, WritesPlacesInMmAndWhatTheyAre) {
  const isolume::testing::TemporaryFolder folder;
  const auto set = organs();
  const auto geometry = oblique();
  export_contours(set, geometry, folder / "contours.vtp");
  vtkNew<vtkXMLPolyDataReader> reader;
  reader->SetFileName((folder / "contours.vtp").c_str());
  reader->Update();
  auto& lines = *reader->GetOutput();
  ASSERT_EQ(lines.GetNumberOfLines(), static_cast<vtkIdType>(set.contours().size() - 1));  // no suggestion
  auto& cells = *lines.GetCellData();
  for (vtkIdType cell = 0; cell < lines.GetNumberOfLines(); ++cell) {
    const Contour& contour = *set.contours()[static_cast<std::size_t>(cell)];
    const auto outline = contour.outline();
    vtkNew<vtkIdList> ids;
    lines.GetCellPoints(cell, ids);
    ASSERT_EQ(static_cast<std::size_t>(ids->GetNumberOfIds()), outline.size() + (contour.closed ? 1 : 0));
    const auto& first = outline.front();
    const Vector3d expected = geometry.position(Vector3d(first.x(), first.y(), contour.slice.index));
    EXPECT_LT((point(lines, ids->GetId(0)) - expected).norm(), 1e-9);
    EXPECT_EQ(ids->GetId(0) == ids->GetId(ids->GetNumberOfIds() - 1), contour.closed);
    EXPECT_EQ(cells.GetArray("label")->GetTuple1(cell), contour.label);
    EXPECT_EQ(cells.GetArray("slice")->GetTuple1(cell), contour.slice.index);
    EXPECT_EQ(cells.GetArray("axis")->GetTuple1(cell), 2);
    const auto text = [&](const char* name) {
      return vtkStringArray::SafeDownCast(cells.GetAbstractArray(name))->GetValue(cell);
    };
    EXPECT_EQ(text("name"), contour.name);
    EXPECT_EQ(text("label_name"), set.label(contour.label)->name);
  }
  EXPECT_THROW(export_contours(set, geometry, folder / "contours.txt"), Error);
  EXPECT_THROW(export_contours({}, geometry, folder / "none.vtp"), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "none.vtp"));
}

TEST(ExportSurfaces, ComeBackWithTheirVolume) {
  const isolume::testing::TemporaryFolder folder;
  const auto surfaces = surfaces_of(organs(), oblique());
  ASSERT_EQ(surfaces.size(), 2U);
  const double expected = volume_in(*surfaces[0].mesh) + volume_in(*surfaces[1].mesh);
  const auto read = [&](auto reader, const char* name) {
    export_surfaces(surfaces, folder / name);
    reader->SetFileName((folder / name).c_str());
    reader->Update();
    vtkSmartPointer<vtkPolyData> mesh = reader->GetOutput();
    EXPECT_NEAR(volume_in(*mesh), expected, 1e-4 * expected) << name;
    return mesh;
  };
  read(vtkSmartPointer<vtkSTLReader>::New(), "surfaces.stl");
  read(vtkSmartPointer<vtkPLYReader>::New(), "surfaces.ply");
  const auto mesh = read(vtkSmartPointer<vtkXMLPolyDataReader>::New(), "surfaces.vtp");
  std::array<double, 2> range{};
  mesh->GetPointData()->GetArray("label")->GetRange(range.data());
  EXPECT_EQ(range, (std::array<double, 2>{1, 2}));
  for (const char* name : {"surfaces.stl", "surfaces.ply", "surfaces.vtp"}) {
    const auto whole = std::filesystem::file_size(folder / name);
    for (const std::uintmax_t room : {std::uintmax_t{0}, whole / 2, whole - 1}) {
      const isolume::testing::FileSizeLimit limit(room);
      EXPECT_THROW(export_surfaces(surfaces, folder / name), Error) << name << " in " << room;
    }
    EXPECT_EQ(std::filesystem::file_size(folder / name), whole);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3);
  EXPECT_THROW(export_surfaces(surfaces, folder / "surfaces.obj"), Error);
  EXPECT_THROW(export_surfaces({}, folder / "none.stl"), Error);
}

}  // namespace
}  // namespace isolume::labs::livewire
