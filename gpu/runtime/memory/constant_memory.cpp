#include "gpu/runtime/memory/constant_memory.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/error.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

struct DeviceConstants {
  explicit DeviceConstants(const GpuDevice& device) : last_use(device) {}

  std::mutex mutex;
  std::uint64_t content = 0;  ///< content after everything queued has run; 0: unknown
  Event last_use;
};

/// Shared by all users of the device, and destroyed with the last of them, when its work is done: a kernel of
/// a dropped job may still be reading.
std::shared_ptr<DeviceConstants> constants_of(const GpuDevice& device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<DeviceConstants>> all;
  const std::lock_guard lock(mutex);
  auto& known = all[device.index()];
  auto constants = known.lock();
  if (constants == nullptr) known = constants = std::make_shared<DeviceConstants>(device);
  device.keep(constants);
  return constants;
}

}  // namespace

std::uint64_t new_constant_contents(int count) {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(static_cast<std::uint64_t>(count));
}

void with_constant_memory(std::uint64_t content, const Stream& stream, const std::function<void()>& load,
                          const std::function<void()>& use) {
  const auto shared = constants_of(stream.device());
  DeviceConstants& constants = *shared;
  const std::lock_guard lock(constants.mutex);
  stream.wait_for(constants.last_use);
  try {
    if (constants.content != content) {
      constants.content = 0;
      load();
      constants.content = content;
    }
    use();
  } catch (...) {
    constants.content = 0;
    try {
      constants.last_use.record(stream);
    } catch (const Error&) {  // the first error is reported
    }
    throw;
  }
  constants.last_use.record(stream);
}

}  // namespace isolume::gpu
