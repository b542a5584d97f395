#include "gpu/runtime/memory/transfer.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/streams/pipeline.h"

namespace isolume::gpu {
namespace {

/// A transfer in chunks, with the pinned memory through which they pass.
class Chunks {
 public:
  Chunks(const Stream& stream, std::size_t bytes, const TransferOptions& options)
      : chunk_bytes_(std::max<std::size_t>(options.chunk_bytes, 1)), bytes_(bytes) {
    const std::size_t slots =
        std::min(std::max<std::size_t>(options.chunks, 2), std::max<std::size_t>(count(), 2));
    for (std::size_t slot = 0; slot < slots; ++slot) {
      pinned_.emplace_back(stream, std::min(chunk_bytes_, bytes));
    }
  }
  std::size_t count() const { return (bytes_ + chunk_bytes_ - 1) / chunk_bytes_; }
  std::size_t slots() const { return pinned_.size(); }
  std::size_t begin(std::size_t chunk) const { return chunk * chunk_bytes_; }
  std::size_t size(std::size_t chunk) const { return std::min(chunk_bytes_, bytes_ - begin(chunk)); }
  std::byte* pinned(std::size_t slot) { return pinned_[slot].host().data(); }

 private:
  std::size_t chunk_bytes_;
  std::size_t bytes_;
  std::vector<PinnedBuffer<std::byte>> pinned_;
};

}  // namespace

void download_bytes(const Stream& stream, const void* device, std::span<std::byte> host,
                    std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
                    const TransferOptions& options) {
  if (host.empty()) return;
  Chunks chunks(stream, host.size(), options);
  PipelineSteps steps;
  steps.download = [&](std::size_t chunk, std::size_t slot, const Stream& on) {
    const auto* from = static_cast<const std::byte*>(device) + chunks.begin(chunk);
    require_success(
        cudaMemcpyAsync(chunks.pinned(slot), from, chunks.size(chunk), cudaMemcpyDeviceToHost, on.get()),
        "copying from the device");
  };
  steps.drain = [&](std::size_t chunk, std::size_t slot) {
    std::memcpy(host.data() + chunks.begin(chunk), chunks.pinned(slot), chunks.size(chunk));
  };
  run_pipeline({stream, stream, stream}, chunks.count(), chunks.slots(), steps, deadline, progress);
}

void upload_bytes(const Stream& stream, std::span<const std::byte> host, void* device,
                  std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress,
                  const TransferOptions& options) {
  if (host.empty()) return;
  Chunks chunks(stream, host.size(), options);
  PipelineSteps steps;
  steps.fill = [&](std::size_t chunk, std::size_t slot) {
    std::memcpy(chunks.pinned(slot), host.data() + chunks.begin(chunk), chunks.size(chunk));
  };
  steps.upload = [&](std::size_t chunk, std::size_t slot, const Stream& on) {
    auto* to = static_cast<std::byte*>(device) + chunks.begin(chunk);
    require_success(
        cudaMemcpyAsync(to, chunks.pinned(slot), chunks.size(chunk), cudaMemcpyHostToDevice, on.get()),
        "copying to the device");
  };
  run_pipeline({stream, stream, stream}, chunks.count(), chunks.slots(), steps, deadline, progress);
}

bool enable_peer_access(const GpuDevice& from, const GpuDevice& to) {
  int possible = 0;
  require_success(cudaDeviceCanAccessPeer(&possible, from.index(), to.index()), "asking for peer access");
  if (possible == 0) return false;
  from.make_current();
  const cudaError_t status = cudaDeviceEnablePeerAccess(to.index(), 0);
  if (status != cudaErrorPeerAccessAlreadyEnabled) require_success(status, "enabling peer access");
  cudaGetLastError();
  return true;
}

void copy_between_devices(const Stream& to_stream, void* to, const Stream& from_stream, const void* from,
                          std::size_t bytes) {
  Event written(from_stream.device());
  written.record(from_stream);
  to_stream.wait_for(written);
  // Through the host if there is no peer access; the driver does that in chunks, too.
  require_success(cudaMemcpyPeerAsync(to, to_stream.device().index(), from, from_stream.device().index(),
                                      bytes, to_stream.get()),
                  "copying between devices");
  Event copied(to_stream.device());
  copied.record(to_stream);
  from_stream.wait_for(copied);
}

}  // namespace isolume::gpu
