#include "gpu/runtime/algorithms/scratch.h"

#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {

void with_scratch(const Stream& stream, const char* what, const CubAlgorithm& algorithm) {
  stream.make_current();
  std::size_t bytes = 0;
  require_success(algorithm(nullptr, bytes, stream.get()), what);
  const DeviceBuffer<std::byte> scratch(stream, bytes == 0 ? 1 : bytes);  // null would query the size
  require_success(algorithm(scratch.device_data(), bytes, stream.get()), what);
}

}  // namespace isolume::gpu
