// Rows of numbers that GPUs have, in OpenGL's buffers.
#include "gpu/interop/points_engine.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/memory/values_on_gpu.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#include "gpu/emulator/gl_context.h"
#endif

namespace isolume::gpu {
namespace {

using Floats = std::vector<float>;

class PointsFromGpus : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("2x sm90 1GiB");
#endif
    std::vector<std::unique_ptr<dispatch::Device>> devices;
    devices.push_back(dispatch::make_cpu_device(1));
    for (const auto& each : describe_devices()) {
      if (each.usable) devices.push_back(std::make_unique<GpuDevice>(each));
    }
    pool = std::make_shared<dispatch::DevicePool>(std::move(devices));
    if (pool->devices().size() < 2) GTEST_SKIP() << "No usable GPU.";
  }

  /// 0, 1, 2 ... on a GPU, behind some other numbers in the same block.
  std::shared_ptr<const ValuesOnGpu> counted(std::size_t size, std::size_t gpu = 0) const {
    constexpr std::size_t before = 5;
    const GpuDevice& device = gpu_of(*pool->devices()[gpu + 1]);
    const auto block = std::make_shared<ValuesBlock>(pool, device, before + size);
    Floats values(before + size);
    std::iota(values.begin(), values.end(), -static_cast<float>(before));
    const Stream stream(device);
    block->used_by(stream);
    upload<float>(stream, values, block->data(), std::chrono::steady_clock::now() + std::chrono::seconds(60),
                  {});
    stream.wait();
    return std::make_shared<const ValuesOnGpu>(block, before, size);
  }
  GlBuffer buffer(unsigned name) {
    return {name, [this](std::span<const std::byte> bytes) {
              uploaded.resize(bytes.size() / sizeof(float));
              std::memcpy(uploaded.data(), bytes.data(), bytes.size());
            }};
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  Floats uploaded;
};

const DrawnRows all = nullptr;
DrawnRows rows(std::vector<std::uint32_t> numbers) {
  return std::make_shared<const std::vector<std::uint32_t>>(std::move(numbers));
}

TEST_F(PointsFromGpus, AreTheRowsThatWereAskedForWithTheShift) {
  const auto writer = make_points_engine(pool)->make_writer("llvmpipe");
  EXPECT_THAT(writer->how(), testing::HasSubstr("through pinned memory"));
  writer->write_places(*counted(9), rows({2, 0}), {100, 200, 300}, buffer(1));
  EXPECT_EQ(uploaded, (Floats{106, 207, 308, 100, 201, 302}));
  writer->write_places(*counted(6), all, {0, 0.5, 0}, buffer(1));
  EXPECT_EQ(uploaded, (Floats{0, 1.5, 2, 3, 4.5, 5}));
  writer->write_values(*counted(9), rows({8, 8, 3}), buffer(1));
  EXPECT_EQ(uploaded, (Floats{8, 8, 3}));
  Floats many(1000);
  std::iota(many.begin(), many.end(), 0.0F);
  writer->write_values(*counted(many.size()), all, buffer(1));
  EXPECT_EQ(uploaded, many);
}

TEST_F(PointsFromGpus, AreReadOnTheHostAllOrSome) {
  const auto values = counted(700);
  Floats expected(700);
  std::iota(expected.begin(), expected.end(), 0.0F);
  Floats found(700);
  values->to_host(found);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(values->at(std::vector<std::uint32_t>{699, 0, 13}), (Floats{699, 0, 13}));
  EXPECT_TRUE(values->at({}).empty());
}

TEST_F(PointsFromGpus, AreRefusedWhereTheirGpuIsSetAside) {
  const auto writer = make_points_engine(pool)->make_writer("llvmpipe");
  const auto values = counted(9);
  EXPECT_TRUE(values->readable());
  pool->devices()[1]->set_aside("It is too hot.");
  EXPECT_FALSE(values->readable());
  try {
    writer->write_values(*values, all, buffer(1));
    ADD_FAILURE() << "nobody gets at them";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("It is too hot."));
  }
  EXPECT_TRUE(uploaded.empty());
  Floats found(9);
  EXPECT_THROW(values->to_host(found), Error);
  EXPECT_THROW(values->at(std::vector<std::uint32_t>{1}), Error);
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(PointsFromGpus, GoIntoTheBuffersFromWhicheverGpuHasThem) {
  emulator::GlContext context;
  context.buffers[3].resize(6 * sizeof(float));
  emulator::set_gl_context(&context);
  {
    const auto writer = make_points_engine(pool)->make_writer("emulated");
    EXPECT_THAT(writer->how(), testing::HasSubstr("drawn from device memory"));
    for (const std::size_t gpu : {0U, 1U, 0U}) {
      const auto chosen = rows({1, static_cast<std::uint32_t>(gpu) + 1});
      writer->write_places(*counted(9, gpu), chosen, {10, 10, 10}, buffer(3));
      Floats found(6);
      std::memcpy(found.data(), context.buffers[3].data(), context.buffers[3].size());
      EXPECT_EQ(found, gpu == 0 ? (Floats{13, 14, 15, 13, 14, 15}) : (Floats{13, 14, 15, 16, 17, 18}));
    }
    EXPECT_TRUE(uploaded.empty()) << "not by way of the host";
  }
  EXPECT_EQ(emulator::gl_registration_count(), 0);
  emulator::set_gl_context(nullptr);
  pool.reset();
  EXPECT_EQ(emulator::memory_use(0).bytes, 0U);
  EXPECT_EQ(emulator::memory_use(1).bytes, 0U);
  EXPECT_EQ(emulator::pinned_memory_use().bytes, 0U);
  emulator::set_devices("");
}

#endif

}  // namespace
}  // namespace isolume::gpu
