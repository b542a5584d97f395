#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"
#include "core/orbitals/benchmark.h"
#include "core/orbitals/field_problem.h"
#include "gpu/runtime/devices/gpu_peak.h"

namespace isolume::gpu {

/// Times of one kernel for one field on one GPU, step by step. Medians, unless stated otherwise.
struct KernelTiming {
  std::string kernel;       ///< the kernel that ran
  std::string unavailable;  ///< why it cannot compute this field; the other members are then not set
  double prepare_ms = 0;    ///< once: on the host, with compiling of a generated kernel, and copying the job
  double first_ms = 0;      ///< once: the first launches, on the device
  double device_ms = 0;     ///< launches over the whole field, by the device's own clock, without transfers
  double device_min_ms = 0;
  double pinned_ms = 0;      ///< launches and overlapping copies into pinned host memory, by the host's clock
  double mapped_ms = 0;      ///< launches that write into mapped host memory themselves, by the host's clock
  int repeats = 0;           ///< of device_ms
  double gflop = 0;          ///< KernelJob::flop of the whole field
  double flop_bound_ms = 0;  ///< gflop at the device's peak; 0 if unknown, like the next
  double write_bound_ms = 0;      ///< writing the field once to the device's memory
  double largest_difference = 0;  ///< from the reference values, over all points
  double relative_error = 0;      ///< at the samples, over the field's greatest magnitude

  double bound_ms() const { return flop_bound_ms > write_bound_ms ? flop_bound_ms : write_bound_ms; }
};

/// Times a kernel on an otherwise idle GPU. The problem has a grid and one field; `reference` holds its
/// values by another engine, `samples` exact ones. Throws Error for a device that is not a GPU,
/// ResourceError, Cancelled.
KernelTiming time_kernel(dispatch::Device& device, std::string_view kernel,
                         const orbitals::FieldProblem& problem, std::span<const float> reference,
                         const orbitals::FieldSamples& samples, const benchmarks::RepeatOptions& options = {},
                         const jobs::Progress& progress = {});

}  // namespace isolume::gpu
