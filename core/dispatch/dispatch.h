#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/jobs/progress.h"

namespace isolume::dispatch {

enum class DeviceKind { cpu, gpu, emulated_gpu };

/// Something that computes tiles. A device owns no data of a job; the job's tile function knows what to do on
/// it.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceKind kind() const = 0;
  virtual std::string name() const = 0;
  /// Bytes that work on this device may use now.
  virtual std::size_t memory_budget_bytes() const = 0;
  /// How many tiles are in hand at once: threads of a CPU, streams of a GPU.
  virtual int concurrency() const = 0;
  /// Runs `body(worker)` for worker = 0 .. concurrency()-1 at once, and returns when all are done.
  virtual void run_workers(const std::function<void(int worker)>& body) = 0;
};

/// The CPU as one device: `threads` workers in a TBB arena; 0 takes all. Memory budget: 80 % of what is
/// available.
std::unique_ptr<Device> make_cpu_device(int threads = 0);

/// What became of one job, for the Devices dock and for tests.
struct Report {
  struct Share {
    std::string device;
    std::size_t tiles = 0;
    double busy_seconds = 0;
    std::string error;  ///< why the device was set aside; empty when it was not
  };
  std::vector<Share> shares;  ///< one a device, in the order given
  double seconds = 0;
};

/// Computes tile `tile` on `device`; `worker` counts from 0 within the device. A throw other than Cancelled
/// means that the device failed: the tile goes back to the queue and the device is set aside. Must be
/// repeatable.
using TileFunction = std::function<void(Device& device, int worker, std::size_t tile)>;

/// Farm mode: runs every tile exactly once to success. All devices pull from one queue, so faster ones take
/// more. Throws Cancelled soon after the progress is cancelled (tiles in hand are finished first, so keep
/// them below 50 ms), or the last device's exception when every device failed.
Report run_tiles(std::span<Device* const> devices, std::size_t tile_count, const TileFunction& tile_function,
                 const jobs::Progress& progress = {});

/// Throws ResourceError when `wanted_bytes` do not fit in the machine's available memory (80 % of it).
void require_memory(std::string_view what_for, std::size_t wanted_bytes, std::string_view remedy);

/// Memory that a job may use now, in bytes: 80 % of MemAvailable, less where a container or ulimit allows
/// less.
std::size_t available_memory_bytes();

/// Brand string of the processor ("Intel(R) Xeon(R) ..."), and how many threads this process may run.
std::string processor_name();
int processor_threads();

}  // namespace isolume::dispatch
