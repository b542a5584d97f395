#include "app/scene/fields/slice_handle.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <gtest/gtest.h>
#include <vtkCamera.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkGenericRenderWindowInteractor.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/fields/slice_prop.h"
#include "app/scene/files/image.h"
#include "tests/app/scene/analytic_field.h"

namespace isolume::scene {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int width = 640, height = 480;

/// A black slice with a red outline, alone.
struct Scene {
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> frame;
  SliceProp slice{*renderer};
  SliceHandle handle{*renderer, [](double) {}};

  Scene() {
    frame->SetReadyForRendering(false);
    frame->SetSize(width, height);
    frame->AddRenderer(renderer);
    renderer->SetBackground(0, 0, 0);
    const auto grid = grid::centred(Vector3d::Zero(), {21, 21, 21}, 0.4, grid::LengthUnit::angstrom);
    slice.set_field(std::make_shared<const grid::ScalarField>(
                        sampled(grid, [](const Vector3d& place) { return place.x(); })),
                    true);
    const Rgb black{0, 0, 0};
    slice.set_colours(black, black, black, black);
    slice.set_visible(true, false, false);
    handle.set_colour({1, 0, 0}, {1, 0, 0});
    handle.set_visible(true);
  }
  ~Scene() { frame->RemoveRenderer(renderer); }

  /// Whether the ball is seen, next to the slice.
  bool has_ball() {
    const auto image = drawn();
    const auto& r = slice.rectangle();
    const Vector3d side = r.corner + r.length * r.along + r.width / 2 * r.across;
    const Vector2d place = seen(side + 0.01 * std::max(r.length, r.width) * r.along);
    return *static_cast<const std::uint8_t*>(
               image->GetScalarPointer(static_cast<int>(place.x()), static_cast<int>(place.y()), 0)) > 20;
  }

  /// Of the outline's width, the part that is seen where least of it is. The side with the ball and the corners' nearest
  /// surroundings are left out. Images have half the rendered resolution.
  double least_width(double scale) {
    slice.set_pixel_scale(scale);
    handle.set_pixel_scale(scale);
    const auto image = drawn();
    if (const char* folder = std::getenv("ISOLUME_KEEP_PICTURES"))
      write_png(*image, 72, std::filesystem::path(folder) / "outline.png");
    const auto& r = slice.rectangle();
    const Vector3d along = r.length * r.along, across = r.width * r.across;
    const std::array<std::array<Vector3d, 2>, 3> sides{{{r.corner, r.corner + along},
                                                        {r.corner + across, r.corner + across + along},
                                                        {r.corner, r.corner + across}}};
    double least = 1e300;
    for (const auto& [from, to] : sides) {
      if ((seen(to) - seen(from)).norm() < 20) continue;  // seen from its end
      const Vector2d direction = (seen(to) - seen(from)).normalized();
      for (double part = 0.05; part < 0.95; part += 0.0025) {
        const double red = red_across(*image, seen(from + part * (to - from)), direction);
        least = std::min(least, red / (outline_width * scale / 2));
      }
    }
    return least;
  }

 private:
  vtkSmartPointer<vtkImageData> drawn() {
    ImageOptions options;
    options.width = width;
    options.height = height;
    return render_offscreen(*renderer, options);
  }
  Vector2d seen(const Vector3d& place) const {
    renderer->SetWorldPoint(place.x(), place.y(), place.z(), 1);
    renderer->WorldToView();
    const double* view = renderer->GetViewPoint();
    return {(view[0] + 1) / 2 * width, (view[1] + 1) / 2 * height};
  }
  /// Over a short piece of the line, so that single pixels do not count; in pixels.
  static double red_across(vtkImageData& image, const Vector2d& middle, const Vector2d& direction) {
    const Vector2d sideways(-direction.y(), direction.x());
    constexpr double step = 0.25, reach = 5;
    double sum = 0;
    for (const double along : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      for (double aside = -reach; aside <= reach; aside += step) {
        const Vector2d place = middle + along * direction + aside * sideways;
        const int column = std::clamp(static_cast<int>(place.x()), 0, width - 1);
        const int row = std::clamp(static_cast<int>(place.y()), 0, height - 1);
        sum += *static_cast<const std::uint8_t*>(image.GetScalarPointer(column, row, 0)) / 255.0 * step / 5;
      }
    }
    return sum;
  }
};

TEST(SliceHandle, ItsOutlineHasNoGapsHoweverTheSliceIsTilted) {
  Scene scene;
  for (const Vector3d& normal :
       {Vector3d(0, 0, 1), Vector3d(1, 2, 3), Vector3d(3, -1, 0.5), Vector3d(0.2, 1, 0.1)}) {
    scene.slice.set_plane(normal.normalized(), 0.5);
    scene.handle.set_rectangle(scene.slice.rectangle(), 0.5);
    for (const char* from : {"top", "front", "tilted", "isometric"}) {
      for (const bool orthographic : {false, true}) {
        set_orthographic(*scene.renderer, orthographic);
        view_from(*scene.renderer, from);
        for (const double scale : {2.0, 4.0}) {
          const double least = scene.least_width(scale);
          // Without smoothing a line of 3.2 pixels is 3 wide along rows or columns: 0.66 of it across a diagonal one.
          EXPECT_GT(least, 0.55) << normal.transpose() << " from " << from << ", scale " << scale;
        }
      }
    }
  }
}

TEST(SliceHandle, ItsBallIsDrawnOnlyWhereItCanBeDragged) {
  Scene scene;
  scene.slice.set_plane(Vector3d::UnitZ(), 0.5);
  scene.handle.set_rectangle(scene.slice.rectangle(), 0.5);
  view_from(*scene.renderer, "top");
  EXPECT_FALSE(scene.has_ball()) << "an exported picture has no handles";
  vtkNew<vtkGenericRenderWindowInteractor> interactor;
  interactor->SetRenderWindow(scene.frame);
  scene.handle.set_visible(true);
  EXPECT_TRUE(scene.has_ball());
  scene.handle.set_visible(false);
  EXPECT_FALSE(scene.has_ball());
}

}  // namespace
}  // namespace isolume::scene
