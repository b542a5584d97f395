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

/// A device computes tiles. It owns no data of a job; the job's tile function defines the work.
class Device {
 public:
  virtual ~Device() = default;
  virtual DeviceKind kind() const = 0;
  virtual std::string name() const = 0;
  /// Memory that work on this device may use at present, in bytes.
  virtual std::size_t memory_budget_bytes() const = 0;
  /// Number of tiles computed at the same time: threads of a CPU, streams of a GPU.
  virtual int concurrency() const = 0;
  /// Runs `body(worker)` for worker = 0 .. concurrency()-1 concurrently, and returns when all are done.
  virtual void run_workers(const std::function<void(int worker)>& body) = 0;

  /// Details for users, such as "16 threads, AVX-512" or "compute capability 9.0, 132 multiprocessors".
  virtual std::string detail() const { return {}; }
  /// Total memory of the device, and the part that this program has reserved; 0 if unknown.
  virtual std::size_t memory_bytes() const { return 0; }
  virtual std::size_t memory_used_bytes() const { return 0; }

  /// Excludes the device from every later job, for the given reason (a sentence); an empty reason includes it
  /// again. This is for faults that outlast a job (the driver lost the device, it hangs), not for a tile that
  /// did not fit. Work reports such faults by throwing DeviceLost.
  void set_aside(std::string why) const;
  /// Why no job uses the device; empty while it is in use.
  std::string set_aside_because() const;

 private:
  mutable std::mutex mutex_;
  mutable std::string set_aside_because_;
};

/// A device that does not respond in time or that the driver has lost: its running work may still write into
/// its buffers. run_tiles and guarded() (device_choice.h) set the device aside permanently if work throws
/// this; any other exception of a tile sets it aside for the job alone.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

/// The CPU as one device: `threads` workers in a TBB arena; 0 uses all. Its memory budget is 80 % of the
/// available memory.
std::unique_ptr<Device> make_cpu_device(int threads = 0);

/// Report on how one job was computed: every engine returns it with its results, and the Devices dock shows
/// it.
struct Report {
  struct Share {
    std::string device;
    std::size_t tiles = 0;
    double busy_seconds = 0;
    std::string error;              ///< why the device was set aside; empty when it was not
    const Device* which = nullptr;  ///< for comparison only: may dangle
  };
  /// One tile computed by one worker; times in seconds from the start of the job.
  struct Span {
    int device = 0;  ///< position in `shares`
    int worker = 0;
    std::size_t tile = 0;
    double begin = 0;
    double end = 0;
    bool failed = false;
  };
  std::vector<Share> shares = {};  ///< one per device, in the given order
  std::vector<Span> timeline = {};
  double seconds = 0;
  std::string job = {};     ///< what was computed, for people: "HOMO (20)"; filled by the caller
  std::string who = {};     ///< who computed, for people: "2 x NVIDIA H100", "CPU, AVX-512, 2 threads"
  std::string kernel = {};  ///< the one that ran: "separable"
  std::string reason = {};  ///< why this kernel on these devices, as a clause: "the grid is axis-aligned"

  /// Texts for users: "2 x NVIDIA H100, separable kernel", and "separable kernel: the grid is
  /// axis-aligned".
  std::string by() const;
  std::string how() const;

  std::size_t tiles() const;  ///< number of computed tiles

  /// The devices that computed any tile: "2 x NVIDIA H100, AMD EPYC 7763".
  std::string took_part() const;

  /// Ideal time divided by the time taken. The ideal time is that of the workers that took part, with their
  /// measured speeds (tiles per busy second), all busy to the end. At best 1; 0 for a job without tiles.
  double efficiency() const;
};

/// Results with the report of their computation.
template <class Values>
struct Computed {
  Values values;
  Report report;
};

/// Computes tile `tile` on `device`; `worker` counts from 0 within the device. An exception other than
/// Cancelled means that the device failed: the tile is re-queued and the device is set aside. Must be
/// repeatable.
using TileFunction = std::function<void(Device& device, int worker, std::size_t tile)>;

struct FarmOptions {
  /// Time of a tile on one worker of each device, from a calibration; empty or 0 if unknown. Infinite: the
  /// device is a reserve, which computes only when all others have failed.
  std::vector<double> seconds_per_tile;
};
/// Runs every tile exactly once to success. All devices that are not set aside pull from one queue, so faster
/// ones take more; tile_schedule.h gives the rule. Throws Cancelled soon after the progress is cancelled
/// (running tiles finish first: they should check the progress, too, or take less than 50 ms), or the last
/// device's exception if every device failed.
Report run_tiles(std::span<Device* const> devices, std::size_t tile_count, const TileFunction& tile_function,
                 const jobs::Progress& progress = {}, const FarmOptions& options = {});

/// The devices of this process and the report of their last job. Created once at start; shared by engines,
/// window and command line. Thread-safe.
class DevicePool {
 public:
  /// The CPU comes first, by convention.
  explicit DevicePool(std::vector<std::unique_ptr<Device>> devices, std::string why_no_gpu = {});
  std::span<Device* const> devices() const { return pointers_; }
  /// The reason if there is no GPU (a sentence), otherwise empty.
  const std::string& why_no_gpu() const { return why_no_gpu_; }

  /// Stores the report of the last job.
  void record(Report report);
  std::shared_ptr<const Report> last_report() const;  ///< null before the first job
  /// Calls back on the recording thread after every record; destroying the returned handle ends this.
  std::shared_ptr<void> on_record(std::function<void()> callback);

  /// Notes for the user that do not concern one device, such as the display path and the reason for it.
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

/// Throws ResourceError if `wanted_bytes` do not fit in 80 % of the machine's available memory.
void require_memory(std::string_view what_for, std::size_t wanted_bytes, std::string_view remedy);

/// Memory that a job may use at present, in bytes: 80 % of MemAvailable, or less if a container, ulimit or
/// ISOLUME_MEMORY_BUDGET ("2GiB") limits it. Throws Error if that variable is not a size.
std::size_t available_memory_bytes();

/// Brand string of the processor ("Intel(R) Xeon(R) ..."), and the number of threads that this process may
/// run.
std::string processor_name();
int processor_threads();

}  // namespace isolume::dispatch
