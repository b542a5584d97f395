#pragma once

#include <chrono>
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
///                                              fast is 1
///            | "fails@" n                      the n-th launch fails, and so do those after
///                                              it, whatever their streams, until a reset
///            | "hangs@" n                      the same for launches that never end
///            | "oom@" n                        the n-th allocation fails
///            | "nopeer"                      no device accesses its memory, nor it that of others
///            | "nocode"                      the program has no code for it: every launch is refused
///
/// ISOLUME_EMULATED_STREAMS sets when queued work is done: "delayed" (the default: as late as CUDA allows, when
/// something waits for it or queries it, so that missing synchronisation shows), "eager" (at once) or
/// "shuffled" (at once, streams taking turns in random order; "shuffled=7" with a seed).
///
/// ISOLUME_EMULATED_BLOCKS sets the order in which the blocks of a launch run: "interleaved" (the default:
/// started in random order, several at a time, yielding to each other anywhere), "shuffled" (in random order,
/// one after another) or "in-order"; the first two also with a seed.
///
/// ISOLUME_EMULATED_CONFLICTS: "on" (the default) detects unordered accesses of two blocks of a launch to the
/// same memory; "off" does not.
namespace isolume::gpu::emulator {

struct DeviceSpecification {
  int compute_major = 9;
  int compute_minor = 0;
  std::size_t memory_bytes = std::size_t{4} << 30;
  double speed = 1;
  int fails_at_launch = 0;  ///< counted from 1; 0: never
  int hangs_at_launch = 0;
  int fails_at_allocation = 0;
  bool has_peers = true;  ///< peer access is possible
  bool has_code = true;

  bool operator==(const DeviceSpecification&) const = default;
};

enum class StreamOrder { eager, delayed, shuffled };
enum class BlockOrder { in_order, shuffled, interleaved };
struct Options {
  StreamOrder streams = StreamOrder::delayed;
  unsigned stream_seed = 1;
  BlockOrder blocks = BlockOrder::interleaved;
  unsigned block_seed = 1;
  bool conflicts = true;
};

/// What the first launch of a kernel on a device takes in addition (CUDA's lazy loading); asking for a kernel's
/// attributes loads it, too.
inline constexpr std::chrono::milliseconds loading_time{2};

/// Static shared memory of a kernel, and static and dynamic together without opting in.
inline constexpr std::size_t static_shared_limit = std::size_t{48} << 10;

/// Throws Error that quotes the invalid word.
std::vector<DeviceSpecification> parse_devices(std::string_view text);
/// Parses the three variables; null: not set.
Options parse_options(const char* streams, const char* blocks, const char* conflicts);
Options options_of_environment();
/// The options of the environment, with another order of streams.
Options with_streams(StreamOrder streams, unsigned seed = 1);

/// Replaces the machine's devices (queued work is finished first, hanging work is dropped; their streams,
/// events and memory are destroyed). No other thread may be in a call of the runtime, except one that waits
/// for hanging work: it returns with an error.
void set_devices(const std::vector<DeviceSpecification>& devices, Options options = options_of_environment());
void set_devices(std::string_view text, Options options = options_of_environment());

struct MemoryUse {
  std::size_t bytes = 0;
  std::size_t allocations = 0;
};
/// Present allocations on a device, for tests of leaks.
MemoryUse memory_use(int device);
/// Pinned and mapped memory of the host.
MemoryUse pinned_memory_use();
/// Bytes moved by copies since the start of the program, including constant memory, but not by kernels.
struct CopiedBytes {
  std::size_t to_device = 0;
  std::size_t to_host = 0;
  std::size_t between_devices = 0;
};
CopiedBytes copied_bytes();
/// Number of launches requested on a device.
int launch_count(int device);

/// Whether kernels are compiled with hooks for their loads and stores. False in builds for AddressSanitizer:
/// the emulator's own memory checks are then inactive.
bool checks_accesses();

}  // namespace isolume::gpu::emulator
