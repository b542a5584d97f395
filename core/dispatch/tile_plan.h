#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// Cuts a job into tiles and shares them out before anything is started. This is pure arithmetic: no device
/// is accessed.
///
/// The time of a device's part is its start-up time, plus its bytes over the bandwidth, plus its operations
/// over the speed. Jobs that mostly move data and jobs that mostly compute are therefore shared out by what
/// limits them.
namespace isolume::dispatch {

/// A job as a row of equal items: planes of a grid, points of a list, frames.
struct TileWork {
  int items = 0;
  int block = 1;               ///< tiles and, if memory allows, their parts begin at multiples of this
  std::size_t item_bytes = 0;  ///< memory of one item on a device while it is computed
  std::size_t job_bytes = 0;   ///< further memory of the job on a device
  double operations = 0;       ///< of all items
  double moved_bytes = 0;      ///< of all items, between device and host
  std::string item = "One item of the job";  ///< for the message if a device has no room for one item
  std::string remedy = "Choose a smaller problem.";
};

/// Properties of a device, measured in earlier jobs or queried. Speeds are those of one worker while all
/// work; 0: not limiting.
struct DeviceFacts {
  int workers = 1;
  std::size_t budget_bytes = std::numeric_limits<std::size_t>::max();
  bool host = false;         ///< the CPU: computes in place
  bool measured = false;     ///< whether the following members are known
  double start_seconds = 0;  ///< from the start of a job to the first work
  double operations_per_second = 0;
  double bytes_per_second = 0;

  /// Time of one worker for all of the work, without the start-up time.
  double seconds_for(const TileWork& work) const;
};

struct TilePlan {
  int items_per_tile = 1;  ///< a multiple of the block
  struct Device {
    enum class Role { computes, reserve, left_out } role = Role::computes;
    double seconds_per_tile = 0;  ///< 0: unknown
    int items_at_once = 0;        ///< number that fits in the memory of one worker
    std::string why;              ///< why it does not compute: a sentence
  };
  std::vector<Device> devices;  ///< in the given order

  int tile_count(const TileWork& work) const { return (work.items + items_per_tile - 1) / items_per_tile; }
};

struct PlanRules {
  bool all_given = false;  ///< the user named the devices: all take part, whether that is faster or not
  /// Duration of a tile in a large job: long compared with a launch, short for a viewer.
  double seconds_per_tile = 10e-3;
  double least_seconds_per_tile = 0.1e-3;
  /// Assumed speed of a device that was never measured: so slow that the first tiles are short.
  double unknown_operations_per_second = 1e11;
  /// The host takes part in addition to GPUs that would need longer than this,
  double host_from_seconds = 50e-3;
  /// and if its speed is at least this part of the total.
  double host_from_share = 0.03;
};

/// GPUs join, fastest at this work first, as long as each shortens the job by a tenth, its start-up included.
/// If one was never measured, all join, which measures them. Devices whose memory does not hold one item are
/// left out, with the required and available bytes.
TilePlan plan_tiles(const TileWork& work, const std::vector<DeviceFacts>& devices, const PlanRules& rules);

/// Throws ResourceError: no device has room for one item.
[[noreturn]] void refuse(const TileWork& work, const std::vector<DeviceFacts>& devices);

}  // namespace isolume::dispatch
