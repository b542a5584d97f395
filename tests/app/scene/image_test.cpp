#include "app/scene/files/image.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>
#include <vtkActor.h>
#include <vtkCamera.h>
#include <vtkCubeSource.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include "app/opengl/egl_context.h"
#include "app/scene/drawing/gl_start.h"
#include "app/scene/props/label_prop.h"
#include "app/scene/props/molecule_prop.h"
#include "app/scene/props/points_prop.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "tests/app/scene/baseline.h"

namespace isolume::scene {
namespace {

using Pixel = std::vector<int>;

Pixel pixel(vtkImageData& image, int x, int y) {
  const int channels = image.GetNumberOfScalarComponents();
  const auto* found = static_cast<const std::uint8_t*>(image.GetScalarPointer(x, y, 0));
  return {found, found + channels};
}

/// A red unit cube, unlit, in the middle of a view 2 high (orthographic), on a background of (0, 0, 128).
void fill(vtkRenderer& renderer, double opacity = 1) {
  vtkNew<vtkCubeSource> cube;
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(cube->GetOutputPort());
  vtkNew<vtkActor> actor;
  actor->SetMapper(mapper);
  actor->GetProperty()->SetColor(1, 0, 0);
  actor->GetProperty()->LightingOff();
  actor->GetProperty()->SetOpacity(opacity);
  actor->GetProperty()->BackfaceCullingOn();
  renderer.AddActor(actor);
  renderer.SetBackground(0, 0, 128 / 255.0);
  auto* camera = renderer.GetActiveCamera();
  camera->SetPosition(0, 0, 5);
  camera->ParallelProjectionOn();
  camera->SetParallelScale(1);
  renderer.ResetCameraClippingRange();
}

ImageOptions sized(int width, int height, bool transparent = false) {
  ImageOptions options;
  options.width = width;
  options.height = height;
  options.transparent = transparent;
  return options;
}

TEST(Offscreen, DrawsTheSceneAtTheWantedSizeWithoutAWindow) {
  vtkNew<vtkRenderer> renderer;
  fill(*renderer);
  const auto image = render_offscreen(*renderer, sized(320, 240));
  ASSERT_EQ(image->GetDimensions()[0], 320);
  ASSERT_EQ(image->GetDimensions()[1], 240);
  ASSERT_EQ(image->GetNumberOfScalarComponents(), 3);
  // The cube covers 120 of the 240 rows: x from 100 to 220, y from 60 to 180.
  EXPECT_EQ(pixel(*image, 160, 120), (Pixel{255, 0, 0}));
  EXPECT_EQ(pixel(*image, 101, 61), (Pixel{255, 0, 0}));
  EXPECT_EQ(pixel(*image, 218, 178), (Pixel{255, 0, 0}));
  EXPECT_EQ(pixel(*image, 98, 120), (Pixel{0, 0, 128}));
  EXPECT_EQ(pixel(*image, 160, 182), (Pixel{0, 0, 128}));
}

TEST(Offscreen, TwiceTheSameSceneIsTwiceTheSamePicture) {
  vtkNew<vtkRenderer> renderer;
  fill(*renderer);
  const auto first = render_offscreen(*renderer, sized(160, 120));
  const auto second = render_offscreen(*renderer, sized(160, 120));
  EXPECT_GE(structural_similarity(*first, *second), likeness::exact);
}

/// More atoms than one actor draws, a pixel each at least: helium 4 angstrom apart has no bonds.
TEST(Offscreen, EachOfManyAtomsIsDrawnOnce) {
  constexpr int side = 200;
  molecules::Molecule molecule;
  for (int i = 0; i < side * side; ++i)
    molecule.atoms.push_back(
        {2, Eigen::Vector3d(4 * (i % side) + 2, 4 * (i / side) + 2, 0) / units::angstrom_per_bohr});
  vtkNew<vtkRenderer> renderer;
  renderer->SetBackground(0, 0, 128 / 255.0);
  MoleculeProp atoms(*renderer);
  atoms.set_atom_scale(1);
  atoms.set_molecule(molecule);
  auto* camera = renderer->GetActiveCamera();
  camera->SetFocalPoint(2 * side, 2 * side, 0);
  camera->SetPosition(2 * side, 2 * side, 100);
  camera->ParallelProjectionOn();
  camera->SetParallelScale(2 * side);  // 4 pixels for 4 angstrom
  renderer->ResetCameraClippingRange();
  const auto drawn_from = [&](int first) {
    constexpr int margin = side;  // at both sides, as pictures narrower than 4:3 show more above
    const auto image = render_offscreen(*renderer, sized(4 * side + 2 * margin, 4 * side));
    int drawn = 0, others = 0;
    for (int i = 0; i < side * side; ++i) {
      const bool seen = pixel(*image, margin + 4 * (i % side) + 2, 4 * (i / side) + 2) != Pixel{0, 0, 128};
      (i < first ? others : drawn) += seen ? 1 : 0;
    }
    EXPECT_EQ(others, 0);
    return drawn;
  };
  EXPECT_EQ(drawn_from(0), side * side);
  std::vector<bool> shown(side * side, false);
  std::fill(shown.begin() + 5000, shown.end(), true);
  atoms.set_shown_atoms(shown);
  EXPECT_EQ(drawn_from(5000), side * side - 5000);
}

TEST(Offscreen, EdgesAreSmoothed) {
  vtkNew<vtkRenderer> renderer;
  fill(*renderer);
  renderer->GetActiveCamera()->Roll(10);
  const auto image = render_offscreen(*renderer, sized(160, 120));
  int between = 0;
  for (int y = 0; y < 120; ++y) {
    for (int x = 0; x < 160; ++x) {
      const int red = pixel(*image, x, y)[0];
      between += red > 20 && red < 235 ? 1 : 0;
    }
  }
  // Four sides of 60 pixels: about one pixel in two along them is partly covered.
  EXPECT_GT(between, 60);
}

TEST(Offscreen, ATransparentBackgroundLeavesStraightColours) {
  vtkNew<vtkRenderer> renderer;
  fill(*renderer, 0.5);
  renderer->SetUseDepthPeeling(true);
  const auto image = render_offscreen(*renderer, sized(160, 120, true));
  ASSERT_EQ(image->GetNumberOfScalarComponents(), 4);
  EXPECT_EQ(pixel(*image, 5, 5)[3], 0);
  const auto middle = pixel(*image, 80, 60);
  EXPECT_NEAR(middle[3], 128, 1);
  // Red, not red mixed with a background.
  EXPECT_NEAR(middle[0], 255, 2);
  EXPECT_EQ(middle[1], 0);
  EXPECT_EQ(middle[2], 0);
  // The renderer has its background back.
  EXPECT_NEAR(renderer->GetBackground()[2], 128 / 255.0, 1e-9);
}

TEST(Offscreen, ANarrowPictureShowsMoreAboveAndNotLessAtTheSides) {
  vtkNew<vtkRenderer> renderer;
  fill(*renderer);
  // Fitted for 4:3, the view is 2.67 wide; so it is in a picture of 100 pixels, and the cube covers 37 of
  // them.
  const auto image = render_offscreen(*renderer, sized(100, 200));
  EXPECT_EQ(pixel(*image, 50 - 17, 100), (Pixel{255, 0, 0}));
  EXPECT_EQ(pixel(*image, 50 - 21, 100), (Pixel{0, 0, 128}));
  EXPECT_EQ(renderer->GetActiveCamera()->GetParallelScale(), 1);
}

TEST(Offscreen, AWindowThatDrawsIsUsedAndLeftAsItWas) {
  const opengl::EglContext context;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  use_foreign_context(*window);
  vtkNew<vtkRenderer> renderer;
  window->AddRenderer(renderer);
  window->SetSize(200, 150);
  start_gl(*window);
  fill(*renderer);
  window->Render();
  const auto image = render_offscreen(*renderer, sized(320, 240));
  EXPECT_EQ(pixel(*image, 101, 61), (Pixel{255, 0, 0}));
  EXPECT_EQ(pixel(*image, 98, 120), (Pixel{0, 0, 128}));
  const auto transparent = render_offscreen(*renderer, sized(320, 240, true));
  EXPECT_EQ(pixel(*transparent, 5, 5)[3], 0);
  EXPECT_EQ(pixel(*transparent, 160, 120), (Pixel{255, 0, 0, 255}));
  EXPECT_EQ(window->GetSize()[0], 200);
  EXPECT_EQ(window->GetSize()[1], 150);
  EXPECT_EQ(renderer->GetRenderWindow(), window.Get());
  window->Render();
  window->Finalize();
}

TEST(Offscreen, AWindowThatCannotDrawKeepsItsRenderer) {
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  use_foreign_context(*window);
  vtkNew<vtkRenderer> renderer;
  window->AddRenderer(renderer);
  fill(*renderer);
  const auto image = render_offscreen(*renderer, sized(160, 120));
  EXPECT_EQ(pixel(*image, 80, 60), (Pixel{255, 0, 0}));
  EXPECT_EQ(renderer->GetRenderWindow(), window.Get());
}

TEST(Offscreen, SizesThatCannotBeAreRefused) {
  vtkNew<vtkRenderer> renderer;
  for (const auto& options : {sized(0, 10), sized(10, -1), sized(20000, 10)}) {
    EXPECT_THROW(render_offscreen(*renderer, options), Error);
  }
}

class Png : public ::testing::Test {
 protected:
  // Of this process: tests run side by side.
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("isolume-png-test-" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
};

vtkSmartPointer<vtkImageData> pattern(int channels, int width = 24, int height = 16) {
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(width, height, 1);
  image->AllocateScalars(VTK_UNSIGNED_CHAR, channels);
  auto* out = static_cast<std::uint8_t*>(image->GetScalarPointer());
  for (int i = 0; i < width * height * channels; ++i) out[i] = static_cast<std::uint8_t>(37 * i + i / 5);
  return image;
}

TEST_F(Png, KeepsEveryPixel) {
  for (const int channels : {3, 4}) {
    const auto image = pattern(channels);
    write_png(*image, 300, folder / "a.png");
    const auto read = read_png(folder / "a.png");
    ASSERT_EQ(read->GetNumberOfScalarComponents(), channels);
    for (const auto& [x, y] : {std::pair(0, 0), std::pair(23, 0), std::pair(5, 15), std::pair(23, 15)}) {
      EXPECT_EQ(pixel(*read, x, y), pixel(*image, x, y));
    }
  }
}

vtkSmartPointer<vtkImageData> changed(vtkImageData& image, const std::function<int(int)>& change) {
  auto copy = vtkSmartPointer<vtkImageData>::New();
  copy->DeepCopy(&image);
  auto* byte = static_cast<std::uint8_t*>(copy->GetScalarPointer());
  const auto count = copy->GetNumberOfPoints() * copy->GetNumberOfScalarComponents();
  for (vtkIdType i = 0; i < count; ++i)
    byte[i] = static_cast<std::uint8_t>(std::clamp(change(byte[i]), 0, 255));
  return copy;
}

TEST(Offscreen, ALargePictureIsDrawnInPartsThatFitTogether) {
  // Three times as large and drawn in 3 x 3 parts: the mean of each 3 x 3 pixels must be the small picture,
  // with what is in space and what lies upon the picture in their places.
  vtkNew<vtkRenderer> renderer;
  fill(*renderer, 0.5);
  renderer->UseDepthPeelingOn();
  renderer->GetActiveCamera()->Roll(20);
  renderer->GetActiveCamera()->SetWindowCenter(0.2, 0);
  vtkNew<vtkTextActor> text;
  text->SetInput("upon");
  text->GetTextProperty()->SetFontSize(60);
  text->GetPositionCoordinate()->SetCoordinateSystemToNormalizedViewport();
  text->SetPosition(0.55, 0.7);
  renderer->AddViewProp(text);
  const auto small = render_offscreen(*renderer, sized(960, 720));
  const auto large = render_offscreen(*renderer, sized(2880, 2160));
  auto reduced = vtkSmartPointer<vtkImageData>::New();
  reduced->SetDimensions(960, 720, 1);
  reduced->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  for (int y = 0; y < 720; ++y) {
    for (int x = 0; x < 960; ++x) {
      auto* out = static_cast<std::uint8_t*>(reduced->GetScalarPointer(x, y, 0));
      for (int c = 0; c < 3; ++c) {
        int sum = 0;
        for (int i = 0; i < 9; ++i) sum += pixel(*large, 3 * x + i % 3, 3 * y + i / 3)[c];
        out[c] = static_cast<std::uint8_t>(sum / 9);
      }
    }
  }
  EXPECT_GT(structural_similarity(*small, *reduced), likeness::small);
  // And as it was before.
  EXPECT_FALSE(renderer->GetActiveCamera()->GetUseExplicitProjectionTransformMatrix());
  EXPECT_TRUE(text->GetVisibility());
  EXPECT_TRUE(renderer->GetUseDepthPeeling());
  EXPECT_GE(structural_similarity(*render_offscreen(*renderer, sized(960, 720)), *small), likeness::exact);
}

/// In the view 2 high each label is where its place is, once, in a picture that is drawn in parts, too.
TEST(Offscreen, LabelsAreAtTheirPlacesInSmallAndLargePictures) {
  for (const int height : {300, 3000}) {
    vtkNew<vtkRenderer> renderer;
    fill(*renderer);
    LabelProp labels(*renderer);
    labels.set({{{-0.8, 0.8, 0}, "WWW"}, {{0.8, -0.8, 0}, "WWW"}, {{0.8, 0.8, 0}, "WWW"}});
    labels.set_text_colour({1, 1, 1});
    labels.set_visible(true);
    const auto image = render_offscreen(*renderer, {.width = height, .height = height});
    // White of letters in a square about a place, and in the rest.
    const auto white = [&](double x, double y) {
      const int half = height / 10;
      const int left = static_cast<int>((x + 1) / 2 * height) - half,
                bottom = static_cast<int>((y + 1) / 2 * height) - half;
      int count = 0;
      for (int row = std::max(0, bottom); row < std::min(height, bottom + 2 * half); ++row)
        for (int column = std::max(0, left); column < std::min(height, left + 2 * half); ++column)
          count += pixel(*image, column, row)[0] > 128 && pixel(*image, column, row)[1] > 128;
      return count;
    };
    for (const auto& [x, y] : {std::pair(-0.8, 0.8), std::pair(0.8, -0.8), std::pair(0.8, 0.8)})
      EXPECT_GT(white(x, y), 5) << height << ": " << x << ' ' << y;
    EXPECT_EQ(white(-0.8, -0.8), 0) << height;
    EXPECT_EQ(white(0, 0), 0) << height;
    labels.set_visible(false);
    const auto without = render_offscreen(*renderer, {.width = 100, .height = 100});
    EXPECT_EQ(pixel(*without, 90, 90)[1], 0);
  }
}

TEST(Similarity, IsOneForTheSamePictureAndFallsWithTheDifference) {
  const auto image = pattern(3, 64, 48);
  const double same = structural_similarity(*image, *image);
  const double shade = structural_similarity(*image, *changed(*image, [](int v) { return v + 2; }));
  const double negative = structural_similarity(*image, *changed(*image, [](int v) { return 255 - v; }));
  EXPECT_DOUBLE_EQ(same, 1);
  EXPECT_GT(shade, likeness::not_visible);
  EXPECT_LT(shade, 1);
  EXPECT_LT(negative, 0);
}

TEST(Similarity, OfTwoEvenGreysIsTheLuminanceTerm) {
  const auto grey = pattern(3, 32, 32);
  const auto dark = changed(*grey, [](int) { return 50; });
  const auto light = changed(*grey, [](int) { return 100; });
  // (2 * 50 * 100 + c1) / (50^2 + 100^2 + c1), with c1 = 2.55^2.
  EXPECT_NEAR(structural_similarity(*dark, *light), (10000 + 6.5025) / (12500 + 6.5025), 1e-9);
}

TEST(Similarity, NeedsOneSize) {
  EXPECT_THROW(structural_similarity(*pattern(3), *pattern(3, 20, 16)), Error);
}

/// A sphere of light in each quarter, and one in the middle, where the parts of a large picture meet.
TEST(Points, AreTheSameInAPictureDrawnInParts) {
  auto points = std::make_shared<LightPoints>();
  points->positions = {-0.5F, -0.4F, 0, 0.6F, -0.5F, 0, -0.6F, 0.5F, 0, 0.5F, 0.6F, 0, 0, 0, 0};
  points->masses = std::make_shared<const std::vector<float>>(5, 1.0F);
  points->radius = 0.1F;
  points->disc_light = 1;
  vtkNew<PointsProp> prop;
  prop->set_points(points);
  prop->set_bounds({-1, 1, -1, 1, -1, 1});
  vtkNew<vtkRenderer> renderer;
  renderer->AddViewProp(prop);
  renderer->GetActiveCamera()->ParallelProjectionOn();
  renderer->GetActiveCamera()->SetParallelScale(1);
  renderer->GetActiveCamera()->SetPosition(0, 0, 5);
  renderer->ResetCameraClippingRange();
  constexpr int side = 400, times = 4;
  ImageOptions options;
  options.width = options.height = side;
  const auto small = render_offscreen(*renderer, options);
  options.width = options.height = times * side;
  const auto large = render_offscreen(*renderer, options);
  int bright = 0, differ = 0;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      int sum = 0;
      for (int i = 0; i < times * times; ++i)
        sum += pixel(*large, times * x + i % times, times * y + i / times)[2];
      const int expected = pixel(*small, x, y)[2];
      bright += expected > 60;
      differ += std::abs(sum / (times * times) - expected) > 60;  // a seam, or a sphere that is not there
    }
  }
  EXPECT_GT(bright, 2500) << "of five spheres, each with 1257 pixels that are darker towards its edge";
  EXPECT_LT(differ, 20);
}

}  // namespace
}  // namespace isolume::scene
