// What is cut away of a volume, on a grid whose axes run against those of the scene.
#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/files/image.h"
#include "app/scene/props/volume_prop.h"

namespace isolume::scene {
namespace {

constexpr int side = 160;

TEST(VolumeCut, RemovesWhatIsBeyondAllSides) {
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> frame;
  frame->SetReadyForRendering(false);
  frame->SetSize(side, side);
  frame->AddRenderer(renderer);
  // A bright box of 8 x 8 x 8 about the origin, whose first axis runs along -y and second one along -x; z against them.
  grid::ScalarField field;
  field.grid = grid::centred(Eigen::Vector3d::Zero(), {33, 33, 33}, 0.25, grid::LengthUnit::angstrom);
  Eigen::Matrix3d axes;
  axes << 0, -1, 0, -1, 0, 0, 0, 0, -1;
  ASSERT_GT(axes.determinant(), 0);
  field.grid.step = 0.25 * axes;
  field.grid.origin = axes * Eigen::Vector3d::Constant(-4);
  field.values = std::vector<float, UninitialisedAllocator<float>>(field.grid.point_count(), 1.F);
  VolumeProp prop(*renderer);
  prop.set_volume(volume_of(field, 0.5, 1));
  vtkNew<vtkLookupTable> white;
  white->SetHueRange(0, 0);
  white->SetSaturationRange(0, 0);
  white->SetValueRange(0, 1);
  white->SetRange(0, 1);
  white->Build();
  prop.set_look(*white, 0.95);
  prop.set_visible(true);
  set_orthographic(*renderer, true);
  view_from(*renderer, "top");
  const auto is_seen = [&](double x, double y) {
    const auto image = render_offscreen(*renderer, {.width = side, .height = side});
    renderer->SetWorldPoint(x, y, 0, 1);
    renderer->WorldToView();
    const double* place = renderer->GetViewPoint();
    return image->GetScalarComponentAsDouble(static_cast<int>((place[0] + 1) / 2 * side),
                                             static_cast<int>((place[1] + 1) / 2 * side), 0, 0) > 100;
  };
  const auto seen = [&] {
    return std::array{is_seen(-2, -2), is_seen(2, -2), is_seen(-2, 2), is_seen(2, 2)};
  };
  using All = std::array<bool, 4>;
  EXPECT_EQ(seen(), (All{true, true, true, true}));
  const auto cut = [&](const std::array<int, 3>& sides) { prop.set_cut({0.3, -0.2, 0}, sides); };
  cut({1, 0, 0});
  EXPECT_EQ(seen(), (All{true, false, true, false}));
  cut({-1, 0, 0});
  EXPECT_EQ(seen(), (All{false, true, false, true}));
  cut({0, -1, 0});
  EXPECT_EQ(seen(), (All{false, false, true, true}));
  cut({1, -1, 0});
  EXPECT_EQ(seen(), (All{true, false, true, true})) << "the corner alone";
  cut({0, 0, 1});
  EXPECT_EQ(seen(), (All{true, true, true, true})) << "from above, the half below is seen";
  prop.set_cut({0, 0, -5}, {0, 0, 1});
  EXPECT_EQ(seen(), (All{false, false, false, false})) << "all of it is above";
  cut({0, 0, 0});
  EXPECT_EQ(seen(), (All{true, true, true, true}));
  frame->RemoveRenderer(renderer);
}

}  // namespace
}  // namespace isolume::scene
