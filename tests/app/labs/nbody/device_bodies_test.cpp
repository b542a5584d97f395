// Bodies drawn from the memory of the device that moves them: the same pixels as by way of the host, and no such way.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <epoxy/gl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/labs/nbody/bodies_picture.h"
#include "app/opengl/egl_context.h"
#include "app/opengl/objects.h"
#include "app/scene/props/points_drawing.h"
#include "core/nbody/scenes/scenes.h"
#include "core/simulation/runner.h"
#include "gpu/emulator/devices.h"
#include "gpu/emulator/gl_context.h"
#include "gpu/interop/points_engine.h"
#include "gpu/nbody/gpu_solver.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/values_on_gpu.h"

namespace isolume::labs::nbody {
namespace {

namespace science = isolume::nbody;
using Frame = std::shared_ptr<const science::NBodyFrame>;
using Pixels = std::vector<std::uint8_t>;

constexpr int side = 160;
constexpr simulation::Wanted shown = science::frame_positions | science::frame_speeds |
                                     science::frame_potentials | science::frame_velocities |
                                     science::frame_diagnostics;

/// A picture in memory that is drawn into.
class Canvas {
 public:
  Canvas() {
    glBindTexture(GL_TEXTURE_2D, colours_.name());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, side, side, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glBindFramebuffer(GL_FRAMEBUFFER, target_.name());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colours_.name(), 0);
    glViewport(0, 0, side, side);
  }

  /// As seen from a place on the z axis that all bodies are in the picture from.
  static Pixels picture(scene::PointsDrawing& drawing, const BodiesDrawing& bodies) {
    const auto radius = static_cast<float>(bodies.extent.radius);
    const std::array<float, 16> view{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -3 * radius, 1};
    const float near = radius, far = 10 * radius;
    const std::array<float, 16> projection{
        2, 0, 0, 0, 0, 2, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far),
        0};
    drawing.upload(*bodies.points);
    drawing.draw(*bodies.points, view, projection, side, side);
    Pixels pixels(std::size_t{4} * side * side);
    glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    return pixels;
  }

 private:
  opengl::Texture colours_;
  opengl::Framebuffer target_;
};

/// The buffers of the OpenGL context that is current.
gpu::emulator::GlContext::Real buffers_of_opengl() {
  const auto at = [](unsigned buffer) { glBindBuffer(GL_COPY_READ_BUFFER, buffer); };
  return {.size =
              [at](unsigned buffer) {
                at(buffer);
                GLint size = 0;
                glGetBufferParameteriv(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &size);
                return static_cast<std::size_t>(size);
              },
          .read =
              [at](unsigned buffer, std::span<std::byte> to) {
                at(buffer);
                glGetBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(to.size()), to.data());
              },
          .write =
              [at](unsigned buffer, std::span<const std::byte> from) {
                at(buffer);
                glBufferSubData(GL_COPY_READ_BUFFER, 0, static_cast<GLsizeiptr>(from.size()), from.data());
              }};
}

class BodiesOnADevice : public testing::Test {
 protected:
  void SetUp() override { use("1x sm90 1GiB"); }
  void TearDown() override {
    gpu::emulator::set_gl_context(nullptr);
    engine.reset();
    pool.reset();
    EXPECT_EQ(gpu::emulator::pinned_memory_use().bytes, pinned_);
    gpu::emulator::set_devices("");
  }
  void use(const std::string& devices) {
    gpu::emulator::set_devices(devices);
    pinned_ = gpu::emulator::pinned_memory_use().bytes;
    std::vector<std::unique_ptr<dispatch::Device>> all;
    all.push_back(dispatch::make_cpu_device(1));
    for (const auto& each : gpu::describe_devices()) all.push_back(std::make_unique<gpu::GpuDevice>(each));
    pool = std::make_shared<dispatch::DevicePool>(std::move(all));
    engine = gpu::make_points_engine(pool);
  }
  /// From now on the first emulated device draws for the current context.
  void share_buffers() {
    context_.real = buffers_of_opengl();
    gpu::emulator::set_gl_context(&context_);
  }
  std::unique_ptr<science::NBodySimulation> galaxies(int bodies = 500) const {
    science::SceneOptions scene;
    scene.scene = science::SceneKind::encounter;
    scene.bodies = bodies;
    science::RunOptions options;
    options.solver = science::SolverKind::direct;
    options.engine = gpu::gpu_engine_name();
    options.softening = 0.05;
    options.dt = 0.01;
    auto engines = std::make_shared<science::EngineRegistry>(pool);
    engines->add(gpu::make_gpu_nbody_engine(pool));
    engines->add(science::make_cpu_engine());
    return std::make_unique<science::NBodySimulation>(science::make_scene(scene), options, engines);
  }
  BodiesRequest request(const Frame& frame, const NBodyLook& look, bool from_device) const {
    BodiesRequest made{.frame = frame, .look = look, .extent = Extent{.middle = {1, -2, 0.5}, .radius = 12}};
    if (from_device) made.from_device = engine;
    return made;
  }
  /// Which one that is depends on how fast each was in the first step.
  dispatch::Device& holder_of(const science::NBodyFrame& frame) const {
    const auto& values = dynamic_cast<const gpu::ValuesOnGpu&>(*frame.positions.device());
    const dispatch::Device* const holder = &values.block().device();
    return **std::ranges::find_if(pool->devices(), [&](const auto* each) { return each == holder; });
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  std::shared_ptr<const gpu::PointsEngine> engine;

 private:
  gpu::emulator::GlContext context_;
  std::size_t pinned_ = 0;
};

NBodyLook coloured_by(bodies::ColourBy by, double halo) {
  NBodyLook look;
  look.colour_by = by;
  look.halo = halo;
  look.brightness = 8;
  return look;
}

int lit(const Pixels& pixels) {
  int count = 0;
  for (std::size_t i = 0; i < pixels.size(); i += 4) count += pixels[i] + pixels[i + 1] + pixels[i + 2] > 0;
  return count;
}

TEST_F(BodiesOnADevice, LookAsTheyDoByWayOfTheHost) {
  const auto simulation = galaxies();
  simulation->advance(1);
  const Frame first = simulation->frame(shown);
  simulation->advance(2);
  const Frame second = simulation->frame(shown);
  ASSERT_TRUE(second->positions.on_device_only());
  for (const bool interop : {false, true}) {
    SCOPED_TRACE(interop ? "mapped buffers" : "pinned memory");
    const opengl::EglContext context;
    const Canvas canvas;
    if (interop) share_buffers();
    scene::PointsDrawing from_host, from_device;
    using bodies::ColourBy;
    for (const auto& look :
         {coloured_by(ColourBy::speed, 0), coloured_by(ColourBy::potential, 0.3),
          coloured_by(ColourBy::origin, 0), coloured_by(ColourBy::id, 1), coloured_by(ColourBy::speed, 1)}) {
      for (const Frame& frame : {first, second}) {
        const BodiesDrawing there = draw_bodies(request(frame, look, true));
        ASSERT_TRUE(there.points->on_device);
        const Pixels found = Canvas::picture(from_device, there);
        const Pixels expected = Canvas::picture(from_host, draw_bodies(request(frame, look, false)));
        EXPECT_GT(lit(expected), 500);
        EXPECT_EQ(found, expected) << static_cast<int>(look.colour_by) << ", " << look.halo;
      }
    }
    // Densities are the host's to find; then it goes on from there.
    const auto dense = draw_bodies(request(second, coloured_by(ColourBy::density, 0), true));
    EXPECT_FALSE(dense.points->on_device);
    Canvas::picture(from_device, dense);
    const auto look = coloured_by(ColourBy::speed, 0);
    EXPECT_EQ(Canvas::picture(from_device, draw_bodies(request(first, look, true))),
              Canvas::picture(from_host, draw_bodies(request(first, look, false))));
    ASSERT_FALSE(pool->notes().empty());
    EXPECT_THAT(pool->notes().back().second,
                testing::HasSubstr(interop ? "drawn from device memory" : "through pinned memory"));
    gpu::emulator::set_gl_context(nullptr);
  }
}

TEST_F(BodiesOnADevice, PlayWithoutComingToTheHost) {
  constexpr int bodies = 3000, steps = 5;
  const opengl::EglContext context;
  const Canvas canvas;
  share_buffers();
  simulation::RunnerOptions options;
  options.wanted = shown;
  options.checkpoint_spacing = 1000;  // which the host has
  simulation::Runner runner(galaxies(bodies), options);
  const NBodyLook look = coloured_by(bodies::ColourBy::speed, 0.5);
  scene::PointsDrawing drawing;
  std::shared_ptr<const bodies::SteadyBodies> steady;
  const auto show = [&](std::int64_t step) {
    auto wanted =
        request(std::dynamic_pointer_cast<const science::NBodyFrame>(runner.go_to(step).get()), look, true);
    wanted.steady = steady;
    const BodiesDrawing made = draw_bodies(wanted);
    steady = made.steady;
    return std::pair{Canvas::picture(drawing, made), made.frame};
  };
  show(1);
  const auto before = gpu::emulator::copied_bytes();
  Pixels last;
  Frame frame;
  for (std::int64_t step = 2; step < 2 + steps; ++step) {
    auto [pixels, of] = show(step);
    EXPECT_NE(pixels, last) << "they do not move";
    last = std::move(pixels);
    frame = of;
  }
  const auto played = gpu::emulator::copied_bytes();
  // The range of the colours takes some values, whose places go there.
  constexpr std::size_t sampled = 2000 * sizeof(float);
  EXPECT_LT(played.to_host - before.to_host, steps * (sampled + bodies * sizeof(float)))
      << "less than the x of the bodies alone would be, but for the sample";
  EXPECT_LE(played.to_device - before.to_device, steps * sampled);
  EXPECT_TRUE(frame->positions.on_device_only());
  const auto positions = frame->positions.host();
  EXPECT_EQ(positions.size(), std::size_t{3} * bodies);
  drawing.abandon();
}

TEST_F(BodiesOnADevice, ThatIsLostSayWhyAndAreMadeAgain) {
  use("1x sm90 1GiB, 1x sm90 1GiB");
  const opengl::EglContext context;
  const Canvas canvas;
  scene::PointsDrawing drawing;
  const NBodyLook look = coloured_by(bodies::ColourBy::speed, 0);
  simulation::RunnerOptions options;
  options.wanted = shown;
  simulation::Runner runner(galaxies(), options);
  const auto frame = [&] {
    return std::dynamic_pointer_cast<const science::NBodyFrame>(runner.go_to(2).get());
  };
  const auto before = frame();
  const BodiesDrawing lost = draw_bodies(request(before, look, true));
  ASSERT_TRUE(lost.points->on_device);
  const Pixels expected = Canvas::picture(drawing, lost);
  holder_of(*before).set_aside("It was pulled out.");
  EXPECT_THROW(draw_bodies(request(before, look, true)), Error);
  try {
    drawing.upload(*lost.points);
    ADD_FAILURE() << "its device is gone";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("It was pulled out."));
  }
  const auto again = frame();
  ASSERT_NE(again, before);
  EXPECT_EQ(Canvas::picture(drawing, draw_bodies(request(again, look, true))), expected);
}

}  // namespace
}  // namespace isolume::labs::nbody
