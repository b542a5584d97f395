#include "gpu/interop/gl_writer.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices/gpu_device.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#include "gpu/emulator/gl_context.h"
#endif

namespace isolume::gpu {
namespace {

using Bytes = std::vector<std::byte>;

/// A pool of the machine's usable GPUs but one.
std::unique_ptr<dispatch::DevicePool> pool_without(int left_out = -1) {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  for (const auto& description : describe_devices()) {
    if (description.usable && description.index != left_out) {
      devices.push_back(std::make_unique<GpuDevice>(description));
    }
  }
  return std::make_unique<dispatch::DevicePool>(std::move(devices));
}

const GpuDevice& gpu(const dispatch::DevicePool& pool, std::size_t position) {
  return dynamic_cast<const GpuDevice&>(*pool.devices()[position + 1]);
}

GlWriter::Producer filled_with(int value, std::size_t bytes) {
  return [=](std::byte* memory, const Stream& stream) {
    require_success(cudaMemsetAsync(memory, value, bytes, stream.get()), "filling");
  };
}

/// An OpenGL buffer that only knows what was uploaded to it.
struct Uploads {
  Bytes content;
  int count = 0;
  GlBuffer buffer(unsigned name) {
    return {name, [this](std::span<const std::byte> bytes) {
              content.assign(bytes.begin(), bytes.end());
              ++count;
            }};
  }
};

class Writer : public ::testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("2x sm90 1GiB");
#endif
    if (describe_devices().empty()) GTEST_SKIP() << why_no_devices();
  }
};

TEST_F(Writer, WithoutACudaDeviceBehindOpenGlBytesComeThroughPinnedMemory) {
  const auto pool = pool_without();
  if (pool->devices().size() < 2) GTEST_SKIP() << "No usable GPU.";
  GlWriter writer(*pool, "llvmpipe");  // no context is current here
  EXPECT_NE(writer.how().find("through pinned memory"), std::string::npos) << writer.how();
  EXPECT_NE(writer.how().find("llvmpipe"), std::string::npos) << writer.how();
  Uploads uploads;
  writer.write(uploads.buffer(7), 1001, gpu(*pool, 0), filled_with(5, 1001));
  EXPECT_EQ(uploads.content, Bytes(1001, std::byte{5}));
  writer.write(uploads.buffer(7), 0, gpu(*pool, 0), filled_with(6, 0));
  EXPECT_EQ(uploads.count, 1) << "nothing to write";
  writer.forget(7);
}

#ifdef ISOLUME_GPU_EMULATED

class MappedWriter : public Writer {
 protected:
  void SetUp() override {
    Writer::SetUp();
    emulator::set_gl_context(&context);
    context.buffers[3] = Bytes(100, std::byte{1});
  }
  void TearDown() override {
    emulator::set_gl_context(nullptr);
    emulator::set_devices("");
  }
  /// What is taken on the devices beside what the pool keeps.
  std::size_t taken() const { return emulator::memory_use(0).bytes + emulator::memory_use(1).bytes; }

  emulator::GlContext context;
  Uploads uploads;
};

TEST_F(MappedWriter, TheProducerWritesIntoTheBuffer) {
  const auto pool = pool_without();
  GlWriter writer(*pool, "emulated");
  EXPECT_EQ(writer.how().find("drawn from device memory"), 0U) << writer.how();
  for (const int value : {5, 6}) {
    writer.write(uploads.buffer(3), 60, gpu(*pool, 0), filled_with(value, 60));
    Bytes expected(100, std::byte{1});
    std::fill_n(expected.begin(), 60, static_cast<std::byte>(value));
    EXPECT_EQ(context.buffers[3], expected);
  }
  EXPECT_EQ(uploads.count, 0);
  EXPECT_EQ(emulator::gl_registration_count(), 1) << "registered once";
}

TEST_F(MappedWriter, AnotherDevicesBytesAreCopiedOver) {
  const auto pool = pool_without();
  GlWriter writer(*pool, "emulated");
  context.buffers[3] = Bytes(100, std::byte{1});
  writer.write(uploads.buffer(3), 100, gpu(*pool, 1), filled_with(9, 100));
  EXPECT_EQ(context.buffers[3], Bytes(100, std::byte{9}));
  EXPECT_EQ(uploads.count, 0);
}

TEST_F(MappedWriter, BuffersAreLetGoOfBeforeTheyChange) {
  const auto pool = pool_without();
  {
    GlWriter writer(*pool, "emulated");
    writer.write(uploads.buffer(3), 60, gpu(*pool, 0), filled_with(5, 60));
    gpu(*pool, 1).make_current();  // not the one that draws
    writer.forget(3);
    EXPECT_EQ(emulator::gl_registration_count(), 0);
    context.buffers[3] = Bytes(200);
    writer.write(uploads.buffer(3), 200, gpu(*pool, 0), filled_with(7, 200));
    EXPECT_EQ(context.buffers[3], Bytes(200, std::byte{7}));
    EXPECT_EQ(uploads.count, 0);
  }
  EXPECT_EQ(emulator::gl_registration_count(), 0) << "the writer lets go of what it has";
}

TEST_F(MappedWriter, ADriverThatRefusesIsNotAskedAgain) {
  const auto pool = pool_without();
  GlWriter writer(*pool, "emulated");
  writer.write(uploads.buffer(3), 101, gpu(*pool, 0), filled_with(5, 101));  // longer than the buffer
  EXPECT_EQ(uploads.content, Bytes(101, std::byte{5}));
  EXPECT_EQ(writer.how().find("drawn through pinned memory"), 0U) << writer.how();
  writer.write(uploads.buffer(3), 10, gpu(*pool, 0), filled_with(6, 10));
  EXPECT_EQ(uploads.content, Bytes(10, std::byte{6}));
  EXPECT_EQ(emulator::gl_registration_count(), 0);
}

TEST_F(MappedWriter, AProducersOwnErrorIsItsOwn) {
  const auto pool = pool_without();
  GlWriter writer(*pool, "emulated");
  const auto failing = [](std::byte*, const Stream&) { throw Error("no"); };
  EXPECT_THROW(writer.write(uploads.buffer(3), 10, gpu(*pool, 0), failing), Error);
  EXPECT_EQ(writer.how().find("drawn from device memory"), 0U) << "OpenGL is not to blame";
  writer.write(uploads.buffer(3), 100, gpu(*pool, 0), filled_with(4, 100));
  EXPECT_EQ(context.buffers[3], Bytes(100, std::byte{4}));
  EXPECT_EQ(uploads.count, 0);
}

TEST_F(MappedWriter, ADisplayThatIsNotInThePoolIsNotUsed) {
  const auto pool = pool_without(0);
  GlWriter writer(*pool, "emulated");
  EXPECT_NE(writer.how().find("GPU 0"), std::string::npos) << writer.how();
  writer.write(uploads.buffer(3), 60, gpu(*pool, 0), filled_with(5, 60));
  EXPECT_EQ(uploads.content, Bytes(60, std::byte{5}));
}

TEST_F(MappedWriter, OutlivesItsContext) {
  const auto pool = pool_without();
  {
    GlWriter writer(*pool, "emulated");
    writer.write(uploads.buffer(3), 60, gpu(*pool, 0), filled_with(5, 60));
    emulator::set_gl_context(nullptr);
    writer.forget(3);
    writer.forget(4);
  }
  EXPECT_EQ(emulator::gl_registration_count(), 0);
}

TEST_F(MappedWriter, LeavesNothingOnTheDevices) {
  {
    const auto pool = pool_without();
    GlWriter writer(*pool, "emulated");
    writer.write(uploads.buffer(3), 100, gpu(*pool, 1), filled_with(9, 100));
    EXPECT_GT(taken(), 0U);
  }
  EXPECT_EQ(taken(), 0U);
  EXPECT_EQ(emulator::pinned_memory_use().bytes, 0U);
}

#endif

}  // namespace
}  // namespace isolume::gpu
