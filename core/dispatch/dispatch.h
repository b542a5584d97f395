#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
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
  /// Bytes that work on this device may use at present.
  virtual std::size_t memory_budget_bytes() const = 0;
  /// How many tiles are in hand at once: threads of a CPU, streams of a GPU.
  virtual int concurrency() const = 0;
  /// Runs `body(worker)` for worker = 0 .. concurrency()-1 at once, and returns when all are done.
  virtual void run_workers(const std::function<void(int worker)>& body) = 0;

  /// For people: "16 threads, AVX-512", "compute capability 9.0, 132 multiprocessors".
  virtual std::string detail() const { return {}; }
  /// Its total memory, and how much of it this program has reserved; 0 where unknown.
  virtual std::size_t memory_bytes() const { return 0; }
  virtual std::size_t memory_used_bytes() const { return 0; }

  /// Takes the device out of every later job, for the reason given (a sentence); an empty one puts it back.
  /// For faults that outlast a job (the driver lost it, it hangs), not for a tile that did not fit. Work
  /// reports them by throwing DeviceLost.
  void set_aside(std::string why) const;
  /// Why no job uses it; empty while it is in use.
  std::string set_aside_because() const;

 private:
  mutable std::mutex mutex_;
  mutable std::string set_aside_because_;
};

/// A device that does not respond in time or that the driver has lost: what it was doing may still write into
/// its buffers. run_tiles and guarded() (device_choice.h) set the device aside for good when work throws it;
/// any other exception of a tile sets it aside for the job alone.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

/// The CPU as one device: `threads` workers in a TBB arena; 0 uses all. Memory budget: 80 % of what is
/// available.
std::unique_ptr<Device> make_cpu_device(int threads = 0);

/// How one job went: returned with its results by every engine, shown by the Devices dock.
struct Report {
  struct Share {
    std::string device;
    std::size_t tiles = 0;
    double busy_seconds = 0;
    std::string error;              ///< why the device was set aside; empty when it was not
    const Device* which = nullptr;  ///< for comparison only: may dangle
  };
  /// One tile in one worker's hands, seconds from the start of the job.
  struct Span {
    int device = 0;  ///< position in `shares`
    int worker = 0;
    std::size_t tile = 0;
    double begin = 0;
    double end = 0;
    bool failed = false;
  };
  std::vector<Share> shares = {};  ///< one per device, in the order given
  std::vector<Span> timeline = {};
  double seconds = 0;
  std::string job = {};     ///< what was computed, for people: "HOMO (20)"; filled by the caller
  std::string who = {};     ///< who computed, for people: "2 x NVIDIA H100", "CPU, AVX-512, 2 threads"
  std::string kernel = {};  ///< the one that ran: "separable"
  std::string reason = {};  ///< why this kernel on these devices, as a clause: "the lattice is axis-aligned"

  /// For people: "2 x NVIDIA H100, separable kernel", and "separable kernel: the lattice is axis-aligned".
  std::string by() const;
  std::string how() const;

  std::size_t tiles() const;  ///< number computed

  /// Who computed any tile: "2 x NVIDIA H100, AMD EPYC 7763".
  std::string took_part() const;

  /// Ideal time over the time taken: what the workers that took part would have needed with their measured
  /// speeds (tiles per busy second), all busy to the end; 1 at best, 0 for a job without tiles.
  double efficiency() const;
};

/// Results, and how they were computed.
template <class Values>
struct Computed {
  Values values;
  Report report;
};

/// Computes tile `tile` on `device`; `worker` counts from 0 within the device. A throw other than Cancelled
/// means that the device failed: the tile goes back to the queue and the device is set aside. Must be
/// repeatable.
using TileFunction = std::function<void(Device& device, int worker, std::size_t tile)>;

struct FarmOptions {
  /// What a tile costs one worker of each device, from a calibration; empty or 0: not known yet. Infinite:
  /// the device is a reserve, which computes only when all others have failed.
  std::vector<double> seconds_per_tile;
};
/// Farm mode: runs every tile exactly once to success. All devices that are not set aside pull from one
/// queue, so faster ones take more; tile_schedule.h gives the rule. Throws Cancelled soon after
/// the progress is cancelled (tiles in hand finish first: let them check it too, or keep them below 50 ms), or
/// the last device's exception when every device failed.
Report run_tiles(std::span<Device* const> devices, std::size_t tile_count, const TileFunction& tile_function,
                 const jobs::Progress& progress = {}, const FarmOptions& options = {});

/// The devices of this process and the report of their last job. Made once at start; shared by engines,
/// window and command line. Thread-safe.
class DevicePool {
 public:
  /// The CPU first, by convention.
  explicit DevicePool(std::vector<std::unique_ptr<Device>> devices, std::string why_no_gpu = {});
  std::span<Device* const> devices() const { return pointers_; }
  /// A sentence if there is no GPU, otherwise empty.
  const std::string& why_no_gpu() const { return why_no_gpu_; }

  /// Keeps the report of the last job.
  void record(Report report);
  std::shared_ptr<const Report> last_report() const;  ///< null before the first job
  /// Calls back (on the recording thread) after every record; returns a handle whose destruction ends it.
  std::shared_ptr<void> on_record(std::function<void()> callback);

  /// Lines for the user that do not concern one device, such as which display path is used and why.
  void set_note(const std::string& topic, const std::string& text);
  std::vector<std::pair<std::string, std::string>> notes() const;

 private:
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<Device*> pointers_;
  std::string why_no_gpu_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Report> last_;
  std::vector<std::weak_ptr<std::function<void()>>> callbacks_;
  std::vector<std::pair<std::string, std::string>> notes_;
};

/// Throws ResourceError when `wanted_bytes` do not fit in the machine's available memory (80 % of it).
void require_memory(std::string_view what_for, std::size_t wanted_bytes, std::string_view remedy);

/// Memory that a job may use at present, in bytes: 80 % of MemAvailable, or less if a container, ulimit or
/// ISOLUME_MEMORY_BUDGET ("2GiB") says so. Throws Error where that is no size.
std::size_t available_memory_bytes();

/// Brand string of the processor ("Intel(R) Xeon(R) ..."), and how many threads this process may run.
std::string processor_name();
int processor_threads();

}  // namespace isolume::dispatch
