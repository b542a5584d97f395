#include "gpu/orbitals/constant_memory.h"

#include <atomic>
#include <map>
#include <mutex>

#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

struct Turns {
  std::mutex mutex;
  std::uint64_t content = 0;  ///< what is there once everything queued has run; 0: nothing known
  Event last_use;
};

/// As lasting as the memory itself: the program's whole life, also after its devices' end at exit.
Turns& turns_of(int device) {
  static auto& all = *new std::map<int, Turns>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  return all[device];
}

}  // namespace

std::uint64_t new_constant_contents(int count) {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(static_cast<std::uint64_t>(count));
}

void with_constant_memory(std::uint64_t content, const Stream& stream, const std::function<void()>& load,
                          const std::function<void()>& use) {
  Turns& turns = turns_of(stream.device().index());
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
    turns.last_use.record(stream);
    throw;
  }
  turns.last_use.record(stream);
}

}  // namespace isolume::gpu
