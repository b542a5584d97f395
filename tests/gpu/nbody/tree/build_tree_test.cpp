// The tree that a GPU makes is the CPU's.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/nbody/forces/octree.h"
#include "gpu/nbody/tree/tree_on_device.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/runtime/streams/deadline.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif
#include "tests/core/nbody/distributions.h"

namespace isolume::gpu {
namespace {

using nbody::Bodies;
using nbody_kernels::WalkCell;
using nbody_kernels::WalkGroup;

constexpr double angle = 0.7;

template <class T>
std::vector<T> copied(const DeviceBuffer<T>& buffer, const Stream& stream) {
  std::vector<T> host(buffer.size());
  buffer.copy_to(host, stream);
  stream.wait();
  return host;
}

class GpuTree : public testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("1x sm90 1GiB");
#endif
    const auto found = describe_devices();
    if (found.empty()) GTEST_SKIP() << why_no_devices();
    device_ = std::make_unique<GpuDevice>(found.front());
  }
  TreeOnDevice build(const Bodies& bodies, const Stream& stream) const {
    const jobs::Progress progress;
    const BodiesToSort given(bodies);
    const WaitLimits limits{default_deadline(), progress};
    const auto uploaded = upload_vector<nbody_kernels::WalkBody>(given.points, stream, limits);
    return build_tree(given.scale, uploaded, angle, stream, limits);
  }

  std::unique_ptr<GpuDevice> device_;
};

TEST_F(GpuTree, IsTheCpusCellForCell) {
  for (const auto& [name, bodies] : nbody::testing::distributions()) {
    if (bodies.size() == 0 || name == "two clumps far apart") continue;  // the CPU's goes further there
    SCOPED_TRACE(name);
    nbody::ForceSeconds seconds;
    const nbody::Octree octree = nbody::build_octree(bodies, 32, seconds);
    const TreeToUpload expected(octree, angle);
    const Stream stream(*device_);
    const TreeOnDevice made = build(bodies, stream);
    const auto original = copied(made.original, stream);
    ASSERT_EQ(original,
              std::vector<std::uint32_t>(octree.bodies.original.begin(), octree.bodies.original.end()));
    const auto cells = copied(made.cells, stream);
    ASSERT_EQ(cells.size(), expected.cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      SCOPED_TRACE(i);
      const WalkCell &cell = cells[i], &other = expected.cells[i];
      ASSERT_EQ(cell.begin, other.begin);
      ASSERT_EQ(cell.end, other.end);
      ASSERT_EQ(cell.next, other.next);
      EXPECT_NEAR(cell.x, other.x, 1e-12);
      EXPECT_NEAR(cell.y, other.y, 1e-12);
      EXPECT_NEAR(cell.z, other.z, 1e-12);
      EXPECT_NEAR(cell.mass, other.mass, 1e-6 * other.mass);
      EXPECT_NEAR(cell.radius, other.radius, 1e-6 * other.radius + 1e-12);
      EXPECT_NEAR(cell.opening_by_angle, other.opening_by_angle, 1e-6 * other.opening_by_angle + 1e-12);
      EXPECT_NEAR(cell.opening_by_error, other.opening_by_error, 1e-5 * other.opening_by_error + 1e-7);
      const float trace = other.xx + other.yy + other.zz;
      EXPECT_NEAR(cell.xx, other.xx, 1e-5 * trace + 1e-20);
      EXPECT_NEAR(cell.xy, other.xy, 1e-5 * trace + 1e-20);
      EXPECT_NEAR(cell.yz, other.yz, 1e-5 * trace + 1e-20);
      EXPECT_NEAR(cell.zz, other.zz, 1e-5 * trace + 1e-20);
    }
    const auto groups = copied(made.groups, stream);
    ASSERT_EQ(groups.size(), expected.groups.size());
    for (std::size_t i = 0; i < groups.size(); ++i) {
      EXPECT_EQ(groups[i].first, expected.groups[i].first);
      EXPECT_EQ(groups[i].end, expected.groups[i].end);
      EXPECT_NEAR(groups[i].place[2], expected.groups[i].place[2], 1e-12);
      EXPECT_NEAR(groups[i].half[0], expected.groups[i].half[0], 1e-6 * expected.groups[i].half[0] + 1e-12);
    }
    EXPECT_EQ(copied(made.chunk_groups, stream),
              std::vector<std::uint32_t>(expected.chunk_groups.begin(), expected.chunk_groups.end()));
  }
}

TEST_F(GpuTree, TellsOfLeavesThatItCannotDivide) {
  const Stream stream(*device_);
  EXPECT_LE(build(nbody::testing::plummer(500), stream).largest_leaf, 32u);
  EXPECT_LE(build(nbody::testing::coincident(900), stream).largest_leaf, 32u)
      << "those at one place do not count";
  const auto clumps = nbody::testing::joined(nbody::testing::plummer(300),
                                             nbody::testing::moved(nbody::testing::plummer(100), 1e8));
  EXPECT_EQ(build(clumps, stream).largest_leaf, 300u);
}

}  // namespace
}  // namespace isolume::gpu
