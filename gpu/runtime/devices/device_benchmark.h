#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"

/// Times of the building blocks of every GPU engine: launches, waits, copies, memory and multiply-adds, each
/// measured alone, on an otherwise idle device. No CUDA type appears here. All throw Error for a device that
/// is not a GPU, ResourceError, dispatch::DeviceLost, Cancelled.
namespace isolume::gpu {

/// Times for an empty kernel.
struct LaunchTimes {
  int launches = 0;      ///< queued back to back
  double call_us = 0;    ///< the host's time for one launch
  double device_us = 0;  ///< interval of launches by the device's clock, all queued before the first begins
  benchmarks::Timing round_trip;  ///< one launch and Stream::wait
  benchmarks::Timing make;        ///< for graphs: recording and instantiating
};
LaunchTimes time_launches(const dispatch::Device& device, int launches,
                          const benchmarks::RepeatOptions& options = {}, const jobs::Progress& progress = {});
/// The same number of the same kernels in graphs; call_us and device_us are for one kernel, round_trip for
/// one graph.
LaunchTimes time_graph_launches(const dispatch::Device& device, int graphs, int kernels_a_graph,
                                const benchmarks::RepeatOptions& options = {},
                                const jobs::Progress& progress = {});

/// The delay until the host learns that a kernel has ended: its time from the launch to the end of the wait,
/// less the kernel's time by the device's clock. It includes the launch, so round_trip above is its lower
/// bound.
struct WaitTimes {
  double device_us = 0;             ///< time of the kernel
  double late_us = 0;               ///< Stream::wait with a deadline, which polls
  double late_synchronised_us = 0;  ///< Stream::wait without one, in which the driver waits
  int repeats = 0;
};
/// `kernel_us`: approximate time of the kernel.
WaitTimes time_wait(const dispatch::Device& device, double kernel_us,
                    const benchmarks::RepeatOptions& options = {}, const jobs::Progress& progress = {});

enum class TransferKind {
  pinned_to_device,
  device_to_pinned,
  pageable_to_device,  ///< upload(), by the host's clock as the next one; the other kinds by the device's
  device_to_pageable,  ///< download()
  kernel_to_mapped,    ///< a kernel writes host memory
  device_to_device,    ///< a copy: read and written
  set,
};
inline constexpr std::array transfer_kinds{TransferKind::pinned_to_device,
                                           TransferKind::device_to_pinned,
                                           TransferKind::pageable_to_device,
                                           TransferKind::device_to_pageable,
                                           TransferKind::kernel_to_mapped,
                                           TransferKind::device_to_device,
                                           TransferKind::set};
/// "pinned to device", ...
std::string_view to_string(TransferKind kind);

struct TransferTimes {
  std::size_t moved_bytes = 0;  ///< twice the size for reads and writes in the same memory
  benchmarks::Timing timing;
  double gigabytes_per_second() const {
    return timing.median_ms > 0 ? 1e-6 * static_cast<double>(moved_bytes) / timing.median_ms : 0;
  }
};
/// `bytes`: a multiple of 16.
TransferTimes time_transfer(const dispatch::Device& device, TransferKind kind, std::size_t bytes,
                            const benchmarks::RepeatOptions& options = {},
                            const jobs::Progress& progress = {});

/// Single-precision multiply-adds in registers only, on all multiprocessors.
struct MultiplyAddTimes {
  double gflop = 0;  ///< two operations per multiply-add
  benchmarks::Timing timing;
  double gflop_per_second() const { return timing.median_ms > 0 ? 1e3 * gflop / timing.median_ms : 0; }
};
/// `least_ms`: minimum time of the kernel, so that its start is negligible.
MultiplyAddTimes time_multiply_adds(const dispatch::Device& device, double least_ms,
                                    const benchmarks::RepeatOptions& options = {},
                                    const jobs::Progress& progress = {});

}  // namespace isolume::gpu
