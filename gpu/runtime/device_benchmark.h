#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"

/// What the parts of a GPU take that every engine is made of: launches, waiting, copies, memory and
/// multiply-adds; each measured alone, on a device that nothing else uses meanwhile. No CUDA type appears
/// here. All throw Error for a device that is no GPU, ResourceError, dispatch::DeviceLost, Cancelled.
namespace isolume::gpu {

/// Of a kernel that does nothing.
struct LaunchTimes {
  int launches = 0;      ///< queued back to back
  double call_us = 0;    ///< of the host's time, for one of them
  double device_us = 0;  ///< from one to the next by the device's clock, all of them queued before it begins
  benchmarks::Timing round_trip;  ///< one launch and Stream::wait
  benchmarks::Timing make;        ///< of a graph: recording and instantiating
};
LaunchTimes time_launches(const dispatch::Device& device, int launches,
                          const benchmarks::RepeatOptions& options = {}, const jobs::Progress& progress = {});
/// As many of the same kernels, but in graphs; call_us and device_us are of one kernel, round_trip of one
/// graph.
LaunchTimes time_graph_launches(const dispatch::Device& device, int graphs, int kernels_a_graph,
                                const benchmarks::RepeatOptions& options = {},
                                const jobs::Progress& progress = {});

/// How late the host learns that a kernel has ended: its time from the launch to the end of the wait, less
/// the kernel's by the device's clock. Launching is part of it, so round_trip above is the least there can
/// be.
struct WaitTimes {
  double device_us = 0;             ///< what the kernel took
  double late_us = 0;               ///< Stream::wait with a deadline, which asks again and again
  double late_synchronised_us = 0;  ///< Stream::wait without, in which the driver waits
  int repeats = 0;
};
/// `kernel_us`: how long the kernel is to take, about.
WaitTimes time_wait(const dispatch::Device& device, double kernel_us,
                    const benchmarks::RepeatOptions& options = {}, const jobs::Progress& progress = {});

enum class TransferKind {
  pinned_to_device,
  device_to_pinned,
  pageable_to_device,  ///< upload(), by the host's clock; the other kinds by the device's, but the next
  device_to_pageable,  ///< download()
  kernel_to_mapped,    ///< a kernel writes memory of the host
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
  std::size_t moved_bytes = 0;  ///< twice the size where it is read and written in the same memory
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
  double gflop = 0;  ///< two operations a multiply-add
  benchmarks::Timing timing;
  double gflop_per_second() const { return timing.median_ms > 0 ? 1e3 * gflop / timing.median_ms : 0; }
};
/// `least_ms`: how long the kernel is to run at least, so that its start does not count.
MultiplyAddTimes time_multiply_adds(const dispatch::Device& device, double least_ms,
                                    const benchmarks::RepeatOptions& options = {},
                                    const jobs::Progress& progress = {});

}  // namespace isolume::gpu
