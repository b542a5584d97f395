#include "gpu/interop/gl_writer.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/surfaces/marching_cubes.h"

namespace isolume::gpu {
namespace {

const GpuDevice* device_with_index(const dispatch::DevicePool& pool, int index) {
  for (dispatch::Device* device : pool.devices()) {
    const auto* gpu = dynamic_cast<const GpuDevice*>(device);
    if (gpu != nullptr && gpu->index() == index) return gpu;
  }
  return nullptr;
}

}  // namespace

GlWriter::GlWriter(const dispatch::DevicePool& pool, const std::string& gl_renderer) {
  const GlDevice gl_device = find_gl_device();
  if (gl_device.index < 0) {
    how_ = fmt::format(
        "drawn through pinned memory: the OpenGL context belongs to {}, not to a CUDA device ({})",
        gl_renderer, gl_device.why);
    return;
  }
  display_ = device_with_index(pool, gl_device.index);
  how_ = display_ != nullptr
             ? fmt::format("drawn from device memory: {} draws for the OpenGL context", display_->name())
             : fmt::format(
                   "drawn through pinned memory: GPU {}, which draws for the OpenGL context, is not used",
                   gl_device.index);
}

void GlWriter::write(const GlBuffer& buffer, std::size_t bytes, const GpuDevice& device,
                     const Producer& producer) {
  if (bytes == 0) return;
  if (display_ != nullptr) {
    try {
      return write_mapped(buffer, bytes, device, producer);
    } catch (const GlRefused& error) {
      // The driver cannot share buffers although it reported so. It is not tried again.
      how_ = fmt::format("drawn through pinned memory: {}", error.what());
      log::warning("What GPUs compute is {}", how_);
      registrations_.clear();
      display_ = nullptr;
    }
  }
  write_staged(buffer, bytes, device, producer);
}

void GlWriter::write_mapped(const GlBuffer& buffer, std::size_t bytes, const GpuDevice& device,
                            const Producer& producer) {
  const Stream& display = stream_of(*display_);
  auto& registration = registrations_[buffer.name];
  if (registration == nullptr) registration = std::make_unique<GlRegistration>(buffer.name, display);
  DeviceBuffer<std::byte> elsewhere;
  if (&device != display_) {
    const Stream& stream = stream_of(device);
    elsewhere = DeviceBuffer<std::byte>(stream, bytes);
    producer(elsewhere.device_data(), stream);
    stream.wait(surface_deadline(), {});
  }
  auto* memory = static_cast<std::byte*>(registration->map(bytes, display));
  try {
    if (&device == display_) {
      producer(memory, display);
    } else {
      require_success(cudaMemcpyPeerAsync(memory, display_->index(), elsewhere.device_data(), device.index(),
                                          bytes, display.get()),
                      "copying between devices");
    }
  } catch (...) {
    registration->unmap(display);
    throw;
  }
  registration->unmap(display);
  display.wait(surface_deadline(), {});  // the producer's input may be destroyed on return
}

void GlWriter::write_staged(const GlBuffer& buffer, std::size_t bytes, const GpuDevice& device,
                            const Producer& producer) {
  const Stream& stream = stream_of(device);
  DeviceBuffer<std::byte> on_device(stream, bytes);
  const PinnedBuffer<std::byte> pinned(stream, bytes);
  producer(on_device.device_data(), stream);
  on_device.copy_to(pinned.host(), stream);
  stream.wait(surface_deadline(), {});
  buffer.upload(pinned.host());
}

void GlWriter::forget(unsigned buffer) noexcept {
  registrations_.erase(buffer);
}

const Stream& GlWriter::stream_of(const GpuDevice& device) {
  auto& stream = streams_[&device];
  if (stream == nullptr) stream = std::make_unique<Stream>(device, Urgency::drawing);
  return *stream;
}

}  // namespace isolume::gpu
