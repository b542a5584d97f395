#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// How a job is cut and shared out, before anything is started. Arithmetic only: no device is asked here.
///
/// A device's part takes the time to start, plus its bytes over the bandwidth, plus its operations over the
/// speed: jobs that mostly move data and jobs that mostly compute are shared out by what limits them.
namespace isolume::dispatch {

/// A job as a row of equal items: planes of a lattice, points of a list, frames.
struct TileWork {
  int items = 0;
  int block = 1;               ///< tiles, and where memory allows their parts, begin at multiples of this
  std::size_t item_bytes = 0;  ///< what one item takes on a device while it is computed
  std::size_t job_bytes = 0;   ///< what the job holds on a device besides
  double operations = 0;       ///< of all items
  double moved_bytes = 0;      ///< of all items, between device and host
  std::string item = "One item of the job";  ///< for people, where a device has no room for one
  std::string remedy = "Choose a smaller problem.";
};

/// What is known of a device, from jobs before and from asking it. Speeds are those of one worker while all
/// work; 0: not limiting.
struct DeviceFacts {
  int workers = 1;
  std::size_t budget_bytes = std::numeric_limits<std::size_t>::max();
  bool host = false;         ///< the CPU: computes in place
  bool measured = false;     ///< whether what follows is known
  double start_seconds = 0;  ///< from the start of a job to the first work
  double operations_per_second = 0;
  double bytes_per_second = 0;

  /// What one worker would take for all of the work, started.
  double seconds_for(const TileWork& work) const;
};

struct TilePlan {
  int items_per_tile = 1;  ///< a multiple of the block
  struct Device {
    enum class Role { computes, reserve, left_out } role = Role::computes;
    double seconds_per_tile = 0;  ///< 0: not known
    int items_at_once = 0;        ///< that fit in the memory of one worker
    std::string why;              ///< it does not compute: a sentence
  };
  std::vector<Device> devices;  ///< as given

  int tile_count(const TileWork& work) const { return (work.items + items_per_tile - 1) / items_per_tile; }
};

struct PlanRules {
  bool all_given = false;  ///< every device takes part, whether that helps or not: a person named them
  /// A tile's time, where there is enough to do: long against a launch, short against a glance.
  double seconds_per_tile = 10e-3;
  double least_seconds_per_tile = 0.1e-3;
  /// For a device that was never measured: so slow that the first tiles are short.
  double unknown_operations_per_second = 1e11;
  /// The host computes beside GPUs that would need longer than this,
  double host_from_seconds = 50e-3;
  /// and is as fast as this part of all.
  double host_from_share = 0.03;
};

/// GPUs join, fastest at this work first, as long as each shortens the job by a tenth, starting included;
/// with one that was never measured, all do, which measures them. Devices whose memory does not hold one item
/// are left out with the numbers.
TilePlan plan_tiles(const TileWork& work, const std::vector<DeviceFacts>& devices, const PlanRules& rules);

/// Throws ResourceError: no device has room for one item.
[[noreturn]] void refuse(const TileWork& work, const std::vector<DeviceFacts>& devices);

}  // namespace isolume::dispatch
