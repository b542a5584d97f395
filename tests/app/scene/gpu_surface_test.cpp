#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <vtkCellArray.h>
#include <vtkDataArray.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkStaticPointLocator.h>
#include <vtk_glew.h>

#include "app/opengl/egl_context.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/gl_start.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/fields/slice_prop.h"
#include "app/scene/fields/surface_prop.h"
#include "core/base/units.h"
#include "core/dispatch/dispatch.h"
#include "gpu/emulator/devices.h"
#include "gpu/grid/resident_field.h"
#include "gpu/interop/make_surface_engine.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "tests/app/scene/analytic_field.h"
#include "tests/app/scene/baseline.h"

/// Surfaces found by the GPU's kernels and drawn from the buffers they write, against the CPU's.
namespace isolume::scene {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Field = std::shared_ptr<const grid::ScalarField>;

grid::Grid grid_of(const Matrix3d& step_angstrom, std::array<int, 3> dimensions) {
  grid::Grid grid;
  grid.dimensions = dimensions;
  grid.step = step_angstrom * units::bohr_per_angstrom;
  grid.origin = -grid.step * Vector3d(dimensions[0] - 1, dimensions[1] - 1, dimensions[2] - 1) / 2;
  return grid;
}

Matrix3d cubic(double spacing) {
  return spacing * Matrix3d::Identity();
}

Field shared(grid::ScalarField field) {
  return std::make_shared<const grid::ScalarField>(std::move(field));
}

/// Two p-like lobes that lean against each other.
double two_lobes(const Vector3d& p) {
  return (p.z() + 0.3 * p.x()) * std::exp(-1.2 * p.norm());
}

Field lobes_field() {
  return shared(sampled(grid_of(cubic(0.22), {26, 24, 27}), two_lobes));
}

class GpuSurfaces : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu::emulator::set_devices("1x sm90 1GiB");
    std::vector<std::unique_ptr<dispatch::Device>> devices;
    devices.push_back(dispatch::make_cpu_device(1));
    devices.push_back(std::make_unique<gpu::GpuDevice>(gpu::describe_devices().at(0)));
    pool = std::make_shared<dispatch::DevicePool>(std::move(devices));
    engine = gpu::make_surface_engine(pool);
  }

  /// What is left on the device when everything of a test has gone.
  void expect_nothing_left() {
    engine.reset();
    pool.reset();
    EXPECT_EQ(gpu::emulator::memory_use(0).bytes, 0U);
    EXPECT_EQ(gpu::emulator::pinned_memory_use().bytes, 0U);
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  std::shared_ptr<gpu::SurfaceEngine> engine;
};

double enclosed_volume(vtkPolyData& mesh) {
  double volume = 0;
  const vtkIdType* corner = nullptr;
  vtkIdType size = 0;
  for (vtkIdType cell = 0; cell < mesh.GetNumberOfPolys(); ++cell) {
    mesh.GetPolys()->GetCellAtId(cell, size, corner);
    std::array<Vector3d, 3> p;
    for (int k = 0; k < 3; ++k) mesh.GetPoint(corner[k], p.at(k).data());
    volume += p[0].dot(p[1].cross(p[2])) / 6;
  }
  return volume;
}

/// Points lie on the same places of the same grid edges, with the same normals.
void expect_same_vertices(vtkPolyData& found, vtkPolyData& expected) {
  ASSERT_EQ(found.GetNumberOfPoints(), expected.GetNumberOfPoints());
  vtkNew<vtkStaticPointLocator> locator;
  locator->SetDataSet(&expected);
  locator->BuildLocator();
  for (vtkIdType i = 0; i < found.GetNumberOfPoints(); ++i) {
    Vector3d place;
    Vector3d other;
    found.GetPoint(i, place.data());
    const vtkIdType nearest = locator->FindClosestPoint(place.data());
    expected.GetPoint(nearest, other.data());
    ASSERT_LT((place - other).norm(), 1e-5) << place.transpose();
    Vector3d normal;
    Vector3d other_normal;
    found.GetPointData()->GetNormals()->GetTuple(i, normal.data());
    expected.GetPointData()->GetNormals()->GetTuple(nearest, other_normal.data());
    ASSERT_GT(normal.dot(other_normal), 1 - 1e-4) << place.transpose();
  }
}

TEST_F(GpuSurfaces, AreTheCpusOnAnyGrid) {
  Matrix3d sheared = cubic(0.22);
  sheared(0, 1) = 0.06;
  sheared(1, 2) = -0.05;
  const Matrix3d rotation = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  const Matrix3d left_handed = rotation * Vector3d(0.2, 0.22, -0.24).asDiagonal();
  for (const Matrix3d& step : {cubic(0.2), Matrix3d(sheared), left_handed}) {
    const auto field = shared(sampled(grid_of(step, {27, 23, 24}), two_lobes));
    const auto expected = contour(*field, 0.12, true);
    const auto found = contour_on_gpu(*engine, field, 0.12, true);
    for (const auto lobe : {&Lobes::positive, &Lobes::negative}) {
      ASSERT_FALSE((expected.*lobe).empty());
      EXPECT_EQ((found.*lobe).isovalue, (expected.*lobe).isovalue);
      const auto mesh = mesh_of(found.*lobe);
      const auto& cpu_mesh = (expected.*lobe).mesh;
      expect_same_vertices(*mesh, *cpu_mesh);
      // Cells are cut into triangles by other diagonals: second order in the spacing.
      EXPECT_NEAR((found.*lobe).area, (expected.*lobe).area, 3e-3 * (expected.*lobe).area);
      EXPECT_GT(enclosed_volume(*mesh), 0.1);
      EXPECT_NEAR(enclosed_volume(*mesh), enclosed_volume(*cpu_mesh), 3e-3 * enclosed_volume(*cpu_mesh));
      const auto bounds = (found.*lobe).on_gpu->bounds();
      for (int i = 0; i < 6; ++i) EXPECT_NEAR(bounds.at(i), cpu_mesh->GetBounds()[i], 1e-5);
    }
  }
}

TEST_F(GpuSurfaces, AreTheCpusInNoiseToo) {
  grid::ScalarField noise;
  noise.grid = grid_of(cubic(1), {33, 9, 10});
  std::mt19937 random(5);
  for (std::size_t i = 0; i < noise.grid.point_count(); ++i) {
    noise.values.push_back(static_cast<float>(random()) / 4294967296.0F);
  }
  const auto field = shared(std::move(noise));
  // Where cells are cut in other ways, vertices are still the same.
  expect_same_vertices(*mesh_of(contour_on_gpu(*engine, field, 0.45, false).positive),
                       *contour(*field, 0.45, false).positive.mesh);
}

TEST_F(GpuSurfaces, AreUsedForLargeFieldsWhereThereIsAGpu) {
  const auto small = lobes_field();
  EXPECT_EQ(contour_where_best(engine.get(), small, 0.12, true).positive.on_gpu, nullptr);
  const auto large = shared(sampled(grid_of(cubic(0.1), {70, 64, 60}), two_lobes));
  EXPECT_EQ(contour_where_best(nullptr, large, 0.12, false).positive.on_gpu, nullptr);
  EXPECT_NE(contour_where_best(engine.get(), large, 0.12, false).positive.on_gpu, nullptr);
  pool->devices()[1]->set_aside("It was taken out for this test.");
  const auto rescued = contour_where_best(engine.get(), large, 0.12, false);
  EXPECT_EQ(rescued.positive.on_gpu, nullptr);
  EXPECT_FALSE(rescued.positive.empty()) << "the CPU does it";
}

TEST_F(GpuSurfaces, AreEmptyWhereTheFieldDoesNotReach) {
  const auto lobes = contour_on_gpu(*engine, lobes_field(), 5, true);
  EXPECT_TRUE(lobes.positive.empty());
  EXPECT_TRUE(lobes.negative.empty());
  EXPECT_NE(mesh_of(lobes.positive), nullptr);
  EXPECT_TRUE(contour_on_gpu(*engine, lobes_field(), -1, true).positive.empty());
}

/// A renderer with two lobes, drawn as the view draws them.
struct Stage {
  vtkNew<vtkRenderer> renderer;
  std::unique_ptr<SurfaceProp> prop;

  explicit Stage(Lobes lobes) : prop(std::make_unique<SurfaceProp>(*renderer)) {
    renderer->SetBackground(1, 1, 1);
    renderer->SetUseDepthPeeling(true);
    renderer->SetMaximumNumberOfPeels(8);
    renderer->SetOcclusionRatio(0);
    prop->set_lobes(std::move(lobes));
    style(SurfaceStyle::smooth, 1);
    set_camera(*renderer, "4,-6,3,0,0,0,0,0,1");
  }
  void style(SurfaceStyle style, double opacity) {
    prop->set_style(style, opacity, {0.2, 0.4, 0.9}, {0.9, 0.5, 0.1});
  }
  vtkSmartPointer<vtkImageData> picture() {
    ImageOptions options;
    options.width = 320;
    options.height = 240;
    return render_offscreen(*renderer, options);
  }
};

/// For a person to look at, where this is set: the folder.
void keep(vtkImageData& picture, const std::string& name) {
  if (const char* folder = std::getenv("ISOLUME_KEEP_PICTURES")) {
    write_png(picture, 72, std::filesystem::path(folder) / (name + ".png"));
  }
}

TEST_F(GpuSurfaces, LookLikeTheCpusInEveryStyle) {
  const auto field = lobes_field();
  {
    Stage cpu(contour(*field, 0.12, true));
    Stage gpu(contour_on_gpu(*engine, field, 0.12, true));
    struct Style {
      std::string name;
      SurfaceStyle style;
      double opacity;
      double likeness;
    };
    // A mesh shows the diagonals, which differ: the same shape, but other lines.
    constexpr double other_diagonals = 0.75;
    for (const auto& each : {Style{"opaque", SurfaceStyle::smooth, 1, likeness::not_visible},
                             Style{"translucent", SurfaceStyle::smooth, 0.5, likeness::not_visible},
                             Style{"mesh", SurfaceStyle::mesh, 1, other_diagonals},
                             Style{"points", SurfaceStyle::points, 1, likeness::not_visible},
                             Style{"opaque-again", SurfaceStyle::smooth, 1, likeness::not_visible}}) {
      cpu.style(each.style, each.opacity);
      gpu.style(each.style, each.opacity);
      const auto expected = cpu.picture();
      const auto found = gpu.picture();
      keep(*expected, each.name + "-cpu");
      keep(*found, each.name + "-gpu");
      EXPECT_GE(structural_similarity(*found, *expected), each.likeness) << each.name;
    }
    const auto notes = pool->notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_EQ(notes[0].first, "display");
    EXPECT_NE(notes[0].second.find("through pinned memory"), std::string::npos) << notes[0].second;
  }
  expect_nothing_left();
}

/// The field as an engine leaves it that has computed it there.
Field on_device(const dispatch::DevicePool& pool, const grid::ScalarField& field) {
  const auto& device = dynamic_cast<const gpu::GpuDevice&>(*pool.devices()[1]);
  auto there = field;
  there.values = grid::Values(std::make_shared<const gpu::ResidentField>(device, field));
  return shared(std::move(there));
}

TEST_F(GpuSurfaces, OfAFieldThatIsThereTakeItFromThere) {
  {
    const auto field = lobes_field();
    const auto there = on_device(*pool, *field);
    const auto before = gpu::emulator::copied_bytes();
    const auto lobes = contour_on_gpu(*engine, there, 0.12, true);
    const auto after = gpu::emulator::copied_bytes();
    const std::size_t bytes = field->values.size() * sizeof(float);
    EXPECT_LT(after.to_device - before.to_device, bytes / 4) << "nothing but the table of cases";
    EXPECT_TRUE(there->values.on_device_only());
    const auto uploaded = contour_on_gpu(*engine, field, 0.12, true);
    EXPECT_GE(gpu::emulator::copied_bytes().to_device - after.to_device, bytes);
    expect_same_vertices(*mesh_of(lobes.positive), *mesh_of(uploaded.positive));
    EXPECT_EQ(lobes.negative.triangle_count(), uploaded.negative.triangle_count());
  }
  expect_nothing_left();
}

TEST_F(GpuSurfaces, SlicesOfAFieldThatIsThereLookTheSame) {
  {
    const auto field = lobes_field();
    const auto there = on_device(*pool, *field);
    const auto picture = [](const Field& shown, const Vector3d& normal, double position) {
      vtkNew<vtkRenderer> renderer;
      renderer->SetBackground(1, 1, 1);
      SliceProp slice(*renderer);
      slice.set_colours({0.9, 0.5, 0.1}, {1, 1, 1}, {0.2, 0.4, 0.9}, {0, 0, 0});
      slice.set_field(shown, true);
      slice.set_plane(normal, position);
      slice.set_visible(true, true, false);
      set_camera(*renderer, "4,-6,3,0,0,0,0,0,1");
      ImageOptions options;
      options.width = 320;
      options.height = 240;
      return render_offscreen(*renderer, options);
    };
    for (const Vector3d& normal : {Vector3d(0, 1, 0), Vector3d(1, -1, 0.5).normalized().eval()}) {
      const auto expected = picture(field, normal, 0.45);
      const auto found = picture(there, normal, 0.45);
      keep(*expected, normal.x() == 0 ? "slice-host" : "slice-oblique-host");
      keep(*found, normal.x() == 0 ? "slice-device" : "slice-oblique-device");
      EXPECT_GE(structural_similarity(*found, *expected), likeness::not_visible);
    }
    EXPECT_TRUE(there->values.on_device_only()) << "only samples should have come to the host";
  }
  expect_nothing_left();
}

TEST_F(GpuSurfaces, ChangeWithTheIsovalueAndTheField) {
  {
    const auto field = lobes_field();
    Stage gpu(contour_on_gpu(*engine, field, 0.12, true));
    Stage cpu({});
    gpu.picture();
    for (const double isovalue : {0.2, 0.05, 5.0, 0.1}) {
      gpu.prop->set_lobes(contour_on_gpu(*engine, field, isovalue, true));
      cpu.prop->set_lobes(contour(*field, isovalue, true));
      EXPECT_GE(structural_similarity(*gpu.picture(), *cpu.picture()), likeness::not_visible) << isovalue;
    }
    // From the GPU's to the CPU's and back, in one prop.
    gpu.prop->set_lobes(contour(*field, 0.12, true));
    cpu.prop->set_lobes(contour(*field, 0.12, true));
    EXPECT_GE(structural_similarity(*gpu.picture(), *cpu.picture()), likeness::exact);
    gpu.prop->set_lobes(contour_on_gpu(*engine, field, 0.12, true));
    EXPECT_GE(structural_similarity(*gpu.picture(), *cpu.picture()), likeness::not_visible);
  }
  expect_nothing_left();
}

TEST_F(GpuSurfaces, AreColouredByASecondFieldAsTheCpusAre) {
  const auto field = lobes_field();
  const auto second =
      sampled(grid_of(cubic(0.3), {20, 20, 20}), [](const Vector3d& p) { return p.x() + p.z(); });
  {
    const auto sampled_from = [&](Lobes lobes) {
      sample(second, lobes);
      return lobes;
    };
    Stage cpu(sampled_from(contour(*field, 0.12, true)));
    Stage gpu(contour_on_gpu(*engine, field, 0.12, true));
    gpu.picture();  // without values first: the buffers are there already
    gpu.prop->set_lobes(sampled_from(contour_on_gpu(*engine, field, 0.12, true)));
    const auto table = diverging_map({0.9, 0.5, 0.1}, {0.9, 0.9, 0.9}, {0.2, 0.4, 0.9}, 1.5);
    const auto plain = cpu.picture();
    for (Stage* stage : {&cpu, &gpu}) stage->prop->set_values_shown(table);
    for (const double opacity : {1.0, 0.5}) {
      for (Stage* stage : {&cpu, &gpu}) stage->style(SurfaceStyle::smooth, opacity);
      const auto expected = cpu.picture();
      const auto found = gpu.picture();
      keep(*expected, fmt::format("coloured-{}-cpu", opacity));
      keep(*found, fmt::format("coloured-{}-gpu", opacity));
      EXPECT_GE(structural_similarity(*found, *expected), likeness::not_visible) << opacity;
    }
    for (Stage* stage : {&cpu, &gpu}) {
      stage->style(SurfaceStyle::smooth, 1);
      stage->prop->set_values_shown(nullptr);
    }
    EXPECT_GE(structural_similarity(*gpu.picture(), *plain), likeness::not_visible) << "and back";
    gpu.prop->set_lobes(contour_on_gpu(*engine, field, 0.05, true));  // more vertices, and no values
    cpu.prop->set_lobes(contour(*field, 0.05, true));
    EXPECT_GE(structural_similarity(*gpu.picture(), *cpu.picture()), likeness::not_visible);
  }
  expect_nothing_left();
}

/// Buffers that OpenGL has in the current context.
int gl_buffers() {
  int count = 0;
  for (unsigned name = 1; name < 1000; ++name) count += glIsBuffer(name) == GL_TRUE ? 1 : 0;
  return count;
}

TEST_F(GpuSurfaces, LeaveNoOpenGlBuffersBehind) {
  {
    const opengl::EglContext context;
    vtkNew<vtkGenericOpenGLRenderWindow> window;
    use_foreign_context(*window);
    window->SetSize(160, 120);
    start_gl(*window);
    Stage empty({});
    window->AddRenderer(empty.renderer);
    window->Render();
    const int before = gl_buffers();
    const auto field = lobes_field();
    empty.prop->set_lobes(contour_on_gpu(*engine, field, 0.12, true));
    window->Render();
    const int drawn = gl_buffers();
    EXPECT_GE(drawn, before + 6) << "points, normals and triangles of two lobes";
    for (const double isovalue : {0.11, 0.13}) {
      empty.prop->set_lobes(contour_on_gpu(*engine, field, isovalue, true));
      window->Render();
    }
    EXPECT_EQ(gl_buffers(), drawn) << "buffers are used again";
    // The window loses its resources and gets them again, as when a widget moves to another window.
    window->ReleaseGraphicsResources(window);
    EXPECT_LE(gl_buffers(), before);
    window->Render();
    EXPECT_GE(gl_buffers(), before + 6);
    empty.prop.reset();
    EXPECT_LE(gl_buffers(), before) << "a prop that goes takes its buffers along";
    window->RemoveRenderer(empty.renderer);
    window->Finalize();
  }
  expect_nothing_left();
}

TEST_F(GpuSurfaces, MayOutliveTheirContext) {
  {
    auto stage = std::make_unique<Stage>(contour_on_gpu(*engine, lobes_field(), 0.12, true));
    {
      const opengl::EglContext context;
      vtkNew<vtkGenericOpenGLRenderWindow> window;
      use_foreign_context(*window);
      window->SetSize(160, 120);
      start_gl(*window);
      window->AddRenderer(stage->renderer);
      window->Render();
      window->RemoveRenderer(stage->renderer);
    }
    const auto again = stage->picture();  // in another context
    Stage cpu(contour(*lobes_field(), 0.12, true));
    EXPECT_GE(structural_similarity(*again, *cpu.picture()), likeness::not_visible);
  }
  expect_nothing_left();
}

TEST_F(GpuSurfaces, OneThatCannotBeWrittenIsLeftOut) {
  Stage stage(contour_on_gpu(*engine, lobes_field(), 0.12, true));
  gpu::emulator::set_devices("");  // the device is gone
  const auto picture = stage.picture();
  const auto* pixels = static_cast<const unsigned char*>(picture->GetScalarPointer());
  EXPECT_EQ(static_cast<int>(pixels[3 * (120 * 320 + 160)]), 255) << "only the white background";
  stage.prop.reset();
}

}  // namespace
}  // namespace isolume::scene
