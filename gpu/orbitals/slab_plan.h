#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

/// How a field is cut and shared out, before anything is started. Arithmetic only: no device is asked here.
namespace isolume::gpu {

/// A field as a row of items: planes of a lattice, or points of a list.
struct SlabWork {
  int items = 0;
  int block = 1;               ///< tiles, and where memory allows their parts, begin at multiples of this
  std::size_t item_bytes = 0;  ///< results of one item, all fields
  std::size_t job_bytes = 0;   ///< what the kernel's job holds on a device besides
  double flop = 0;             ///< of all items
};

/// What is known of a device, from jobs before and from asking it.
struct DeviceFacts {
  int workers = 1;
  std::size_t budget_bytes = std::numeric_limits<std::size_t>::max();
  /// Of one worker while all work, results delivered; 0: never measured.
  double flop_per_second = 0;
  /// From the start of a job to the first launch; 0: never measured.
  double start_seconds = 0;
  bool host = false;  ///< the CPU: computes in place
};

struct SlabPlan {
  int items_per_tile = 1;  ///< a multiple of the block
  struct Device {
    enum class Role { computes, reserve, left_out } role = Role::computes;
    double seconds_per_tile = 0;  ///< 0: not known
    int items_at_once = 0;        ///< that fit in the memory of one worker
    std::string why;              ///< it does not compute: a sentence
  };
  std::vector<Device> devices;  ///< as given

  int tile_count(const SlabWork& work) const { return (work.items + items_per_tile - 1) / items_per_tile; }
};

struct PlanRules {
  bool all_given = false;  ///< every device takes part, whether that helps or not: a person named them
  /// A tile's time, where there is enough to do: long against a launch, short against a glance.
  double seconds_per_tile = 10e-3;
  double least_seconds_per_tile = 0.1e-3;
  /// For a device that was never measured: so slow that the first tiles are short.
  double unknown_flop_per_second = 1e11;
  /// The host computes beside GPUs that would need longer than this,
  double host_from_seconds = 50e-3;
  /// and is as fast as this part of all.
  double host_from_share = 0.03;
};

/// GPUs join, fastest first, as long as each shortens the job by a tenth, starting included; with one that
/// was never measured, all do, which measures them. Devices whose memory does not hold one item are left out
/// with the numbers.
SlabPlan plan_slabs(const SlabWork& work, const std::vector<DeviceFacts>& devices, const PlanRules& rules);

}  // namespace isolume::gpu
