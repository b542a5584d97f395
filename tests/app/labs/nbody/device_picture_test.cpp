// A picture of bodies that stay on a device, in VTK's context, where no CUDA device draws: by way of pinned memory.
#include <algorithm>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/labs/nbody/bodies_picture.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/files/image.h"
#include "app/scene/props/points_drawing.h"
#include "core/nbody/scenes/scenes.h"
#include "gpu/emulator/devices.h"
#include "gpu/interop/points_engine.h"
#include "gpu/nbody/gpu_solver.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::labs::nbody {
namespace {

namespace science = isolume::nbody;

std::shared_ptr<dispatch::DevicePool> pool_of_one_gpu() {
  gpu::emulator::set_devices("1x sm90 1GiB");
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  devices.push_back(std::make_unique<gpu::GpuDevice>(gpu::describe_devices().at(0)));
  return std::make_shared<dispatch::DevicePool>(std::move(devices));
}

std::shared_ptr<const science::NBodyFrame> sphere_on(const std::shared_ptr<dispatch::DevicePool>& pool) {
  auto engines = std::make_shared<science::EngineRegistry>(pool);
  engines->add(gpu::make_gpu_nbody_engine(pool));
  science::RunOptions options;
  options.solver = science::SolverKind::direct;
  options.engine = gpu::gpu_engine_name();
  science::NBodySimulation simulation(
      science::make_scene({.scene = science::SceneKind::plummer, .bodies = 400}), options, engines);
  simulation.advance(1);
  return simulation.frame(science::frame_positions | science::frame_speeds | science::frame_potentials);
}

vtkSmartPointer<vtkImageData> picture_of(vtkRenderer& renderer) {
  scene::ImageOptions options;
  options.width = options.height = 240;
  return scene::render_offscreen(renderer, options);
}

TEST(PictureOfBodiesOnADevice, IsTheHosts) {
  auto pool = pool_of_one_gpu();
  {
    BodiesRequest request{.frame = sphere_on(pool), .look = {}, .extent = Extent{.radius = 2}};
    request.look.brightness = 5;
    request.look.body = 17;
    const auto host = draw_bodies(request);
    request.from_device = gpu::make_points_engine(pool);
    const auto device = draw_bodies(request);
    ASSERT_FALSE(host.points->on_device);
    ASSERT_TRUE(device.points->on_device);
    EXPECT_EQ(device.chosen_place, host.chosen_place);
    vtkNew<vtkRenderer> renderer;
    BodiesPicture picture(*renderer);
    picture.show(host, "Speed");
    scene::view_from(*renderer, "isometric");
    const auto expected = scene::rgb_from_top(*picture_of(*renderer));
    EXPECT_GT(std::ranges::count_if(expected, [](int value) { return value > 40; }), 1000);
    picture.show(device, "Speed");
    EXPECT_EQ(scene::rgb_from_top(*picture_of(*renderer)), expected);
    EXPECT_EQ(picture.body_at(0.5, 0.5, 1000).has_value(), true);
    // Its device goes while it is shown: another context cannot have it.
    int lost = 0;
    picture.set_on_lost([&] { ++lost; });
    pool->devices()[1]->set_aside("It was pulled out.");
    EXPECT_NE(scene::rgb_from_top(*picture_of(*renderer)), expected);
    EXPECT_EQ(lost, 1);
    picture.show(host, "Speed");
    EXPECT_EQ(scene::rgb_from_top(*picture_of(*renderer)), expected);
  }
  pool.reset();
  EXPECT_EQ(gpu::emulator::memory_use(0).bytes, 0U);
  EXPECT_EQ(gpu::emulator::pinned_memory_use().bytes, 0U);
  gpu::emulator::set_devices("");
}

}  // namespace
}  // namespace isolume::labs::nbody
