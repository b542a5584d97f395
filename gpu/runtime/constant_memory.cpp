#include "gpu/runtime/constant_memory.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/error.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

struct Turns {
  explicit Turns(const GpuDevice& device) : last_use(device) {}

  std::mutex mutex;
  std::uint64_t content = 0;  ///< content after everything queued has run; 0: unknown
  Event last_use;
};

/// Shared by all users of the device, and destroyed with the last of them, when its work is done: a kernel of
/// a dropped job may still be reading.
std::shared_ptr<Turns> turns_of(const GpuDevice& device) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<Turns>> all;
  const std::lock_guard lock(mutex);
  auto& known = all[device.index()];
  auto turns = known.lock();
  if (turns == nullptr) known = turns = std::make_shared<Turns>(device);
  device.keep(turns);
  return turns;
}

}  // namespace

std::uint64_t new_constant_contents(int count) {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(static_cast<std::uint64_t>(count));
}

void with_constant_memory(std::uint64_t content, const Stream& stream, const std::function<void()>& load,
                          const std::function<void()>& use) {
  const auto shared = turns_of(stream.device());
  Turns& turns = *shared;
  const std::lock_guard lock(turns.mutex);
  stream.wait_for(turns.last_use);
  try {
    if (turns.content != content) {
      turns.content = 0;
      load();
      turns.content = content;
    }
    use();
  } catch (...) {
    turns.content = 0;
    try {
      turns.last_use.record(stream);
    } catch (const Error&) {  // the first error is reported
    }
    throw;
  }
  turns.last_use.record(stream);
}

}  // namespace isolume::gpu
