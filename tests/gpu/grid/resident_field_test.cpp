// What a device tells of a field without giving it away, against the host's answers.
#include "gpu/grid/resident_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/grid/scalar_field.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

/// Values of many magnitudes and both signs, some of them not finite.
grid::ScalarField made_up(std::array<int, 3> dimensions) {
  grid::ScalarField field;
  field.grid.dimensions = dimensions;
  field.grid.origin = {-1, 0.5, 2};
  field.grid.step << 0.3, 0.05, 0, -0.02, 0.4, 0.03, 0.01, 0, 0.5;
  std::mt19937 generator(11);
  std::normal_distribution<float> normal;
  field.values.resize(field.grid.point_count());
  for (float& value : field.values) value = normal(generator) * std::exp(2 * normal(generator));
  if (field.values.size() > 100) {
    field.values[7] = std::numeric_limits<float>::infinity();
    field.values[field.values.size() / 2] = std::numeric_limits<float>::quiet_NaN();
    field.values[field.values.size() / 3] = 0;
  }
  return field;
}

class Resident : public testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("1x sm90 1GiB");
#endif
    for (const auto& description : describe_devices()) {
      if (description.usable && !device) device.emplace(description);
    }
    if (!device) GTEST_SKIP() << "No usable GPU. " << why_no_devices();
  }
  /// The same field, but for where its values are.
  grid::ScalarField moved(const grid::ScalarField& field) const {
    grid::ScalarField there = field;
    there.values = grid::Values(std::make_shared<const ResidentField>(*device, field));
    return there;
  }
  std::optional<GpuDevice> device;
};

TEST_F(Resident, TellsWhatTheHostWouldAndStaysThere) {
  for (const auto dimensions : {std::array{37, 21, 18}, std::array{5, 1, 7}, std::array{2, 2, 2},
                                std::array{1, 1, 1}, std::array{3, 9, 1}, std::array{1, 8, 2}}) {
    const auto field = made_up(dimensions);
    const auto there = moved(field);
    const auto range = grid::value_range(field);
    EXPECT_EQ(grid::value_range(there).low, range.low);
    EXPECT_EQ(grid::value_range(there).high, range.high);
    EXPECT_EQ(grid::median_on_faces(there), grid::median_on_faces(field));
    for (const std::size_t stride : {1, 3, 1000}) {
      const auto expected = grid::every(field, stride);
      const auto found = grid::every(there, stride);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_TRUE(found[i] == expected[i] || std::isnan(expected[i])) << i;
      }
    }
    for (const bool squared : {false, true}) {
      const double expected = grid::isovalue_enclosing(field, 0.7, squared);
      EXPECT_NEAR(grid::isovalue_enclosing(there, 0.7, squared), expected, 1e-9 * expected);
    }
    EXPECT_TRUE(there.values.on_device_only()) << "nobody has asked for numbers";
  }
}

TEST_F(Resident, TellsWhatASurfaceEncloses) {
  auto field = made_up({37, 21, 18});
  for (float& value : field.values) {
    if (!std::isfinite(value)) value = 1;
  }
  const auto there = moved(field);
  for (const double isovalue : {0.1, 0.9, 5.0}) {
    for (const bool squared : {false, true}) {
      const double expected = grid::fraction_enclosed(field, isovalue, squared);
      EXPECT_NEAR(grid::fraction_enclosed(there, isovalue, squared), expected, 1e-13);
    }
  }
  EXPECT_TRUE(there.values.on_device_only());
}

TEST_F(Resident, IsSampledOnAPlaneAsOnTheHost) {
  auto field = made_up({17, 12, 9});
  for (float& value : field.values) {
    if (!std::isfinite(value)) value = -2;
  }
  const auto there = moved(field);
  const grid::PlaneGrid plane{
      field.grid.position(1.3, -2, 0.7), {0.21, 0.03, 0.02}, {0.02, 0.17, 0.11}, 31, 40};
  const auto expected = grid::sample_plane(field, plane);
  const auto found = grid::sample_plane(there, plane);
  ASSERT_EQ(found.size(), plane.size());
  std::size_t inside = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Eigen::Vector3d index = field.grid.index_at(plane.corner + static_cast<int>(i % 31) * plane.along +
                                                      static_cast<int>(i / 31) * plane.across);
    const bool known =
        (index.array() >= -0.5).all() && (index.array() <= Eigen::Array3d(16.5, 11.5, 8.5)).all();
    EXPECT_EQ(std::isnan(found[i]), !known) << i;
    inside += known;
    if (known) {
      EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
    }
  }
  EXPECT_GT(inside, 200U);
  EXPECT_LT(inside, plane.size()) << "some should lie outside";
  EXPECT_TRUE(there.values.on_device_only());
}

TEST_F(Resident, GivesItsNumbersOnceWhenAsked) {
  const auto field = made_up({40, 10, 11});
  const auto there = moved(field);
  const grid::ScalarField copy = there;
#ifdef ISOLUME_GPU_EMULATED
  const auto before = emulator::copied_bytes().to_host;
#endif
  ASSERT_EQ(there.values.size(), field.values.size());
  for (std::size_t i = 0; i < field.values.size(); ++i) {
    const bool same = copy.values[i] == field.values[i] || std::isnan(field.values[i]);
    ASSERT_TRUE(same) << i;
  }
  EXPECT_FALSE(there.values.on_device_only());
  EXPECT_EQ(there.values.data(), copy.values.data());
  grid::value_range(there);
#ifdef ISOLUME_GPU_EMULATED
  EXPECT_EQ(emulator::copied_bytes().to_host - before, field.values.size() * sizeof(float));
#endif
}

TEST_F(Resident, WhoeverChangesAValueHasHisOwn) {
  const auto field = made_up({8, 3, 3});
  const auto there = moved(field);
  grid::ScalarField changed = there;
  changed.values[0] = 12345;
  EXPECT_EQ(there.values[0], field.values[0]);
  EXPECT_EQ(changed.values.device(), nullptr);
  EXPECT_EQ(grid::value_range(changed).high, 12345);
}

#ifdef ISOLUME_GPU_EMULATED
TEST_F(Resident, ALostFieldIsComputedAgainWhereThatIsPossible) {
  device.reset();
  emulator::set_devices("1x sm90 1GiB hangs@1");
  device.emplace(describe_devices().at(0));
  const auto field = made_up({8, 5, 4});
  const auto resident = std::make_shared<const ResidentField>(*device, field);
  const auto host = field.values.host();
  grid::ScalarField with = field;
  with.values = grid::Values(resident, [host] { return host; });
  grid::ScalarField without = field;
  without.values = grid::Values(resident);
  device->give_up();  // as when a kernel hangs
  EXPECT_EQ(grid::value_range(with).high, grid::value_range(field).high);
  EXPECT_EQ(with.values[3], host[3]);
  EXPECT_THROW(without.values.data(), Error);
}
#endif

}  // namespace
}  // namespace isolume::gpu
