#include "app/labs/orbitals/orbital_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>
#include <vtkActor.h>
#include <vtkActorCollection.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkCompositeDataIterator.h>
#include <vtkDataArray.h>
#include <vtkGLTFReader.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkGenericRenderWindowInteractor.h>
#include <vtkImageData.h>
#include <vtkMultiBlockDataSet.h>
#include <vtkNew.h>
#include <vtkPLYReader.h>
#include <vtkPlaneSource.h>
#include <vtkPointData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSTLReader.h>
#include <vtkXMLPolyDataReader.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/cameras/interaction_style.h"
#include "app/scene/cameras/principal_axes.h"
#include "app/scene/drawing/gl_start.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "tests/app/scene/analytic_field.h"
#include "tests/app/scene/baseline.h"

namespace isolume::labs::orbitals {
namespace {

using Eigen::Vector3d;
using Field = std::shared_ptr<const grid::ScalarField>;
using Colour = std::array<double, 3>;

grid::Grid cube_of(double half_side_angstrom, int points) {
  return grid::centred(Vector3d::Zero(), {points, points, points},
                       2 * half_side_angstrom / (points - 1) * units::bohr_per_angstrom);
}

/// A positive ball about (0, 0, 1.5) and a negative one about (0, 0, -1.5).
Field two_balls() {
  auto field = scene::sampled(cube_of(3.5, 57), [](const Vector3d& place) {
    const Vector3d centre(0, 0, 1.5);
    return std::exp(-(place - centre).squaredNorm()) - std::exp(-(place + centre).squaredNorm());
  });
  field.name = "two balls";
  field.unit = "bohr^-3/2";
  return std::make_shared<const grid::ScalarField>(std::move(field));
}

/// Hydrogen fluoride along z, in angstrom.
molecules::Molecule hydrogen_fluoride() {
  molecules::Molecule molecule;
  molecule.atoms = {{1, Vector3d(0, 0, 0.87) * units::bohr_per_angstrom, 1},
                    {9, Vector3d(0, 0, -0.05) * units::bohr_per_angstrom, 9}};
  return molecule;
}

struct Stage {
  vtkNew<vtkRenderer> renderer;
  OrbitalScene scene{*renderer};
  ViewParameters view;

  explicit Stage(const Field& field = nullptr, double isovalue = 0.3) {
    view.scale_bar = false;
    if (field != nullptr) {
      scene.field().set_field(field, true);
      const auto lobes = scene::contour(*field, isovalue, true);
      scene.field().set_lobes(lobes,
                              missing_surface(lobes, fields::summary_of(*field, true, true), field->unit));
    }
    apply();
  }
  void apply(bool dark = false) { scene.set_view(view, dark); }
  vtkSmartPointer<vtkImageData> picture() {
    scene::ImageOptions options;
    options.width = 320;
    options.height = 240;
    return scene::render_offscreen(*renderer, options);
  }
};

Colour middle_of(vtkImageData& image) {
  const auto* found = static_cast<const std::uint8_t*>(image.GetScalarPointer(160, 120, 0));
  return {found[0] / 255.0, found[1] / 255.0, found[2] / 255.0};
}

void expect_near(const Colour& found, const Colour& expected) {
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(found[c], expected[c], 3 / 255.0) << "channel " << c;
}

TEST(OrbitalScene, TranslucentLobesBlendInTheOrderInWhichTheyAreSeen) {
  const auto field = two_balls();
  for (const auto* side : {"top", "bottom"}) {
    Stage stage(field);
    stage.view.opacity = 1;
    stage.apply();
    scene::view_from(*stage.renderer, side);
    const Colour front = middle_of(*stage.picture());
    // The other lobe's own colour: the first one taken away.
    auto alone = stage.scene.field().lobes();
    (std::string(side) == "top" ? alone.positive : alone.negative) = {};
    const auto both = stage.scene.field().lobes();
    stage.scene.field().set_lobes(alone);
    const Colour behind = middle_of(*stage.picture());
    EXPECT_GT(std::abs(front[2] - behind[2]), 0.3) << "one is blue, the other is not";

    constexpr double opacity = 0.4;
    stage.view.opacity = opacity;
    stage.apply();
    stage.scene.field().set_lobes(both);
    // Seen straight on: front and back of the near ball, then of the far one, then white.
    Colour expected{};
    double left = 1;
    for (const Colour& layer : {front, front, behind, behind}) {
      for (int c = 0; c < 3; ++c) expected[c] += left * opacity * layer[c];
      left *= 1 - opacity;
    }
    for (double& channel : expected) channel += left;
    expect_near(middle_of(*stage.picture()), expected);
  }
}

/// Lobes of both signs before, behind and beside each other, 1.6 angstrom apart.
Field many_lobes() {
  auto field = scene::sampled(cube_of(4, 81), [](const Vector3d& place) {
    const Vector3d phase = 1.96 * place;
    return std::exp(-place.squaredNorm() / 8) * std::cos(phase.x()) * std::cos(phase.y()) *
           std::cos(phase.z());
  });
  return std::make_shared<const grid::ScalarField>(std::move(field));
}

/// An unlit translucent square about (0, 0, height).
vtkSmartPointer<vtkActor> red_square(double half_side, double height) {
  vtkNew<vtkPlaneSource> square;
  square->SetOrigin(-half_side, -half_side, height);
  square->SetPoint1(half_side, -half_side, height);
  square->SetPoint2(-half_side, half_side, height);
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(square->GetOutputPort());
  auto actor = vtkSmartPointer<vtkActor>::New();
  actor->SetMapper(mapper);
  actor->GetProperty()->SetColor(1, 0, 0);
  actor->GetProperty()->LightingOff();
  actor->GetProperty()->SetOpacity(0.5);
  return actor;
}

TEST(OrbitalScene, SortedLobesLookAsPeeledOnes) {
  Stage sorted(many_lobes(), 0.08);
  Stage peeled(many_lobes(), 0.08);
  peeled.renderer->AddActor(red_square(1e-4, 0));  // something else, too small to be seen: lobes are peeled
  peeled.renderer->SetMaximumNumberOfPeels(50);
  struct Case {
    std::string camera;
    double opacity;
    bool parallel;
  };
  for (const auto& each : {Case{"8,-14,5,0,0,0,0,0,1", 0.6, false}, Case{"8,-14,5,0,0,0,0,0,1", 0.2, true},
                           Case{"0,0,20,0,0,0,0,1,0", 0.4, false}, Case{"1.2,-4,0.3,0,0,0,0,0,1", 0.6, false},
                           Case{"0.8,0.7,0.8,-2,-3,0,0,0,1", 0.4, false}}) {
    std::array<vtkSmartPointer<vtkImageData>, 2> pictures;
    for (Stage* stage : {&sorted, &peeled}) {
      stage->scene.set_molecule(hydrogen_fluoride());
      stage->view.opacity = each.opacity;
      stage->apply(each.parallel);
      scene::set_camera(*stage->renderer, each.camera);
      stage->renderer->GetActiveCamera()->SetParallelProjection(each.parallel);
      stage->renderer->GetActiveCamera()->SetParallelScale(4);
      pictures.at(stage == &sorted ? 0 : 1) = stage->picture();
    }
    const auto* a = static_cast<const std::uint8_t*>(pictures[0]->GetScalarPointer());
    const auto* b = static_cast<const std::uint8_t*>(pictures[1]->GetScalarPointer());
    double sum = 0;
    int most = 0;
    for (int i = 0; i < 3 * 320 * 240; ++i) {
      sum += std::abs(a[i] - b[i]);
      most = std::max(most, std::abs(a[i] - b[i]));
    }
    EXPECT_LT(sum / (3 * 320 * 240), 0.5) << each.camera;
    EXPECT_LT(most, 24) << each.camera;
  }
}

TEST(OrbitalScene, WhatElseIsTranslucentShowsThroughTheLobes) {
  Stage stage(two_balls());
  stage.view.opacity = 0.4;
  scene::view_from(*stage.renderer, "top");
  const auto on = [&](const char* background) {
    stage.view.background = background;
    stage.apply();
    return middle_of(*stage.picture());
  };
  const Colour on_black = on("#000000");
  const Colour on_white = on("#ffffff");
  stage.renderer->AddActor(red_square(3, -3.2));  // behind both
  const Colour found = on("#ffffff");
  Colour expected{};
  for (int c = 0; c < 3; ++c) {
    const double behind = 0.5 * (c == 0 ? 1 : 0) + 0.5;
    expected[c] = on_black[c] + (on_white[c] - on_black[c]) * behind;
  }
  expect_near(found, expected);
  EXPECT_LT(expected[1], on_white[1] - 0.03);
}

TEST(OrbitalScene, PositiveIsBlueAndNegativeVermilionUnlessAskedOtherwise) {
  Stage stage(two_balls());
  stage.view.opacity = 1;
  stage.apply();
  scene::view_from(*stage.renderer, "top");
  const Colour blue = middle_of(*stage.picture());
  EXPECT_GT(blue[2], 2 * blue[0]);
  scene::view_from(*stage.renderer, "bottom");
  const Colour vermilion = middle_of(*stage.picture());
  EXPECT_GT(vermilion[0], 2 * vermilion[2]);
  stage.view.negative_colour = "#00ff00";
  stage.apply();
  const Colour green = middle_of(*stage.picture());
  EXPECT_GT(green[1], 2 * green[0]);
}

TEST(OrbitalScene, BackgroundFollowsDarkAndLightOrTheGivenColour) {
  Stage stage;
  stage.apply(false);
  expect_near(middle_of(*stage.picture()), {1, 1, 1});
  stage.apply(true);
  EXPECT_LT(middle_of(*stage.picture())[1], 0.2);
  stage.view.background = "#336699";
  stage.apply(true);
  expect_near(middle_of(*stage.picture()), {0x33 / 255.0, 0x66 / 255.0, 0x99 / 255.0});
  stage.view.background = "red";
  EXPECT_THROW(stage.apply(), Error);
}

TEST(OrbitalScene, MeshAndPointsLetOneSeeThrough) {
  Stage stage(two_balls());
  scene::view_from(*stage.renderer, "top");
  scene::zoom(*stage.renderer, 5);  // so that edges and corners stand apart
  const auto white_pixels = [&] {
    const auto image = stage.picture();
    int count = 0;
    for (int y = 0; y < 240; ++y) {
      for (int x = 0; x < 320; ++x) {
        const auto* found = static_cast<const std::uint8_t*>(image->GetScalarPointer(x, y, 0));
        count += found[0] == 255 && found[1] == 255 && found[2] == 255 ? 1 : 0;
      }
    }
    return count;
  };
  const int smooth = white_pixels();
  stage.view.style = SurfaceStyle::mesh;
  stage.apply();
  const int mesh = white_pixels();
  stage.view.style = SurfaceStyle::points;
  stage.apply();
  const int points = white_pixels();
  EXPECT_GT(mesh, smooth);
  EXPECT_GT(points, mesh);
  EXPECT_LT(points, 320 * 240);
  stage.view.surface = false;
  stage.apply();
  EXPECT_EQ(white_pixels(), 320 * 240);
}

TEST(OrbitalScene, TheSliceShowsTheFieldsSignInTheLobesColours) {
  Stage stage(two_balls());
  stage.view.surface = false;
  stage.view.slice = true;
  stage.view.slice_contours = false;
  stage.view.slice_axis = SliceAxis::z;
  scene::view_from(*stage.renderer, "top");
  const auto colour_at = [&](double position) {
    stage.view.slice_position = position;
    stage.apply();
    return middle_of(*stage.picture());
  };
  // Box from -3.5 to 3.5: the balls' middles at 5/7 and 2/7, nothing at 1/2.
  const Colour positive = colour_at(5.0 / 7);
  EXPECT_GT(positive[2], positive[0] + 0.2);
  const Colour negative = colour_at(2.0 / 7);
  EXPECT_GT(negative[0], negative[2] + 0.2);
  const Colour neutral = colour_at(0.5);
  EXPECT_NEAR(neutral[0], neutral[2], 0.02);
  EXPECT_GT(neutral[0], 0.9);
}

/// The field has one sign on each side of the plane x = 0, in which all atoms lie.
TEST(OrbitalScene, TheMoleculesPlaneHoldsItsAtoms) {
  auto field =
      scene::sampled(cube_of(3.5, 57), [](const Vector3d& place) { return std::tanh(2 * place.x()); });
  Stage stage;
  molecules::Molecule flat;
  for (const auto& place : {Vector3d(0, -1, 0), Vector3d(0, 1, 0), Vector3d(0, 0, 2)})
    flat.atoms.push_back({1, place * units::bohr_per_angstrom, 1});
  stage.scene.set_molecule(flat);
  stage.scene.field().set_field(std::make_shared<const grid::ScalarField>(std::move(field)), true);
  stage.view.surface = stage.view.atoms = stage.view.slice_contours = false;
  stage.view.slice = true;
  stage.view.slice_axis = SliceAxis::widest;
  stage.apply();
  scene::view_from(*stage.renderer, "right");
  const Colour in_plane = middle_of(*stage.picture());
  EXPECT_NEAR(in_plane[0], in_plane[2], 0.02);
  stage.view.slice_position = 0.6;
  stage.apply();
  const Colour beside = middle_of(*stage.picture());
  EXPECT_GT(beside[2], beside[0] + 0.2);
}

TEST(OrbitalScene, TheMoleculesPlaneHoldsBothAtomsOfADiatomicMolecule) {
  for (const Vector3d& bond : {Vector3d(0, 0, 1), Vector3d(1, 0, 0), Vector3d(1, 2, 3)}) {
    const Eigen::Matrix3d axes = scene::principal_axes({-bond, bond});
    EXPECT_NEAR(std::abs(axes.col(2).dot(bond.normalized())), 1, 1e-12);
    EXPECT_NEAR(axes.col(0).dot(bond), 0, 1e-12) << "the plane's normal";
  }
}

TEST(FieldScene, ShowsAFieldInMillimetresWithoutAMolecule) {
  vtkNew<vtkRenderer> renderer;
  scene::FieldScene scene(*renderer, "mm");
  auto field = scene::sampled(grid::centred({0, 0, 0}, {41, 41, 41}, 5, grid::LengthUnit::millimetre),
                              [](const Vector3d& place) { return std::exp(-place.norm() / 50); });
  fields::MadeField made;
  made.field = std::make_shared<const grid::ScalarField>(std::move(field));
  made.both_signs = false;
  scene::FieldView view;
  view.isovalue_mode = IsovalueMode::value;
  view.isovalue = std::exp(-1.0);
  const auto picture = scene::picture_of(made, true, view, nullptr, {});
  EXPECT_NEAR(picture.lobes.positive.area, 4 * std::acos(-1) * 50 * 50, 0.02 * 31416);
  EXPECT_NE(scene::readings(picture).find("points at 5 mm"), std::string::npos) << scene::readings(picture);
  scene.show(picture);
  scene.set_view(view, false);
  scene::reset_camera(*renderer);
  scene::ImageOptions options;
  options.width = 320;
  options.height = 240;
  const Colour middle = middle_of(*scene::render_offscreen(*renderer, options));
  EXPECT_GT(middle[2], middle[0] + 0.2);
}

TEST(FieldScene, APlaceOfThePictureIsFoundOnTheSlice) {
  Stage stage(two_balls());
  const auto on_slice = [&](double x, double y) { return stage.scene.field().place_on_slice(x, y); };
  EXPECT_FALSE(on_slice(0.5, 0.5)) << "there is none";
  stage.view.slice = true;
  stage.view.slice_position = 5.0 / 7;
  stage.apply();
  scene::view_from(*stage.renderer, "top");
  stage.picture();
  const auto middle = on_slice(0.5, 0.5);
  ASSERT_TRUE(middle);
  EXPECT_NEAR(middle->z(), 1.5, 1e-6) << "the box reaches from -3.5 to 3.5";
  // The colour bar moves the scene aside.
  const auto found_where_seen = [&](double x, double y) {
    stage.renderer->SetWorldPoint(x, y, 1.5, 1);
    stage.renderer->WorldToView();
    const double* seen = stage.renderer->GetViewPoint();
    return on_slice((seen[0] + 1) / 2, (seen[1] + 1) / 2);
  };
  const auto found = found_where_seen(1, 2);
  ASSERT_TRUE(found);
  EXPECT_LT((*found - Vector3d(1, 2, 1.5)).norm(), 1e-4);
  EXPECT_TRUE(found_where_seen(-3.49, 3.49));
  EXPECT_FALSE(found_where_seen(3.51, 0));
  EXPECT_FALSE(found_where_seen(0, -3.51));
  scene::view_from(*stage.renderer, "front");
  EXPECT_FALSE(on_slice(0.5, 0.3)) << "seen from its edge, or beside it";
}

TEST(ValueText, HasPlaceValueAndUnits) {
  const auto field = two_balls();
  EXPECT_EQ(scene::value_text(*field, {0, 0, 1.5}), "0.9999 bohr⁻³ᐟ² at (0.00, 0.00, 1.50) Å");
  EXPECT_EQ(scene::value_text(*field, {0, 0, -1.5}), "−0.9999 bohr⁻³ᐟ² at (0.00, 0.00, −1.50) Å");
  EXPECT_EQ(scene::value_text(*field, {0, 0, 4}), "outside the box at (0.00, 0.00, 4.00) Å");
}

TEST(OrbitalScene, DraftsAreDrawnWithFewerTriangles) {
  const auto fine = std::make_shared<const grid::ScalarField>(scene::sampled(
      cube_of(3.5, 201), [](const Vector3d& place) { return std::exp(-place.squaredNorm() / 4); }));
  Stage stage(fine);
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  window->SetReadyForRendering(false);
  window->SetSize(320, 240);
  window->AddRenderer(stage.renderer);
  const auto triangles = [&](double rate) {
    window->SetDesiredUpdateRate(rate);
    stage.renderer->InvokeEvent(vtkCommand::StartEvent);
    vtkIdType most = 0;
    auto* actors = stage.renderer->GetActors();
    actors->InitTraversal();
    while (auto* actor = actors->GetNextActor()) {
      auto* mapper = vtkPolyDataMapper::SafeDownCast(actor->GetMapper());
      if (mapper != nullptr && mapper->GetInput() != nullptr)
        most = std::max(most, mapper->GetInput()->GetNumberOfPolys());
    }
    return most;
  };
  const vtkIdType still = triangles(1e-4);
  EXPECT_EQ(static_cast<std::size_t>(still), stage.scene.field().lobes().positive.triangle_count());
  EXPECT_LT(triangles(10), 0.3 * static_cast<double>(still));
  EXPECT_EQ(triangles(1e-4), still);
  window->RemoveRenderer(stage.renderer);
}

/// How many pixels in the upper quarter of the picture are dark: a text on white.
int dark_at_top(vtkImageData& image) {
  int dark = 0;
  for (int y = 180; y < 240; ++y) {
    for (int x = 0; x < 320; ++x) {
      dark += static_cast<const std::uint8_t*>(image.GetScalarPointer(x, y, 0))[1] < 100;
    }
  }
  return dark;
}

TEST(OrbitalScene, TheViewSaysThatTheFieldIsZeroInTheSlicesPlane) {
  Stage stage(two_balls());
  stage.view.surface = false;
  stage.view.slice_contours = false;
  stage.view.slice_axis = SliceAxis::z;
  scene::view_from(*stage.renderer, "top");
  const auto dark_with_slice_at = [&](double position) {
    stage.view.slice = true;
    stage.view.slice_position = position;
    stage.apply();
    return dark_at_top(*stage.picture());
  };
  const int elsewhere = dark_with_slice_at(5.0 / 7);
  EXPECT_GT(dark_with_slice_at(0.5), elsewhere + 300) << "between the balls of opposite signs";
  EXPECT_EQ(dark_with_slice_at(5.0 / 7), elsewhere);
}

TEST(OrbitalScene, TheViewSaysWhyASurfaceIsMissingWhereOneIsWanted) {
  Stage stage(two_balls(), 5);
  EXPECT_EQ(stage.scene.field().missing_surface(),
            "No surface at 5 bohr⁻³ᐟ². The largest value is 0.9999 bohr⁻³ᐟ². Choose a smaller isovalue.");
  EXPECT_GT(dark_at_top(*stage.picture()), 300);
  stage.view.surface = false;
  stage.apply();
  EXPECT_EQ(stage.scene.field().missing_surface(), "");
  EXPECT_EQ(dark_at_top(*stage.picture()), 0);
  Stage there(two_balls());
  EXPECT_EQ(there.scene.field().missing_surface(), "");
  EXPECT_EQ(dark_at_top(*there.picture()), 0);
  Stage none;
  EXPECT_EQ(none.scene.field().missing_surface(), "");
}

TEST(MissingSurface, OneThatFillsTheBoxAndAFieldOfZeros) {
  const auto plateau = [](double low, double high) {
    auto field = scene::sampled(cube_of(2, 21), [&](const Vector3d& place) {
      return low + (high - low) * std::exp(-place.squaredNorm());
    });
    field.unit = "e/bohr^3";
    return field;
  };
  const auto why = [](const grid::ScalarField& field, double isovalue) {
    return missing_surface(scene::contour(field, isovalue, false), fields::summary_of(field, false, false),
                           field.unit);
  };
  EXPECT_EQ(why(plateau(0.2, 3), 0.1),
            "The surface at 0.1 e/bohr³ fills the box. The largest value is 3 e/bohr³; the largest on the "
            "box's faces is 0.2038. Choose a larger isovalue.");
  EXPECT_EQ(why(plateau(0.2, 3), 1), "");
  EXPECT_EQ(why(plateau(0.2, 3), 4),
            "No surface at 4 e/bohr³. The largest value is 3 e/bohr³. Choose a smaller isovalue.");
  EXPECT_EQ(why(plateau(0, 0), 0.1), "No surface. The field is zero everywhere.");
}

TEST(FieldSummary, TheUsualIsovaluesLeaveASurfaceToBeSeen) {
  for (const double factor : {1.0, 1e-4}) {  // a field and a much weaker one
    auto field = *two_balls();
    for (float& value : field.values) value *= static_cast<float>(factor);
    const auto usual = fields::summary_of(field, true, true).usual_isovalues;
    EXPECT_NEAR(grid::fraction_enclosed(field, usual.low, true), 0.999, 1e-3);
    EXPECT_LT(grid::fraction_enclosed(field, usual.high, true), 0.2);
    EXPECT_GT(scene::contour(field, usual.high, true).positive.triangle_count(), 100U);
  }
}

TEST(OrbitalScene, ClearTakesEverythingAway) {
  Stage stage(two_balls());
  stage.view.slice = true;
  stage.view.labels = true;
  stage.scene.set_molecule(hydrogen_fluoride());
  stage.apply();
  stage.scene.clear();
  EXPECT_TRUE(stage.scene.field().lobes().positive.empty());
  expect_near(middle_of(*stage.picture()), {1, 1, 1});
}

TEST(OrbitalScene, TheSliceIsDraggedByItsFrame) {
  Stage stage(two_balls());
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  scene::use_foreign_context(*window);
  window->SetSize(320, 240);
  window->AddRenderer(stage.renderer);
  vtkNew<vtkGenericRenderWindowInteractor> interactor;
  interactor->SetRenderWindow(window);
  interactor->EnableRenderOff();
  vtkNew<scene::InteractionStyle> style;
  interactor->SetInteractorStyle(style);
  stage.view.slice = true;
  stage.apply();
  scene::view_from(*stage.renderer, "front");
  scene::set_orthographic(*stage.renderer, true);
  double position = -1;
  stage.scene.field().on_slice_dragged([&](double moved) { position = moved; });
  // Seen from the front the slice at half height is a line across the middle of the picture.
  const auto send = [&](unsigned long event, int x, int y) {
    interactor->SetEventInformation(x, y);
    interactor->InvokeEvent(event);
  };
  send(vtkCommand::LeftButtonPressEvent, 160, 200);
  send(vtkCommand::MouseMoveEvent, 160, 220);
  send(vtkCommand::LeftButtonReleaseEvent, 160, 220);
  EXPECT_EQ(position, -1) << "away from the frame the mouse belongs to the camera";
  EXPECT_GT(std::abs(stage.renderer->GetActiveCamera()->GetDirectionOfProjection()[2]), 0.1);
  scene::view_from(*stage.renderer, "front");
  const auto camera = scene::camera_text(*stage.renderer);
  send(vtkCommand::LeftButtonPressEvent, 160, 120);
  send(vtkCommand::MouseMoveEvent, 160, 150);
  // 30 of 240 pixels of a view 2 * scale high, of a box 7 angstrom high.
  const double expected = 0.5 + 30.0 / 240 * 2 * stage.renderer->GetActiveCamera()->GetParallelScale() / 7;
  EXPECT_NEAR(position, expected, 1e-6);
  send(vtkCommand::MouseMoveEvent, 160, 500);
  EXPECT_EQ(position, 1) << "it stays within the box";
  send(vtkCommand::LeftButtonReleaseEvent, 160, 500);
  send(vtkCommand::MouseMoveEvent, 160, 120);
  EXPECT_EQ(position, 1) << "let go";
  EXPECT_EQ(scene::camera_text(*stage.renderer), camera) << "the camera stays while the slice moves";
}

class Export : public ::testing::Test {
 protected:
  // Of this process: tests run side by side.
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("isolume-export-test-" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// The mesh as a VTK reader finds it.
  template <class Reader>
  vtkSmartPointer<vtkPolyData> read(const char* name) {
    vtkNew<Reader> reader;
    reader->SetFileName((folder / name).c_str());
    reader->Update();
    return reader->GetOutput();
  }
};

void expect_same_surfaces(vtkPolyData& read, const scene::Lobes& lobes) {
  EXPECT_EQ(read.GetNumberOfPolys(),
            lobes.positive.mesh->GetNumberOfPolys() + lobes.negative.mesh->GetNumberOfPolys());
  const auto* bounds = read.GetBounds();
  EXPECT_NEAR(bounds[5], lobes.positive.mesh->GetBounds()[5], 1e-5);
  EXPECT_NEAR(bounds[4], lobes.negative.mesh->GetBounds()[4], 1e-5);
  // exp(-r^2) = 0.3 at r = 1.097: the balls' outermost places.
  EXPECT_NEAR(bounds[5], 1.5 + 1.097, 0.01);
}

TEST_F(Export, SurfacesComeBackFromEveryFormat) {
  Stage stage(two_balls());
  for (const auto* name : {"a.stl", "a.ply", "a.vtp"}) stage.scene.prepare_export(folder / name)();
  expect_same_surfaces(*read<vtkSTLReader>("a.stl"), stage.scene.field().lobes());
  expect_same_surfaces(*read<vtkPLYReader>("a.ply"), stage.scene.field().lobes());
  const auto vtp = read<vtkXMLPolyDataReader>("a.vtp");
  expect_same_surfaces(*vtp, stage.scene.field().lobes());
  ASSERT_NE(vtp->GetPointData()->GetNormals(), nullptr);
  auto* lobe = vtp->GetPointData()->GetArray("lobe");
  ASSERT_NE(lobe, nullptr);
  for (vtkIdType i = 0; i < vtp->GetNumberOfPoints(); ++i) {
    ASSERT_EQ(lobe->GetTuple1(i), vtp->GetPoint(i)[2] > 0 ? 1 : -1);
  }
}

TEST_F(Export, GltfHoldsLobesAndMolecule) {
  Stage stage(two_balls());
  stage.scene.set_molecule(hydrogen_fluoride());
  const auto& lobes = stage.scene.field().lobes();
  const vtkIdType of_lobes =
      lobes.positive.mesh->GetNumberOfPolys() + lobes.negative.mesh->GetNumberOfPolys();
  const auto write = stage.scene.prepare_export(folder / "a.gltf");
  stage.scene.field().set_field(nullptr, false);  // what was shown is written, on any thread
  std::thread(write).join();
  vtkNew<vtkGLTFReader> reader;
  reader->SetFileName((folder / "a.gltf").c_str());
  reader->Update();
  int bodies = 0;
  vtkIdType triangles = 0;
  const auto each = vtkSmartPointer<vtkCompositeDataIterator>::Take(reader->GetOutput()->NewIterator());
  for (each->InitTraversal(); !each->IsDoneWithTraversal(); each->GoToNextItem()) {
    auto* mesh = vtkPolyData::SafeDownCast(each->GetCurrentDataObject());
    if (mesh == nullptr || mesh->GetNumberOfPolys() == 0) continue;
    ++bodies;
    triangles += mesh->GetNumberOfPolys();
  }
  EXPECT_EQ(bodies, 3);
  EXPECT_GT(triangles, of_lobes + 1000);
}

TEST_F(Export, RefusesUnknownSuffixesAndNothing) {
  Stage stage(two_balls());
  try {
    stage.scene.prepare_export(folder / "a.obj");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(".stl, .ply, .vtp or .gltf"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find(".obj"), std::string::npos);
  }
  stage.view.surface = false;
  stage.apply();
  for (const auto* name : {"a.stl", "a.ply", "a.vtp", "a.gltf"}) {
    EXPECT_THROW(stage.scene.prepare_export(folder / name), Error) << name;
  }
  stage.view.surface = true;
  stage.apply();
  const auto write = stage.scene.prepare_export(folder / "missing" / "a.stl");
  EXPECT_THROW(write(), Error);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(ViewSchema, DescribesEveryParameterWithinItsRange) {
  ViewParameters view;
  parameters::StructParameters<ViewParameters> set(view_schema(), view);
  for (const auto& each : set.descriptions()) {
    EXPECT_FALSE(each.label.empty()) << each.key;
    EXPECT_FALSE(each.help.empty()) << each.key;
    EXPECT_FALSE(each.group.empty()) << each.key;
    EXPECT_NO_THROW(set.set_text(each.key, parameters::to_text(each.default_value))) << each.key;
  }
  set.set_text("style", "mesh");
  set.set_text("slice-axis", "widest");
  set.set_text("isovalue-mode", "value");
  EXPECT_EQ(view.style, SurfaceStyle::mesh);
  EXPECT_EQ(view.slice_axis, SliceAxis::widest);
  EXPECT_EQ(view.isovalue_mode, IsovalueMode::value);
  EXPECT_THROW(set.set_text("opacity", "1.5"), Error);
}

/// A p orbital of fluorine beside its neighbour, with everything that can be shown.
Stage& furnished(Stage& stage) {
  auto field = scene::sampled(cube_of(2.5, 51), [](const Vector3d& place) {
    return place.z() * std::exp(-1.6 * place.norm()) -
           0.25 * std::exp(-2 * (place - Vector3d(0, 0, 0.87)).norm());
  });
  field.name = "σ";
  field.unit = "bohr^-3/2";
  const auto shared = std::make_shared<const grid::ScalarField>(std::move(field));
  stage.scene.set_molecule(hydrogen_fluoride());
  stage.scene.field().set_field(shared, true);
  stage.scene.field().set_lobes(scene::contour(*shared, 0.08, true));
  stage.view.scale_bar = true;
  return stage;
}

TEST(Baseline, LobesAndMoleculeOnWhite) {
  Stage stage;
  furnished(stage).apply(false);
  scene::set_camera(*stage.renderer, "7,-7,3,0,0,0.2,0,0,1");
  scene::expect_like_baseline(*stage.picture(), "lobes-and-molecule-light", scene::likeness::small);
}

TEST(Baseline, SliceLabelsAndColourBarOnDark) {
  Stage stage;
  furnished(stage);
  stage.view.surface = false;
  stage.view.labels = true;
  stage.view.slice = true;
  stage.view.slice_axis = SliceAxis::x;
  stage.apply(true);
  scene::set_camera(*stage.renderer, "9,-6,3,0,0,0,0,0,1");
  scene::expect_like_baseline(*stage.picture(), "slice-and-labels-dark", scene::likeness::small);
}

TEST(Baseline, MeshOnWhite) {
  Stage stage;
  furnished(stage);
  stage.view.style = SurfaceStyle::mesh;
  stage.apply(false);
  scene::set_camera(*stage.renderer, "7,-7,3,0,0,0.2,0,0,1");
  scene::expect_like_baseline(*stage.picture(), "mesh-light", scene::likeness::small);
}

}  // namespace
}  // namespace isolume::labs::orbitals
