#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// The emulated machine: which devices there are and how they behave. It is described by the environment's
/// ISOLUME_EMULATED_DEVICES (no devices where it is not set), or by tests.
///
///   devices  = group { "," group }
///   group    = [ count "x" ] { word }          e.g. "4x sm90 8GiB, 1x slow 1GiB"
///   word     = "sm" NN                         compute capability; sm90
///            | number ( "MiB" | "GiB" )        memory; 4GiB
///            | "slow" | "fast" | "speed=" f    kernels take 1/f times as long, f in (0,1]; slow is 0.25,
///            fast is 1 | "fails@" n                      the n-th launch fails | "hangs@" n the n-th launch
///            never ends | "oom@" n                        the n-th allocation fails
///
/// ISOLUME_EMULATED_STREAMS says when queued work is done: "eager" (at once), "delayed" (as late as CUDA
/// allows: when somebody waits for it or asks after it, so that missing synchronisation shows) or "shuffled"
/// (at once, streams taking turns in random order; "shuffled=7" with a seed).
namespace isolume::gpu::emulator {

struct DeviceSpecification {
  int compute_major = 9;
  int compute_minor = 0;
  std::size_t memory_bytes = std::size_t{4} << 30;
  double speed = 1;
  int fails_at_launch = 0;  ///< counted from 1; 0: never
  int hangs_at_launch = 0;
  int fails_at_allocation = 0;

  bool operator==(const DeviceSpecification&) const = default;
};

enum class StreamOrder { eager, delayed, shuffled };
struct Options {
  StreamOrder streams = StreamOrder::eager;
  unsigned seed = 1;
};

/// Throws Error that quotes the word it does not understand.
std::vector<DeviceSpecification> parse_devices(std::string_view text);
Options parse_streams(std::string_view text);

/// Takes the machine's devices away (what is queued is finished first, what hangs is dropped; streams, events
/// and memory of theirs are gone) and gives it these. Not while another thread is in a call of the runtime,
/// except one that waits for work that hangs: it returns with an error.
void set_devices(const std::vector<DeviceSpecification>& devices, Options options = {});
void set_devices(std::string_view text, Options options = {});

struct MemoryUse {
  std::size_t bytes = 0;
  std::size_t allocations = 0;
};
/// What is allocated on a device now; for tests that look for leaks.
MemoryUse memory_use(int device);
/// Pinned and mapped memory of the host.
MemoryUse pinned_memory_use();
/// Launches that a device was asked for.
int launch_count(int device);

/// Whether kernels are compiled with the hooks that see their loads and stores. False in builds for
/// AddressSanitizer: there the emulator's own checks of memory do nothing.
bool checks_accesses();

}  // namespace isolume::gpu::emulator
