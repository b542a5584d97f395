// Fields that stay on the GPU that has computed them: the same bits as by way of the host, and no byte of them there.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/orbitals/field_request.h"
#include "gpu/grid/resident_field.h"
#include "gpu/orbitals/gpu_engine.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/allocator.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/surfaces/marching_cubes.h"
#include "tests/core/orbitals/made_up_wavefunction.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

using orbitals::Computed;
using orbitals::FieldKind;
using orbitals::Keep;

struct Mesh {
  std::vector<float> points, normals;
  std::vector<std::uint32_t> triangles;
  bool operator==(const Mesh&) const = default;
};

Mesh mesh_of(const MarchingCubes& cubes) {
  Mesh mesh{std::vector<float>(3 * cubes.vertex_count()), std::vector<float>(3 * cubes.vertex_count()),
            std::vector<std::uint32_t>(3 * cubes.triangle_count())};
  const Stream stream(cubes.field().device());
  DeviceBuffer<float> points(stream, mesh.points.size());
  DeviceBuffer<float> normals(stream, mesh.normals.size());
  DeviceBuffer<std::uint32_t> triangles(stream, mesh.triangles.size());
  cubes.write_vertices(points.device_data(), normals.device_data(), stream);
  cubes.write_triangles(triangles.device_data(), stream);
  download<float>(stream, points.device_data(), mesh.points, surface_deadline(), {});
  download<float>(stream, normals.device_data(), mesh.normals, surface_deadline(), {});
  download<std::uint32_t>(stream, triangles.device_data(), mesh.triangles, surface_deadline(), {});
  return mesh;
}

molecules::Wavefunction with_orbitals() {
  molecules::Wavefunction made;
  made.molecule = test::atoms_at({{0, 0, 0}, {1.2, 0.3, -0.8}});
  for (int atom = 0; atom < 2; ++atom) {
    made.basis.shells.push_back(test::shell(atom, 0, false, {2.5, 0.6}, {0.4, 0.7}));
    made.basis.shells.push_back(test::shell(atom, 1, false, {0.5}, {1.0}));
    made.basis.shells.push_back(test::shell(atom, 2, true, {0.8}, {1.0}));
  }
  molecules::OrbitalSet set;
  set.coefficients = 0.4 * test::random_coefficients(made.basis, 3, 5);
  for (const double occupation : {2, 2, 0}) {
    molecules::Orbital orbital;
    orbital.occupation = occupation;
    set.orbitals.push_back(orbital);
  }
  made.sets = {set};
  return made;
}

class FieldOnDevice : public testing::Test {
 protected:
  /// The CPU and these emulated devices, or those of the machine.
  void make_pool([[maybe_unused]] const std::string& emulated) {
    pool.reset();
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices(emulated);
    some_device_hangs = false;
#endif
    std::vector<std::unique_ptr<dispatch::Device>> devices;
    devices.push_back(dispatch::make_cpu_device(2));
    for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
    pool = std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
  }
  bool has_gpu() const {
    return pool->devices().size() > 1;
  }
  std::string every_gpu() const {
    std::string text = "1";
    for (std::size_t i = 2; i < pool->devices().size(); ++i) text += fmt::format(",{}", i);
    return text;
  }
  Computed<grid::ScalarField> compute(const orbitals::Engine& engine, Keep keep, FieldKind kind,
                                      const std::string& devices) const {
    orbitals::FieldRequest request;
    request.kind = kind;
    orbitals::EngineOptions options;
    options.devices = devices;
    options.kernel = kernel;
    return orbitals::compute_field(wavefunction, request, grid, engine, options, {}, keep);
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  std::string kernel = "auto";
  molecules::Wavefunction wavefunction = with_orbitals();
  grid::Grid grid = test::box_grid({15, 10, 32}, {0.6, 0.7, 0.3}, {-4, -3.2, -4.8});
};

std::shared_ptr<const ResidentField> resident(const grid::ScalarField& field) {
  return std::dynamic_pointer_cast<const ResidentField>(field.values.device());
}

TEST_F(FieldOnDevice, GoesToItsSurfaceWithoutTouchingTheHost) {
  for (const std::string devices :
       {"1x sm90 1GiB", "2x sm90 1GiB", "2x sm90 1GiB, 1x sm80 slow 512MiB, 1x sm75 256MiB"}) {
    make_pool(devices);
    if (!has_gpu()) GTEST_SKIP() << pool->why_no_gpu();
    const auto engine = make_gpu_engine(pool);
    if (pool->devices().size() > 2) kernel = "cached";  // a plane is a tile: there is something for everybody
    for (const auto kind : {FieldKind::orbital, FieldKind::density}) {
      const auto by_host = compute(*engine, Keep::in_host_memory, kind, every_gpu());
      ASSERT_EQ(resident(by_host.values), nullptr);
#ifdef ISOLUME_GPU_EMULATED
      const auto before = emulator::copied_bytes();
#endif
      const auto kept = compute(*engine, Keep::where_computed, kind, every_gpu());
      const auto field = resident(kept.values);
      ASSERT_NE(field, nullptr) << devices;
      const MarchingCubes cubes(std::make_shared<const SurfaceField>(field), 0.03);
#ifdef ISOLUME_GPU_EMULATED
      const auto after = emulator::copied_bytes();
      // Two sums and the surface's extents: of 1024 parts at most, 32 bytes each.
      EXPECT_LE(after.to_host - before.to_host, 8 + 1024 * 32U) << devices;
      const std::size_t bytes = grid.point_count() * sizeof(float);
      EXPECT_LT(after.to_host - before.to_host, bytes) << "the test's field is too small to tell";
      // On a busy machine one GPU may have computed all tiles before another's thread had its turn.
      const auto took_part = [&](bool owner) {
        return std::ranges::any_of(kept.report.shares, [&](const auto& share) {
          return share.tiles > 0 && (share.which == &field->device()) == owner;
        });
      };
      const std::size_t travelled = after.between_devices - before.between_devices;
      EXPECT_EQ(travelled > 0, took_part(false)) << devices;
      EXPECT_EQ(travelled < bytes, took_part(true)) << "the owner's part need not travel";
#endif
      EXPECT_TRUE(kept.values.values.on_device_only());
      EXPECT_NE(kept.report.reason.find("stays on"), std::string::npos) << kept.report.reason;
      const MarchingCubes uploaded(std::make_shared<const SurfaceField>(field->device(), by_host.values),
                                   0.03);
      EXPECT_GT(cubes.triangle_count(), 100U);
      EXPECT_EQ(mesh_of(cubes), mesh_of(uploaded));
      EXPECT_EQ(kept.values.values, by_host.values.values) << "every bit";
    }
  }
}

TEST_F(FieldOnDevice, OfAnEngineWithoutDevicesIsInHostMemory) {
  const auto cpu = orbitals::make_cpu_engine();
  const auto kept = compute(*cpu, Keep::where_computed, FieldKind::orbital, "all");
  EXPECT_EQ(kept.values.values.device(), nullptr);
  EXPECT_EQ(kept.values.values, compute(*cpu, Keep::in_host_memory, FieldKind::orbital, "all").values.values);
}

TEST_F(FieldOnDevice, IsNotKeptWhereThePersonNamesTheCpuToo) {
  make_pool("1x sm90 1GiB");
  if (!has_gpu()) GTEST_SKIP() << pool->why_no_gpu();
  const auto kept = compute(*make_gpu_engine(pool), Keep::where_computed, FieldKind::orbital, "0,1");
  EXPECT_EQ(kept.values.values.device(), nullptr);
  EXPECT_EQ(kept.values.values.size(), grid.point_count());
}

#ifdef ISOLUME_GPU_EMULATED
TEST_F(FieldOnDevice, ComesByWayOfTheHostWhereItsDeviceFails) {
  for (const std::string fault : {"fails@2", "fails@4", "hangs@3", "oom@1", "oom@3"}) {
    make_pool("1x sm90 1GiB");
    const auto expected =
        compute(*make_gpu_engine(pool), Keep::in_host_memory, FieldKind::orbital, "all").values;
    for (const std::string others : {"", ", 1x sm90 1GiB"}) {
      make_pool("1x sm90 1GiB " + fault + others);
      auto settings = default_settings();
      settings.run.deadline = std::chrono::milliseconds(300);
      const auto made =
          compute(*make_gpu_engine(pool, settings), Keep::where_computed, FieldKind::orbital, "all");
      ASSERT_EQ(made.values.values.size(), expected.values.size());
      for (std::size_t i = 0; i < expected.values.size(); ++i) {
        ASSERT_NEAR(made.values.values[i], expected.values[i], 1e-5) << fault << others << " at " << i;
      }
    }
  }
}

TEST_F(FieldOnDevice, ThatFailsElsewhereStillStays) {
  make_pool("1x sm90 1GiB, 1x sm90 1GiB fails@2");
  const auto engine = make_gpu_engine(pool);
  const auto kept = compute(*engine, Keep::where_computed, FieldKind::orbital, "1,2");
  ASSERT_NE(resident(kept.values), nullptr);
  const auto alone = compute(*engine, Keep::in_host_memory, FieldKind::orbital, "1");
  EXPECT_EQ(kept.values.values, alone.values.values);
}

TEST_F(FieldOnDevice, LeavesNothingBehind) {
  make_pool("2x sm90 1GiB");
  const auto pinned_before = emulator::pinned_memory_use().bytes;  // of devices that tests before have hung
  {
    const auto engine = make_gpu_engine(pool);
    auto kept = compute(*engine, Keep::where_computed, FieldKind::orbital, "1,2");
    pool.reset();  // the field keeps its device
    EXPECT_EQ(kept.values.values.size(), kept.values.values.host().size());
  }
  EXPECT_EQ(emulator::memory_use(0).bytes, 0U);
  EXPECT_EQ(emulator::memory_use(1).bytes, 0U);
  EXPECT_EQ(emulator::pinned_memory_use().bytes, pinned_before);
}
#endif

}  // namespace
}  // namespace isolume::gpu
