#pragma once

#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "gpu/emulator/machine.h"

/// Stream capture and graphs, for work in one stream: work queued on a capturing stream is recorded, not run.
/// As in CUDA, a call that cannot be recorded (waiting for the stream or querying it) invalidates the
/// capture, and so do calls of the capturing thread that may wait for the device (allocating, freeing,
/// synchronous copies, querying events), unless it captures in relaxed mode. Other threads may make them,
/// even in the global mode, where CUDA would not allow it.
struct Capture {
  using Node = std::function<CUstream_st::Operation(isolume::gpu::emulator::Device&)>;

  std::thread::id by;
  bool relaxed = false;
  bool spoilt = false;
  std::vector<Node> nodes;  ///< each creates its operation anew
};

namespace isolume::gpu::emulator {

/// For calls that cannot be recorded: returns the error and invalidates the capture if the stream is
/// capturing. The machine's lock must be held.
cudaError_t refuse_on_capturing(CUstream_st& stream, const char* call);
/// The same for calls that a thread must not make while it captures any stream.
cudaError_t refuse_while_capturing(const char* call);

}  // namespace isolume::gpu::emulator
