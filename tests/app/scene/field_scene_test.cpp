#include "app/scene/fields/field_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkFloatArray.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkGenericRenderWindowInteractor.h>
#include <vtkImageData.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkPlaneSource.h>
#include <vtkPolyDataMapper.h>
#include <vtkPropCollection.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/overlays.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/fields/stage.h"
#include "app/scene/fields/surface_prop.h"
#include "app/scene/files/image.h"
#include "app/scene/props/molecule_prop.h"
#include "app/scene/props/volume_prop.h"
#include "core/base/units.h"
#include "tests/app/scene/analytic_field.h"
#include "tests/app/scene/baseline.h"

namespace isolume::scene {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Colour = std::array<double, 3>;
using Function = std::function<double(const Vector3d&)>;

constexpr int width = 320, height = 240;

grid::Grid cube(double half_side, int points) {
  return grid::centred(Vector3d::Zero(), {points, points, points}, 2 * half_side / (points - 1),
                       grid::LengthUnit::angstrom);
}

fields::MadeField made(const grid::Grid& grid, const Function& function, std::string name = "f") {
  fields::MadeField field;
  auto values = sampled(grid, function);
  values.name = std::move(name);
  values.unit = "e/bohr^3";
  field.field = std::make_shared<const grid::ScalarField>(std::move(values));
  return field;
}

double gauss(const Vector3d& place) {
  return std::exp(-place.squaredNorm());
}

/// A renderer that knows how large its pictures are.
struct Framed {
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> frame;

  Framed() {
    frame->SetReadyForRendering(false);
    frame->SetSize(width, height);
    frame->AddRenderer(renderer);
  }
  ~Framed() { frame->RemoveRenderer(renderer); }
  vtkSmartPointer<vtkImageData> drawn() const {
    ImageOptions options;
    options.width = width;
    options.height = height;
    return render_offscreen(*renderer, options);
  }
  /// Where a place of the scene is seen, in pixels.
  Eigen::Vector2d seen(const Vector3d& place) const {
    renderer->SetWorldPoint(place.x(), place.y(), place.z(), 1);
    renderer->WorldToView();
    const double* view_point = renderer->GetViewPoint();
    return {(view_point[0] + 1) / 2 * width, (view_point[1] + 1) / 2 * height};
  }
};

struct Stage : Framed {
  FieldScene scene{*renderer, "angstrom"};
  FieldView view;
  FieldPicture picture;

  Stage() {
    view.scale_bar = false;
    view.isovalue_mode = IsovalueMode::value;
    view.isovalue = 0.5;
    view.slice_contours = false;
  }
  void show(const fields::MadeField& field, bool dark = false) {
    picture = picture_of(field, true, view, nullptr, {});
    scene.show(picture);
    scene.set_view(view, dark);
  }
};

Colour at(vtkImageData& image, const Eigen::Vector2d& pixel) {
  const auto* found = static_cast<const std::uint8_t*>(
      image.GetScalarPointer(static_cast<int>(pixel.x()), static_cast<int>(pixel.y()), 0));
  return {found[0] / 255.0, found[1] / 255.0, found[2] / 255.0};
}

/// For a person to look at, where this is set: the folder.
void keep(vtkImageData& picture, const std::string& name) {
  if (const char* folder = std::getenv("ISOLUME_KEEP_PICTURES"))
    write_png(picture, 72, std::filesystem::path(folder) / (name + ".png"));
}

// Surfaces in the colours of a second field.

fields::MadeField sphere_coloured_by_z(const grid::Grid& of_second) {
  auto field = made(cube(2, 61), gauss);
  field.second = std::make_shared<const fields::MadeField>(made(
      of_second, [](const Vector3d& place) { return place.z(); }, "z"));
  return field;
}

TEST(ColouredSurface, ReachesToARoundValueBeyondMostOfThoseSeen) {
  Stage stage;
  stage.show(sphere_coloured_by_z(cube(2, 21)));
  ASSERT_TRUE(stage.picture.colouring);
  EXPECT_TRUE(stage.picture.colouring->both_signs);
  EXPECT_TRUE(stage.picture.colouring->covers_all);
  // Heights on a sphere are spread evenly over +-0.8326.
  EXPECT_DOUBLE_EQ(stage.picture.colouring->usual_limit, 1);
  EXPECT_NE(readings(stage.picture).find("coloured by z"), std::string::npos);
}

/// As a potential near nuclei: a fiftieth of the sphere and more has values that are thousands of times larger.
TEST(ColouredSurface, LeavesOutliersAside) {
  Stage stage;
  auto field = made(cube(2, 61), gauss);
  const Vector3d pole(0, 0, 0.8326);
  field.second = std::make_shared<const fields::MadeField>(made(
      cube(2, 61),
      [pole](const Vector3d& place) { return place.z() + ((place - pole).norm() < 0.3 ? 10000 : 0); }, "z"));
  stage.show(field);
  ASSERT_TRUE(stage.picture.colouring);
  EXPECT_GE(stage.picture.colouring->usual_limit, 0.8326);
  EXPECT_LE(stage.picture.colouring->usual_limit, 2);
}

/// A command fits the picture without a bar of colours, and then there is one.
TEST(ColouredSurface, StaysInViewBesideItsColourBar) {
  Stage stage;
  const auto wide = [](const Vector3d& place) {
    return std::exp(-Vector3d(place.x() / 3, place.y(), place.z()).squaredNorm());
  };
  stage.show(made(cube(3, 41), wide));
  stage.scene.keep_in_view();
  view_from(*stage.renderer, "top");
  zoom(*stage.renderer, 1.3);
  view_from(*stage.renderer, "top");
  stage.scene.take_camera();
  stage.drawn();
  auto field = made(cube(3, 41), wide);
  field.second = std::make_shared<const fields::MadeField>(made(
      cube(3, 41), [](const Vector3d& place) { return place.z(); }, "z"));
  stage.show(field);
  stage.scene.keep_in_view();
  const double end = 3 * std::sqrt(std::log(2));
  EXPECT_GE(stage.seen({-end, 0, 0}).x(), 0);
  EXPECT_LT(stage.seen({end, 0, 0}).x(), width);
  // A hand's zoom is kept.
  zoom(*stage.renderer, 2);
  const double near = stand(*stage.renderer).distance;
  stage.scene.keep_in_view();
  EXPECT_DOUBLE_EQ(stand(*stage.renderer).distance, near);
}

/// Seen along y the sphere's colours change with the height alone, lit or not: what is red of one half is blue of the
/// other.
TEST(ColouredSurface, IsPositiveAboveAndNegativeBelowHoweverItIsDrawn) {
  for (const double opacity : {1.0, 0.6}) {
    for (const auto style : {SurfaceStyle::smooth, SurfaceStyle::points}) {
      Stage stage;
      stage.view.opacity = opacity;
      stage.view.style = style;
      stage.show(sphere_coloured_by_z(cube(2, 21)));
      view_from(*stage.renderer, "front");
      const auto image = stage.drawn();
      const Colour above = at(*image, stage.seen({0, 0, 0.7}));
      const Colour below = at(*image, stage.seen({0, 0, -0.7}));
      EXPECT_GT(above[2], above[0] + 0.15) << "blue";
      EXPECT_GT(below[0], below[2] + 0.15) << "vermilion";
      const Colour middle = at(*image, stage.seen({0, 0, 0}));
      EXPECT_NEAR(middle[0], middle[2], 0.03) << "neutral";
    }
  }
}

TEST(ColouredSurface, LooksTheSameSortedAndPeeled) {
  std::array<vtkSmartPointer<vtkImageData>, 2> images;
  for (const bool peeled : {false, true}) {
    Stage stage;
    stage.view.opacity = 0.5;
    stage.show(sphere_coloured_by_z(cube(2, 21)));
    stage.renderer->SetMaximumNumberOfPeels(50);
    if (peeled) {
      vtkNew<vtkActor> other;  // translucent and too small to be seen: lobes are peeled
      vtkNew<vtkPlaneSource> square;
      square->SetOrigin(0, 0, 0);
      square->SetPoint1(1e-4, 0, 0);
      square->SetPoint2(0, 1e-4, 0);
      vtkNew<vtkPolyDataMapper> mapper;
      mapper->SetInputConnection(square->GetOutputPort());
      other->SetMapper(mapper);
      other->GetProperty()->SetOpacity(0.5);
      stage.renderer->AddActor(other);
    }
    set_camera(*stage.renderer, "4,-6,3,0,0,0,0,0,1");
    images.at(peeled ? 1 : 0) = stage.drawn();
  }
  EXPECT_GT(structural_similarity(*images[0], *images[1]), likeness::not_visible);
}

TEST(ColouredSurface, FollowsTheLimitThatIsLocked) {
  Stage stage;
  stage.view.opacity = 1;
  stage.show(sphere_coloured_by_z(cube(2, 21)));
  view_from(*stage.renderer, "front");
  const auto blue_at = [&](double limit) {
    stage.view.colour_range = ColourRange::locked;
    stage.view.colour_limit = limit;
    stage.scene.set_view(stage.view, false);
    const Colour found = at(*stage.drawn(), stage.seen({0, 0, 0.4}));
    return found[2] - found[0];
  };
  const double wide = blue_at(100), usual = blue_at(1), narrow = blue_at(0.1);
  EXPECT_NEAR(wide, 0, 0.03);
  EXPECT_GT(usual, wide + 0.1);
  EXPECT_GT(narrow, usual + 0.1);
}

/// From -0.2 to 0.8: neutral at 0, full colours at both ends and beyond them.
TEST(ColouredSurface, RunsBetweenTwoEndsOfItsOwn) {
  Stage stage;
  stage.view.opacity = 1;
  stage.view.colour_range = ColourRange::free;
  stage.view.colour_low = 0.8;  // in either order
  stage.view.colour_high = -0.2;
  stage.show(sphere_coloured_by_z(cube(2, 21)));
  view_from(*stage.renderer, "front");
  const auto image = stage.drawn();
  keep(*image, "free-range");
  const auto blueness = [&](double z) {
    const Colour found = at(*image, stage.seen({0, 0, z}));
    return found[2] - found[0];
  };
  EXPECT_NEAR(blueness(0), 0, 0.05);
  EXPECT_LT(blueness(-0.2), -0.3) << "vermilion already";
  EXPECT_NEAR(blueness(-0.4), blueness(-0.2), 0.1) << "and no more beyond";
  EXPECT_GT(blueness(0.4), 0.1);
  EXPECT_GT(blueness(0.7), blueness(0.4) + 0.1);
}

// Colour maps.

constexpr Rgb red{1, 0, 0}, pale{0.9, 0.9, 0.9}, blue{0, 0, 1};
constexpr double a_byte = 1.0 / 255;

Colour shown_by(vtkLookupTable& table, double value) {
  Colour colour{};
  table.GetColor(value, colour.data());
  return colour;
}

void expect_near(const Colour& found, const Rgb& wanted, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found.at(i), wanted.at(i), tolerance) << i;
}

TEST(DivergingMap, IsNeutralAtZeroWhereverItsEndsLie) {
  for (const ColourSpan span : {ColourSpan{-5, 5}, ColourSpan{-1, 20}, ColourSpan{-100, 1}}) {
    const auto table = diverging_map(red, pale, blue, span);
    // An entry of 256 is as near as it comes, and the map is steep where one side is narrow.
    const double entry = (span.high - span.low) / 255;
    const double steepest = entry / std::min(span.high, -span.low);
    expect_near(shown_by(*table, 0), pale, steepest + 0.02);
    expect_near(shown_by(*table, span.low), red, a_byte);
    expect_near(shown_by(*table, span.high), blue, a_byte);
    expect_near(shown_by(*table, 2 * span.low), red, a_byte);
    expect_near(shown_by(*table, 2 * span.high), blue, a_byte);
  }
}

/// Or the border of values beyond an end would be seen as an edge.
TEST(DivergingMap, EndsWithoutALeap) {
  const auto table = diverging_map({0.84, 0.37, 0}, pale, {0, 0.45, 0.7}, ColourSpan{-5, 5});
  const auto step = [&](double from, double to) {
    const Colour a = shown_by(*table, from), b = shown_by(*table, to);
    return std::abs(a[1] - b[1]);  // of green, which comes near to neither 0 nor 1
  };
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_GT(step(sign * 2, sign * 2.4), 0.02);
    EXPECT_LT(step(sign * 4.6, sign * 5), 0.5 * step(sign * 2, sign * 2.4));
  }
}

TEST(DivergingMap, IsNeutralAtTheEndThatIsNearestToZero) {
  const auto positive = diverging_map(red, pale, blue, {2, 10});
  expect_near(shown_by(*positive, 2), pale, a_byte);
  expect_near(shown_by(*positive, -3), pale, a_byte);
  expect_near(shown_by(*positive, 10), blue, a_byte);
  const auto negative = diverging_map(red, pale, blue, {-10, -2});
  expect_near(shown_by(*negative, -10), red, a_byte);
  expect_near(shown_by(*negative, -2), pale, a_byte);
  expect_near(shown_by(*negative, std::numeric_limits<double>::quiet_NaN()), {0.5, 0.5, 0.5}, a_byte);
}

TEST(KeptColourMap, IsMadeAnewForAnotherChoiceOnly) {
  using enum ColourMapChoice::Kind;
  KeptColourMap map;
  const ColourMapChoice choice{diverging, {-5, 5}, red, pale, blue};
  const auto first = map.table_for(choice);
  EXPECT_EQ(map.table_for(choice), first);
  const std::vector<ColourMapChoice> others{{diverging, {-5, 6}, red, pale, blue},
                                            {diverging, {-5, 5}, blue, pale, red},
                                            {diverging, {-5, 5}, red, red, blue},
                                            {sequential, {-5, 5}},
                                            {logarithmic, {1, 5}}};
  for (const ColourMapChoice& other : others) {
    const auto table = map.table_for(other);
    EXPECT_NE(table, first);
    EXPECT_EQ(table->GetRange()[1], other.span.high);
    expect_near(shown_by(*table, 1.1), shown_by(*colour_map(other), 1.1), 0);
  }
  expect_near(shown_by(*first, 5), blue, a_byte);
  EXPECT_EQ(first->GetRange()[1], 5) << "a table is not changed after it was handed out";
}

TEST(ColourSpan, HasItsLowEndFirstAndRoomForColours) {
  FieldView view;
  view.colour_range = ColourRange::free;
  view.colour_low = 3;
  view.colour_high = -1;
  EXPECT_EQ(colour_span(view, true, 7), (ColourSpan{-1, 3}));
  view.colour_high = 3;
  EXPECT_GT(colour_span(view, true, 7).high, 3);
  view.colour_low = view.colour_high = 0;
  EXPECT_GT(colour_span(view, true, 7).high, 0);
  view.colour_range = ColourRange::usual;
  EXPECT_EQ(colour_span(view, true, 7), (ColourSpan{-7, 7}));
  EXPECT_EQ(colour_span(view, false, 7), (ColourSpan{0, 7}));
  view.colour_range = ColourRange::locked;
  view.colour_limit = 2;
  EXPECT_EQ(colour_span(view, true, 7), (ColourSpan{-2, 2}));
}

// The key.

/// How many pixels have this colour within a part of the picture's width and height.
int count_of(vtkImageData& image, const Rgb& colour, Eigen::Vector2d low, Eigen::Vector2d high) {
  int count = 0;
  for (int x = static_cast<int>(low.x() * width); x < static_cast<int>(high.x() * width); ++x) {
    for (int y = static_cast<int>(low.y() * height); y < static_cast<int>(high.y() * height); ++y) {
      const Colour found = at(image, {x, y});
      count += std::ranges::equal(found, colour, [](double a, double b) { return std::abs(a - b) < 0.02; });
    }
  }
  return count;
}

fields::MadeField height_with_method() {
  auto field = made(
      cube(2, 31), [](const Vector3d& place) { return place.z(); }, "z");
  field.method = "By hand, 0.1 Å";
  return field;
}

TEST(Key, TellsTheColoursAndValuesOfIsosurfaces) {
  Stage stage;
  const Rgb positive = colour_of(stage.view.positive_colour),
            negative = colour_of(stage.view.negative_colour);
  for (const bool keyed : {false, true}) {
    stage.view.isosurface_key = keyed;
    stage.show(height_with_method());
    const auto image = stage.drawn();
    if (keyed) keep(*image, "isosurface-key");
    // Two swatches of 16 x 13 points, at the right and above the middle.
    const int blue_pixels = count_of(*image, positive, {0.7, 0.55}, {1, 0.85});
    const int red_pixels = count_of(*image, negative, {0.7, 0.55}, {1, 0.85});
    EXPECT_EQ(blue_pixels > 150 && blue_pixels < 260, keyed) << blue_pixels;
    EXPECT_EQ(red_pixels > 150 && red_pixels < 260, keyed) << red_pixels;
    EXPECT_EQ(stage.renderer->GetActiveCamera()->GetWindowCenter()[0] > 0.1, keyed);
  }
}

TEST(Key, SaysHowAFieldWasFoundWheneverItIsSeen) {
  Stage stage;
  const auto written = [&] {
    const auto image = stage.drawn();
    return count_of(*image, {0.2, 0.2, 0.22}, {0.2, 0}, {0.8, 0.09}) +
           count_of(*image, stage.scene.text_colour(), {0.2, 0}, {0.8, 0.09});
  };
  stage.show(height_with_method());
  EXPECT_GT(written(), 20) << "surfaces";
  const auto with_method = stage.drawn();
  keep(*with_method, "method");
  stage.view.surface = false;
  stage.show(height_with_method());
  EXPECT_EQ(written(), 0) << "nothing is seen of it";
  stage.view.slice = true;
  stage.show(height_with_method());
  EXPECT_GT(written(), 20) << "slice";
  stage.view.slice = false;
  stage.show(height_with_method());
  stage.scene.set_colours_beside(diverging_map(red, pale, blue, 1.0));
  EXPECT_GT(written(), 20) << "something beside it";
  EXPECT_GT(stage.renderer->GetActiveCamera()->GetWindowCenter()[0], 0.1) << "with a bar";
  auto without = height_with_method();
  without.method.clear();
  stage.show(without);
  EXPECT_EQ(written(), 0);
}

/// Where nothing is known of the second field there are stripes of grey, and a line that says so.
TEST(ColouredSurface, IsStripedWhereTheSecondFieldIsNotKnown) {
  auto half = cube(2, 41);
  half.dimensions[2] = 21;  // z from -2 to 0
  Stage stage;
  stage.view.opacity = 1;
  stage.show(sphere_coloured_by_z(half));
  EXPECT_FALSE(stage.picture.colouring->covers_all);
  view_from(*stage.renderer, "front");
  const auto image = stage.drawn();
  keep(*image, "striped");
  double least = 1, most = 0;
  for (int step = -20; step <= 20; ++step) {
    const Colour grey = at(*image, stage.seen({0, 0, 0.4}) + Eigen::Vector2d(step, 0));
    EXPECT_NEAR(grey[0], grey[2], 0.02);
    least = std::min(least, grey[1]);
    most = std::max(most, grey[1]);
  }
  EXPECT_GT(most, least + 0.08);
  const Colour below = at(*image, stage.seen({0, 0, -0.6}));
  EXPECT_GT(below[0], below[2] + 0.15);
}

TEST(ColouredSurface, StripesAreExplainedWhereTheyAreSeen) {
  auto half = cube(2, 41);
  half.dimensions[2] = 21;
  Stage stage;
  stage.show(sphere_coloured_by_z(half));
  const auto written = [&] {
    return count_of(*stage.drawn(), stage.scene.text_colour(), {0, 0.85}, {0.7, 1});
  };
  const int with_sentence = written();
  // A part of the surface that has values only.
  auto part = stage.picture.lobes;
  part.positive.values = vtkSmartPointer<vtkFloatArray>::New();
  part.positive.values->DeepCopy(stage.picture.lobes.positive.values);
  part.positive.values->Fill(0);
  stage.scene.set_lobes(part);
  EXPECT_GT(with_sentence, written() + 15);
  stage.scene.set_lobes(stage.picture.lobes);
  EXPECT_EQ(written(), with_sentence);
}

TEST(ColouredSurface, ItsBarAndTheSlicesStandApart) {
  Stage stage;
  stage.view.slice = true;
  stage.view.slice_contours = true;
  stage.view.scale_bar = true;
  for (const bool dark : {false, true}) {
    stage.show(sphere_coloured_by_z(cube(2, 21)), dark);
    view_from(*stage.renderer, "tilted");
    keep(*stage.drawn(), dark ? "two-bars-dark" : "two-bars-light");
  }
  EXPECT_GT(stage.renderer->GetActiveCamera()->GetWindowCenter()[0], 0.1);
  stage.view.slice = stage.view.surface = false;
  stage.scene.set_view(stage.view, false);
  EXPECT_EQ(stage.renderer->GetActiveCamera()->GetWindowCenter()[0], 0) << "no bar, no room for it";
}

/// As a potential: 100 times larger near the nucleus than at the lone pair's side.
TEST(FieldPicture, TheFirstIsosurfaceOfAPotentialHasBothSigns) {
  auto potential = made(cube(3, 61), [](const Vector3d& place) {
    return 10 * std::exp(-4 * place.squaredNorm()) - 0.1 * gauss(place - Vector3d(1.5, 0, 0));
  });
  auto named = *potential.field;
  named.unit = "Eh/e";
  potential.field = std::make_shared<const grid::ScalarField>(named);
  FieldView view;
  view.isovalue_mode = IsovalueMode::enclosed;
  ASSERT_GT(grid::isovalue_enclosing(named, view.enclosed, false), 0.1) << "beyond the negative values";
  const auto picture = picture_of(potential, true, view, nullptr, {});
  EXPECT_FALSE(picture.lobes.positive.empty());
  EXPECT_FALSE(picture.lobes.negative.empty());
  EXPECT_NEAR(picture.isovalue, 0.03, 0.02);
  view.isovalue_mode = IsovalueMode::value;
  view.isovalue = 0.5;
  EXPECT_EQ(picture_of(potential, true, view, nullptr, {}).isovalue, 0.5) << "as chosen";
}

// Reading values off.

TEST(FieldScene, AValueIsReadOffTheSurfaceAndItsColouringField) {
  Stage stage;
  stage.show(sphere_coloured_by_z(cube(2, 21)));
  set_camera(*stage.renderer, "0.1,-6,3,0,0,0,0,0,1");
  stage.drawn();
  const double radius = std::sqrt(std::log(2));
  const Vector3d place = radius * Vector3d(0.2, -1, 0.4).normalized();
  const auto pixel = stage.seen(place);
  const double x = pixel.x() / width, y = pixel.y() / height;
  const auto found = stage.scene.place_on_surface(x, y);
  ASSERT_TRUE(found);
  EXPECT_LT((*found - place).norm(), 0.005);
  const std::string reading = stage.scene.reading_at(x, y);
  EXPECT_TRUE(reading.starts_with("0.5 e/bohr³ at (")) << reading;
  const auto second = reading.find("\nz: ");
  ASSERT_NE(second, std::string::npos) << reading;
  EXPECT_NEAR(std::stod(reading.substr(second + 4)), place.z(), 0.005);
  EXPECT_TRUE(reading.ends_with(" e/bohr³"));
  EXPECT_EQ(stage.scene.reading_at(0.02, 0.02), "") << "beside it";

  stage.view.slice = true;  // through the middle, behind the surface
  stage.scene.set_view(stage.view, false);
  stage.drawn();
  const auto again = stage.seen(place);
  const std::string both = stage.scene.reading_at(again.x() / width, again.y() / height);
  EXPECT_TRUE(both.starts_with("Surface: 0.5 e/bohr³ at (")) << both;
  EXPECT_NE(both.find("\nSlice: "), std::string::npos) << both;
  stage.view.opacity = 1;  // what the surface hides is not read
  stage.scene.set_view(stage.view, false);
  EXPECT_TRUE(stage.scene.reading_at(again.x() / width, again.y() / height).starts_with("0.5 e/bohr³ at ("));
  EXPECT_FALSE(stage.scene.seen_at(again.x() / width, again.y() / height).slice);
  stage.view.opacity = 0.6;
  stage.view.slice_position = 0.95;  // above the surface, and seen from above
  stage.scene.set_view(stage.view, false);
  set_camera(*stage.renderer, "0.1,-1,6,0,0,0,0,1,0");
  stage.drawn();
  const auto hidden = stage.seen(radius * Vector3d(0.2, -0.3, 1).normalized());
  const auto seen = stage.scene.seen_at(hidden.x() / width, hidden.y() / height);
  EXPECT_TRUE(seen.slice && !seen.surface);
  ASSERT_TRUE(stage.scene.place_on_surface(hidden.x() / width, hidden.y() / height)) << "it is there";
  stage.view.surface = false;
  stage.scene.set_view(stage.view, false);
  EXPECT_FALSE(stage.scene.place_on_surface(again.x() / width, again.y() / height));
}

// Contour lines.

/// How much of each pixel of the picture's middle row lines cover, by how much darker it is than without them.
std::vector<double> covered(Stage& stage) {
  constexpr double colour_of_lines = 0.2;
  std::array<vtkSmartPointer<vtkImageData>, 2> images;
  for (const bool lines : {false, true}) {
    stage.view.slice_contours = lines;
    stage.scene.set_view(stage.view, false);
    images.at(lines ? 1 : 0) = stage.drawn();
  }
  std::vector<double> found(width);
  for (int x = 0; x < width; ++x) {
    const double without = at(*images[0], {x, height / 2})[1], with = at(*images[1], {x, height / 2})[1];
    found[x] = without == with ? 0 : (without - with) / (without - colour_of_lines);
  }
  return found;
}

TEST(ContourLines, LieAtTheirValuesAndKeepTheirWidthAtEveryDistance) {
  Stage stage;
  stage.view.surface = false;
  stage.view.slice = true;
  stage.show(made(cube(4, 41), [](const Vector3d& place) { return place.x(); }));
  view_from(*stage.renderer, "top");
  stage.renderer->GetActiveCamera()->ParallelProjectionOn();
  stage.renderer->ResetCameraClippingRange();
  for (const double scale : {4.0, 1.5, 0.4}) {  // half the picture's height in angstrom
    stage.renderer->GetActiveCamera()->SetParallelScale(scale);
    const auto dark = covered(stage);
    int lines = 0;
    for (const double level : {-2.0, -1.0, -0.5, -0.2, 0.2, 0.5, 1.0, 2.0}) {
      const double place = stage.seen({level, 0, 0}).x();
      if (place < 10 || place > width - 80) continue;  // the bar is there
      // Far enough from its neighbours that nothing fades: their distance is 0.3 at least.
      if (std::abs(level) < 0.5 && scale > 2) continue;
      double sum = 0, moment = 0;
      for (int x = static_cast<int>(place) - 4; x <= static_cast<int>(place) + 4; ++x) {
        sum += dark[x];
        moment += dark[x] * (x + 0.5);
      }
      ++lines;
      EXPECT_NEAR(moment / sum, place, 0.35) << "line of " << level << " at scale " << scale;
      EXPECT_NEAR(sum, 1.1, 0.1) << "its width, at scale " << scale;
    }
    EXPECT_GE(lines, 2) << scale;
  }
}

/// A plane across the box's diagonal: a hexagon in its rectangle.
TEST(Slice, EndsWithTheBoxAndSoDoItsLines) {
  Stage stage;
  stage.view.surface = false;
  stage.view.slice = stage.view.slice_contours = true;
  stage.view.slice_values = false;
  stage.view.slice_axis = SliceAxis::widest;
  stage.scene.set_widest_normal(Vector3d(1, 1, 1).normalized());
  constexpr double half = 2;
  stage.show(made(cube(half, 21), [](const Vector3d& place) { return 3 + place.x(); }));
  set_camera(*stage.renderer, "7,7,7,0,0,0,0,0,1");
  const auto image = stage.drawn();
  keep(*image, "slice-across-the-diagonal");
  const Vector3d along = Vector3d(1, -1, 0).normalized(), across = Vector3d(1, 1, -2).normalized();
  int known = 0, unknown = 0;
  for (double a = -3; a <= 3; a += 0.1) {
    for (double b = -3; b <= 3; b += 0.1) {
      const Vector3d place = a * along + b * across;
      const Eigen::Vector2d pixel = stage.seen(place);
      if (pixel.x() > width - 90) continue;  // the bar is there
      const double beyond = place.cwiseAbs().maxCoeff() - half;
      if (std::abs(beyond) < 0.06) continue;         // half a pixel
      if (std::abs(place.x() + 1) < 0.15) continue;  // the contour line of 2, which is white
      const Colour colour = at(*image, pixel);
      // No colour of a density is grey, as the outline of the whole rectangle and its handle are.
      const auto [least, most] = std::ranges::minmax(colour);
      const bool coloured = most - least > 0.1;
      EXPECT_EQ(coloured, beyond < 0) << place.transpose();
      (beyond < 0 ? known : unknown) += 1;
    }
  }
  EXPECT_GT(known, 500);
  EXPECT_GT(unknown, 500);
}

TEST(Slice, IsNotThereWhereAFieldHasNoNumber) {
  Stage stage;
  stage.view.surface = false;
  stage.view.slice = true;
  stage.show(made(cube(2, 41), [](const Vector3d& place) {
    return place.norm() < 0.7 ? std::numeric_limits<double>::quiet_NaN() : 5;
  }));
  view_from(*stage.renderer, "top");
  const auto image = stage.drawn();
  EXPECT_GT(at(*image, stage.seen({0.2, 0.2, 0}))[2], 0.995);
  EXPECT_GT(at(*image, stage.seen({0.2, 0.2, 0}))[0], 0.995);
  EXPECT_LT(at(*image, stage.seen({1.2, 0, 0}))[2], 0.9);
}

TEST(ContourLines, FadeWhereTheyWouldTouchAndAreNoneWhereTheFieldIsFlat) {
  Stage stage;
  stage.view.surface = false;
  stage.view.slice = true;
  // At 1, a level of the lines, but for rounding.
  stage.show(made(cube(4, 41), [](const Vector3d& place) {
    return std::clamp(place.x(), -1.0, 1.0) * (1 + 1e-7 * place.y());
  }));
  view_from(*stage.renderer, "top");
  const auto dark = covered(stage);
  for (const double flat : {-3.0, -2.0, 2.0}) EXPECT_NEAR(dark[stage.seen({flat, 0, 0}).x()], 0, 0.02);
  stage.renderer->GetActiveCamera()->Zoom(0.02);  // a slice of a few pixels
  stage.renderer->ResetCameraClippingRange();
  for (const double each : covered(stage)) EXPECT_LT(each, 0.35);
}

/// Beside a peak that is narrower than the grid's steps nothing is shown that the field does not have: nowhere is it
/// darker than far away, where the field is least.
TEST(SliceColours, SwingBelowNoValueBesideAPeak) {
  Stage stage;
  stage.view.surface = false;
  stage.view.slice = true;
  auto field =
      made(cube(4, 41), [](const Vector3d& place) { return 500 * std::exp(-12 * place.norm()) + 0.1; });
  field.both_signs = false;
  stage.show(field);
  view_from(*stage.renderer, "top");
  const double least = luminance(at(*stage.drawn(), stage.seen({2, 2, 0})));
  EXPECT_GT(least, 0.05);
  stage.renderer->GetActiveCamera()->Zoom(4);
  const auto image = stage.drawn();
  for (double x = -0.8; x < 0.8; x += 0.02) {
    for (double y = -0.8; y < 0.8; y += 0.02)
      ASSERT_GT(luminance(at(*image, stage.seen({x, y, 0}))), least - 0.02) << x << " " << y;
  }
}

/// The camera is fitted beside the bar, which takes the same part of the picture before a frame and in it, and after one
/// of another size.
TEST(ColourBars, TakeTheSamePartOfThePictureWheneverTheyArePlaced) {
  Stage stage;
  stage.view.slice = true;
  const auto aside = [&] {
    stage.show(made(cube(2, 21), gauss));
    return stage.renderer->GetActiveCamera()->GetWindowCenter()[0];
  };
  const double before = aside();
  stage.drawn();
  EXPECT_NEAR(stage.renderer->GetActiveCamera()->GetWindowCenter()[0], before, 0.01);
  EXPECT_NEAR(aside(), before, 0.01);
  stage.frame->SetSize(2 * width, height);
  EXPECT_NEAR(aside(), before / 2, 0.01);
}

TEST(ColourBars, LeaveTheSceneInItsPlaceWhereTheUserHasZoomed) {
  Stage stage;
  vtkNew<vtkGenericRenderWindowInteractor> interactor;
  interactor->SetRenderWindow(stage.frame);
  const auto aside = [&](bool slice) {
    stage.view.slice = slice;
    stage.show(made(cube(2, 21), gauss));
    stage.scene.keep_in_view();
    return stage.renderer->GetActiveCamera()->GetWindowCenter()[0];
  };
  EXPECT_EQ(aside(false), 0);
  EXPECT_GT(aside(true), 0.1) << "the scene is fitted beside the bar";
  EXPECT_EQ(aside(false), 0);
  zoom(*stage.renderer, 2);
  const Eigen::Vector2d middle = stage.seen({0, 0, 0});
  EXPECT_EQ(aside(true), 0);
  EXPECT_LT((stage.seen({0, 0, 0}) - middle).norm(), 1e-6);
  reset_camera(*stage.renderer);
  stage.scene.take_camera();
  EXPECT_GT(stage.renderer->GetActiveCamera()->GetWindowCenter()[0], 0.1);
  EXPECT_EQ(aside(false), 0);
}

// Values of contour lines.

struct ShownValue {
  std::string text;
  PictureBox box;
};

/// The values in the frame, whose picture is about to be drawn.
std::vector<ShownValue> values_in(const Stage& stage) {
  stage.renderer->InvokeEvent(vtkCommand::StartEvent);
  std::vector<ShownValue> shown;
  vtkCollectionSimpleIterator place;
  stage.renderer->GetViewProps()->InitTraversal(place);
  while (auto* prop = stage.renderer->GetViewProps()->GetNextProp(place)) {
    auto* text = vtkTextActor::SafeDownCast(prop);
    if (text == nullptr || text->GetLayerNumber() != value_layer || text->GetVisibility() == 0) continue;
    const PictureBox box = box_of(*text, *stage.renderer);
    if (picture_of(*stage.renderer).contains(box)) shown.push_back({text->GetInput(), box});
  }
  return shown;
}

struct WideStage : Stage {
  static constexpr int wide = 900, high = 720;  // where texts have the same size in exported pictures
  WideStage() {
    frame->SetSize(wide, high);
    view.surface = false;
    view.slice = view.slice_contours = true;
  }
};

/// Each label stands on a line of its own value, and none touches another one.
TEST(ContourValues, StandOnTheirLines) {
  const auto two = [](const Vector3d& p) {
    return gauss(p - Vector3d(1, 0, 0)) - gauss(p + Vector3d(1, 0, 0));
  };
  for (const auto& [function, signs] :
       {std::pair<Function, bool>(two, true), std::pair<Function, bool>(gauss, false)}) {
    WideStage stage;
    stage.show(made(cube(4, 121), function));
    view_from(*stage.renderer, "top");
    const auto shown = values_in(stage);
    EXPECT_GT(shown.size(), 6U);
    std::set<std::string> different;
    int negative = 0;
    for (const auto& [text, box] : shown) {
      const Eigen::Vector2d middle = box.center();
      const auto place =
          stage.scene.place_on_slice(middle.x() / WideStage::wide, middle.y() / WideStage::high);
      ASSERT_TRUE(place) << text;
      std::string number = text;
      const bool below = number.starts_with("−");
      negative += below;
      if (below) number.replace(0, std::string("−").size(), "-");
      EXPECT_TRUE(text.ends_with(" " + pretty_unit("e/bohr^3"))) << text;
      const double stated = std::stod(number), there = function(*place);
      EXPECT_NEAR(there, stated, 0.1 * std::abs(stated)) << text;
      different.insert(text);
      for (const auto& other : shown) EXPECT_TRUE(&other.box == &box || !other.box.intersects(box)) << text;
    }
    EXPECT_GT(different.size(), 4U);
    EXPECT_EQ(negative > 0, signs);
    keep(*stage.drawn(), signs ? "values-of-both-signs" : "values-of-a-density");
  }
}

TEST(ContourValues, AreLeftOutWhereTheyHaveNoRoomOrAreNotWanted) {
  WideStage stage;
  stage.show(made(cube(4, 121), gauss));
  view_from(*stage.renderer, "top");
  const auto near = values_in(stage).size();
  ASSERT_GT(near, 6U);
  zoom(*stage.renderer, 0.1);
  EXPECT_LT(values_in(stage).size(), near / 2) << "lines are a few pixels apart";
  zoom(*stage.renderer, 10);
  EXPECT_EQ(values_in(stage).size(), near);
  view_from(*stage.renderer, "front");
  EXPECT_EQ(values_in(stage).size(), 0U) << "the slice is seen edge-on";
  view_from(*stage.renderer, "top");
  for (bool FieldView::*part : {&FieldView::slice_values, &FieldView::slice_contours, &FieldView::slice}) {
    stage.view.*part = false;
    stage.scene.set_view(stage.view, false);
    EXPECT_EQ(values_in(stage).size(), 0U);
    stage.view.*part = true;
    stage.scene.set_view(stage.view, false);
    EXPECT_EQ(values_in(stage).size(), near);
  }
  stage.scene.set_field(nullptr, false);
  EXPECT_EQ(values_in(stage).size(), 0U);
}

TEST(ContourValues, AreHiddenByOpaqueSurfacesAlone) {
  WideStage stage;
  stage.view.surface = true;
  stage.view.isovalue = 0.2;  // at a distance of 1.27
  const auto inside = [&](double opacity) {
    stage.view.opacity = opacity;
    stage.show(made(cube(4, 121), gauss));
    view_from(*stage.renderer, "top");
    int count = 0, others = 0;
    for (const auto& [text, box] : values_in(stage)) (std::stod(text) > 0.2 ? count : others) += 1;
    EXPECT_GT(others, 2);
    return count;
  };
  EXPECT_GT(inside(0.5), 0);
  EXPECT_EQ(inside(1), 0);
}

TEST(ContourValues, AreInExportedPictures) {
  WideStage stage;
  stage.show(made(cube(4, 121), gauss));
  view_from(*stage.renderer, "top");
  const auto drawn = [&](bool values) {
    stage.view.slice_values = values;
    stage.scene.set_view(stage.view, false);
    return render_offscreen(*stage.renderer, {.width = WideStage::wide, .height = WideStage::high});
  };
  const auto with = drawn(true), without = drawn(false);
  const auto shown = [&] {
    stage.view.slice_values = true;
    stage.scene.set_view(stage.view, false);
    return values_in(stage);
  }();
  ASSERT_FALSE(shown.empty());
  for (const auto& [text, box] : shown)
    EXPECT_NE(at(*with, box.center() + Eigen::Vector2d(0, 0.4 * box.sizes().y())),
              at(*without, box.center() + Eigen::Vector2d(0, 0.4 * box.sizes().y())))
        << text;
}

// Volumes.

/// Colours over +-reach: from black at -reach to white at +reach, each channel linear in the value.
vtkSmartPointer<vtkLookupTable> grey_ramp(double reach) {
  auto table = vtkSmartPointer<vtkLookupTable>::New();
  table->SetNumberOfTableValues(1024);
  for (int i = 0; i < 1024; ++i) table->SetTableValue(i, i / 1023.0, i / 1023.0, i / 1023.0, 1);
  table->SetRange(-reach, reach);
  return table;
}

/// What emission and absorption add up to along a ray, straight from the differential equation in small steps; behind
/// it stands `background`.
double ray_integral(const std::function<double(double)>& value_at, double length, const FieldVolume& volume,
                    double opacity, double reach, double background) {
  constexpr int steps = 20000;
  const double step = length / steps;
  const double unit_extinction = -std::log(1 - opacity) / volume.thickness;
  double light = 0, left = 1;
  for (int i = 0; i < steps; ++i) {
    const double value = value_at((i + 0.5) * step);
    const double part = value / volume.isovalue;
    const double taken = 1 - std::exp(-unit_extinction * std::min(part * part, 4.0) * step);
    light += left * taken * std::clamp((value + reach) / (2 * reach), 0.0, 1.0);
    left *= 1 - taken;
  }
  return light + left * background;
}

struct Cloud : Framed {
  VolumeProp prop{*renderer};
  FieldVolume volume;

  Cloud(const grid::ScalarField& field, double isovalue, double reach, double opacity) {
    volume = volume_of(field, isovalue, reach);
    prop.set_volume(volume);
    prop.set_visible(true);
    prop.set_look(*grey_ramp(reach), opacity);
    renderer->SetBackground(0.2, 0.2, 0.2);
    renderer->GetActiveCamera()->ParallelProjectionOn();
  }
  vtkSmartPointer<vtkImageData> drawn_from(const std::string& preset) {
    view_from(*renderer, preset);
    return drawn();
  }
};

/// For a Gaussian the middle ray's integral of the extinction is known in closed form, too, as long as it is nowhere cut
/// off: s0/iso^2 sqrt(pi/2).
TEST(VolumePicture, OfAGaussianIsItsRayIntegral) {
  const auto field = sampled(cube(4, 81), gauss);
  for (const double opacity : {0.1, 0.5, 0.9}) {
    constexpr double isovalue = 0.6, reach = 1;
    Cloud cloud(field, isovalue, reach, opacity);
    EXPECT_NEAR(cloud.volume.thickness, 0.1 * std::sqrt(3) * 8, 1e-9);
    const double extinction = -std::log(1 - opacity) / cloud.volume.thickness / (isovalue * isovalue) *
                              std::sqrt(std::numbers::pi / 2);
    const auto along = [](double place) { return gauss({0, 0, place - 4}); };
    const double expected = ray_integral(along, 8, cloud.volume, opacity, reach, 0.2);
    // The two ways to the expected number agree on how much of the background is left.
    const double more = ray_integral(along, 8, cloud.volume, opacity, reach, 1.2) - expected;
    EXPECT_NEAR(more, std::exp(-extinction), 1e-4);
    for (const auto* side : {"top", "front", "left"}) {
      const double found = at(*cloud.drawn_from(side), {width / 2, height / 2})[1];
      EXPECT_NEAR(found, expected, 0.012) << side << ", opacity " << opacity;
    }
  }
}

/// Keeps VTK's warnings, which would go to the terminal.
class KeptWarnings final : public vtkOutputWindow {
 public:
  static KeptWarnings* New();
  vtkTypeMacro(KeptWarnings, vtkOutputWindow) void DisplayText(const char* text) override { all += text; }
  std::string all;
};
vtkStandardNewMacro(KeptWarnings);

/// Small and large isovalues of the same field, down to one of which most of the field is far above.
TEST(VolumePicture, IsItsRayIntegralAtEveryIsovalue) {
  const auto field = sampled(cube(4, 81), gauss);
  const vtkSmartPointer<vtkOutputWindow> before = vtkOutputWindow::GetInstance();
  vtkNew<KeptWarnings> kept;
  vtkOutputWindow::SetInstance(kept);
  const auto along = [](double place) { return gauss({0, 0, place - 4}); };
  for (const double isovalue : {1e-7, 1e-3, 0.05, 5.0, 1e6}) {
    constexpr double opacity = 0.1, reach = 1;
    Cloud cloud(field, isovalue, reach, opacity);
    const double expected = ray_integral(along, 8, cloud.volume, opacity, reach, 0.2);
    const double found = at(*cloud.drawn_from("top"), {width / 2, height / 2})[1];
    EXPECT_NEAR(found, expected, 0.015) << isovalue;
  }
  vtkOutputWindow::SetInstance(before);
  EXPECT_EQ(kept->all, "");
}

/// A bright ball up, to the right and in front, a dark one opposite; on grids of every kind they are seen there.
TEST(VolumePicture, StandsWhereTheFieldStands) {
  const Vector3d place(0.9, -0.6, 0.7);
  const auto two = [&](const Vector3d& p) {
    return std::exp(-3 * (p - place).squaredNorm()) - std::exp(-3 * (p + place).squaredNorm());
  };
  const Matrix3d straight = Vector3d(0.11, 0.1, 0.09).asDiagonal();
  const Matrix3d rotated = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()) * straight;
  Matrix3d sheared = straight;
  sheared(0, 1) = 0.03;
  const Matrix3d left_handed = straight * Vector3d(1, 1, -1).asDiagonal();
  for (const Matrix3d& step : {straight, rotated, sheared, left_handed}) {
    grid::Grid grid;
    grid.unit = grid::LengthUnit::angstrom;
    grid.dimensions = {51, 55, 57};
    grid.step = step;
    grid.origin = -step * Vector3d(25, 27, 28);
    Cloud cloud(sampled(grid, two), 0.5, 1, 0.9);
    cloud.renderer->SetBackground(0.5, 0.5, 0.5);
    for (const auto* side : {"top", "front", "left", "bottom"}) {
      const auto image = cloud.drawn_from(side);
      for (const double sign : {1.0, -1.0}) {
        const double found = at(*image, cloud.seen(sign * place))[1];
        if (sign > 0) {
          EXPECT_GT(found, 0.75) << side;
        } else {
          EXPECT_LT(found, 0.25) << side;
        }
      }
    }
  }
}

TEST(VolumePicture, KeepsWhatIsNotFiniteOutAndIsNoneWithoutAnIsovalue) {
  auto field = sampled(cube(2, 21), gauss);
  field.values[4000] = std::nanf("");
  field.values[4001] = INFINITY;
  const auto volume = volume_of(field, 0.5, 2);
  const double* range = volume.image->GetScalarRange();
  EXPECT_GE(range[0], 0);
  EXPECT_NEAR(range[1], std::asinh(2 / 0.5), 1e-6) << "what is too large to be told apart is cut off";
  EXPECT_EQ(volume_of(field, 0, 2).image, nullptr);
  Stage stage;
  stage.show(made(cube(2, 21), gauss));
  EXPECT_EQ(stage.picture.volume.image, nullptr) << "none is wanted";
}

/// Through the middle of a translucent ball around the Gaussian's middle: inside the cloud, about its rim, and outside
/// it. In front of the ball's near side, between its sides and behind them the cloud shines by its own share.
TEST(VolumePicture, LiesBehindBetweenAndBeforeTranslucentSurfaces) {
  constexpr double isovalue = 0.6, reach = 1, cloudy = 0.8, half = 4, background = 0.2, alpha = 0.5;
  Cloud cloud(sampled(cube(half, 81), gauss), isovalue, reach, cloudy);
  set_stage(*cloud.renderer);
  SurfaceProp ball(*cloud.renderer);
  const auto distance = sampled(cube(half, 81), [](const Vector3d& place) { return 9 - place.norm(); });
  const Rgb colour{0.5, 0.1, 0.6};
  for (const double radius : {0.5, 1.5, 3.0}) {
    ball.set_lobes(contour(distance, 9 - radius, false));
    cloud.prop.set_visible(false);
    ball.set_style(SurfaceStyle::smooth, 1, colour, colour);
    const double shade = at(*cloud.drawn_from("top"), {width / 2, height / 2})[1];
    cloud.prop.set_visible(true);
    ball.set_style(SurfaceStyle::smooth, alpha, colour, colour);
    const auto from = [&](double z, double length, double behind) {
      return ray_integral(
          [z](double along) {
            return gauss({0, 0, z - along});
          },
          length, cloud.volume, cloudy, reach, behind);
    };
    const auto through_side = [&](double behind) { return alpha * shade + (1 - alpha) * behind; };
    const double behind = from(-radius, half - radius, background);
    const double between = from(radius, 2 * radius, through_side(behind));
    const double expected = from(half, half - radius, through_side(between));
    // Of each part a ray takes whole steps: half the grid's, and two of them in a draft.
    for (const bool draft : {true, false}) {
      cloud.prop.set_draft(draft);
      EXPECT_NEAR(at(*cloud.drawn_from("top"), {width / 2, height / 2})[1], expected, draft ? 0.15 : 0.04)
          << radius << (draft ? ", draft" : "");
    }
    keep(*cloud.drawn_from("tilted"), "cloud-and-ball-" + std::to_string(radius));
  }
}

/// Four times as wide and drawn in 2 x 2 parts, whose borders cross the cloud and the ball in it: the mean of each 4 x 4
/// pixels is the small picture, most of all where the parts meet.
TEST(VolumePicture, IsTheSameInAPictureDrawnInParts) {
  Cloud cloud(sampled(cube(4, 41), gauss), 0.6, 1, 0.8);
  set_stage(*cloud.renderer);
  SurfaceProp ball(*cloud.renderer);
  ball.set_lobes(
      contour(sampled(cube(4, 81), [](const Vector3d& place) { return 9 - place.norm(); }), 8, false));
  ball.set_style(SurfaceStyle::smooth, 0.5, {0.5, 0.1, 0.6}, {0.5, 0.1, 0.6});
  view_from(*cloud.renderer, "tilted");
  constexpr int wide = 360, high = 270, times = 4;  // as small as is drawn in parts
  ImageOptions options;
  options.width = wide;
  options.height = high;
  const auto small = render_offscreen(*cloud.renderer, options);
  options.width *= times;
  options.height *= times;
  const auto large = render_offscreen(*cloud.renderer, options);
  int cloudy = 0;
  double of_borders = 0;  // where the parts meet, in the middle of either side
  int at_borders = 0;
  for (int y = 0; y < high; ++y) {
    for (int x = 0; x < wide; ++x) {
      double sum = 0;
      for (int i = 0; i < times * times; ++i)
        sum += at(*large, {times * x + i % times, times * y + i / times})[1];
      const double expected = at(*small, {x, y})[1], difference = sum / (times * times) - expected;
      cloudy += expected > 0.3;
      // One ray in the middle of a pixel sees the ball's rim otherwise than sixteen do.
      ASSERT_NEAR(difference, 0, 0.08) << x << ", " << y;
      if (std::abs(2 * x - wide) > 4 && std::abs(2 * y - high) > 4) continue;
      of_borders += std::abs(difference);
      ++at_borders;
    }
  }
  EXPECT_LT(of_borders / at_borders, 0.004);
  EXPECT_GT(cloudy, wide * high / 20) << "there is something to compare";
  keep(*large, "cloud-in-parts");
}

// Depth.

/// Two helium atoms, one behind the other and beside it, around a ball; seen from the front, along y.
struct Deep : Stage {
  MoleculeProp atoms{*renderer};
  const Vector3d near_atom{-4, -6, 0}, far_atom{4, 6, 0};

  Deep() {
    molecules::Molecule molecule;
    for (const Vector3d& place : {near_atom, far_atom})
      molecule.atoms.push_back({2, place / units::angstrom_per_bohr});
    atoms.set_molecule(molecule);
    view.opacity = 1;
  }
  /// Where the front of a ball around `centre` lies, from 0 at the front of all that is seen to 1 at its back.
  double place_in_depth(const Vector3d& centre, double radius) const {
    std::array<double, 6> bounds{};
    renderer->ComputeVisiblePropBounds(bounds.data());
    auto* camera = renderer->GetActiveCamera();
    const Vector3d eye(camera->GetPosition()), ahead(camera->GetDirectionOfProjection());
    const double first = bounds[2] - eye.y(), last = bounds[3] - eye.y();  // the box is seen straight
    EXPECT_NEAR(ahead.y(), 1, 1e-9);
    return ((centre - eye).dot(ahead) - radius - first) / (last - first);
  }
};

TEST(DepthCue, WhatIsFartherTakesMoreOfTheBackground) {
  for (const bool dark : {false, true}) {
    Deep scene;
    scene.show(made(cube(2, 61), gauss), dark);
    view_from(*scene.renderer, "front");
    const auto plain = scene.drawn();
    scene.view.depth_cue = 0.6;
    scene.scene.set_view(scene.view, dark);
    const auto cued = scene.drawn();
    keep(*cued, dark ? "depth-cue-dark" : "depth-cue");
    const Rgb background = background_colour(dark);
    const double radius_of_atoms = 0.3 * 1.4;  // of helium's van der Waals radius
    struct Ball {
      Vector3d centre;
      double radius;
    };
    for (const auto& [centre, radius] :
         {Ball{scene.near_atom, radius_of_atoms}, Ball{{0, 0, 0}, std::sqrt(std::log(2.0))},
          Ball{scene.far_atom, radius_of_atoms}}) {
      const double share = 0.6 * std::clamp(scene.place_in_depth(centre, radius), 0.0, 1.0);
      const Colour before = at(*plain, scene.seen(centre)), after = at(*cued, scene.seen(centre));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(after.at(i), (1 - share) * before.at(i) + share * background.at(i), 0.02)
            << "at y = " << centre.y() << ", dark: " << dark;
      }
    }
  }
}

TEST(DepthCue, SlicesKeepTheirColoursAndZeroAllColours) {
  Deep scene;
  scene.view.slice = true;
  scene.view.slice_axis = SliceAxis::y;
  scene.show(made(cube(2, 61), gauss));
  view_from(*scene.renderer, "front");
  const auto plain = scene.drawn();
  const Eigen::Vector2d on_slice = scene.seen({1.5, 0, 1.5}), on_atom = scene.seen(scene.far_atom);
  scene.view.depth_cue = 1;
  scene.scene.set_view(scene.view, false);
  const auto cued = scene.drawn();
  EXPECT_EQ(at(*cued, on_slice), at(*plain, on_slice));
  EXPECT_NE(at(*cued, on_atom), at(*plain, on_atom));
  scene.view.depth_cue = 0;
  scene.scene.set_view(scene.view, false);
  EXPECT_EQ(at(*scene.drawn(), on_atom), at(*plain, on_atom));
}

TEST(VolumePicture, StandsBesideSurfacesAndHasABar) {
  Stage stage;
  stage.view.volume = true;
  stage.view.scale_bar = true;
  const auto lobes =
      made(cube(3, 61), [](const Vector3d& p) { return 3 * p.z() * std::exp(-p.squaredNorm()); });
  for (const bool dark : {false, true}) {
    for (const bool surface : {false, true}) {
      stage.view.surface = surface;
      stage.show(lobes, dark);
      view_from(*stage.renderer, "tilted");
      keep(*stage.drawn(),
           std::string("volume") + (surface ? "-and-surface" : "") + (dark ? "-dark" : "-light"));
    }
  }
  EXPECT_GT(stage.renderer->GetActiveCamera()->GetWindowCenter()[0], 0.1);
}

}  // namespace
}  // namespace isolume::scene
