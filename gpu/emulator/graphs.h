#pragma once

#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "gpu/emulator/machine.h"

/// Capturing of streams and graphs, as far as work in one stream goes: what is queued on a capturing stream
/// is recorded, not run. As in CUDA, a call that cannot be recorded (waiting for the stream or asking after
/// it) spoils the capture, and so do calls of the capturing thread that may wait for the device (allocating,
/// freeing, copies that wait, asking after events), unless it captures in relaxed mode. Other threads are
/// free to make them, even in the global mode, where CUDA would not let them.
struct Capture {
  using Node = std::function<CUstream_st::Operation(isolume::gpu::emulator::Device&)>;

  std::thread::id by;
  bool relaxed = false;
  bool spoilt = false;
  std::vector<Node> nodes;  ///< each makes the operation anew
};

namespace isolume::gpu::emulator {

/// Of calls that cannot be recorded: the error, with the capture spoilt, where the stream is capturing.
/// The machine's lock is held.
cudaError_t refuse_on_capturing(CUstream_st& stream, const char* call);
/// The same for calls that a thread must not make while it captures any stream.
cudaError_t refuse_while_capturing(const char* call);

}  // namespace isolume::gpu::emulator
