#include "gpu/orbitals/kernel_benchmark.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "gpu/orbitals/kernel_choice.h"
#include "gpu/orbitals/kernel_job.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/streams/pipeline.h"

namespace isolume::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// Much longer than any field of the benchmark, even in the emulator.
constexpr auto patience = std::chrono::minutes(10);
constexpr int pieces_of_pipeline = 8;

/// A kernel prepared on a device, with the grid in slabs of this many planes.
class TimedKernel {
 public:
  TimedKernel(const GpuDevice& device, KernelKind kind, const FieldProblem& problem)
      : problem_(problem), stream_(device), copies_(device) {
    const auto start = Clock::now();
    job_ = make_kernel_job(kind, problem);
    on_device_ = job_->prepare(stream_);
    stream_.wait(Clock::now() + patience, {});
    prepare_ms_ = milliseconds_since(start);
  }

  const KernelJob& job() const { return *job_; }
  double prepare_ms() const { return prepare_ms_; }
  const Stream& stream() const { return stream_; }
  int planes() const { return problem_.grid->dimensions[2]; }
  std::size_t plane_points() const {
    const auto& n = problem_.grid->dimensions;
    return static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]);
  }

  /// Milliseconds by the device's clock for the whole field in its own memory.
  double run_on_device(DeviceBuffer<float>& values, const jobs::Progress& progress) {
    Event begin(stream_.device(), true);
    Event end(stream_.device(), true);
    begin.record(stream_);
    on_device_->launch({0, planes()}, values.device_data(), values.size(), stream_);
    end.record(stream_);
    stream_.wait(Clock::now() + patience, progress);
    return Event::milliseconds(begin, end);
  }

  /// Milliseconds by the host's clock until the field is in pinned memory.
  double run_to_pinned(std::array<DeviceBuffer<float>, 2>& slots, PinnedBuffer<float>& values,
                       const jobs::Progress& progress) {
    const int each = piece_planes();
    const auto slab_of = [&](std::size_t item) {
      const int first = static_cast<int>(item) * each;
      return Slab{first, std::min(each, planes() - first)};
    };
    PipelineSteps steps;
    steps.compute = [&](std::size_t item, std::size_t slot, const Stream& stream) {
      on_device_->launch(slab_of(item), slots[slot].device_data(), slots[slot].size(), stream);
    };
    steps.download = [&](std::size_t item, std::size_t slot, const Stream& stream) {
      const Slab slab = slab_of(item);
      slots[slot].copy_to(values.host().subspan(static_cast<std::size_t>(slab.first) * plane_points(),
                                                static_cast<std::size_t>(slab.count) * plane_points()),
                          stream);
    };
    const auto start = Clock::now();
    run_pipeline({stream_, stream_, copies_}, static_cast<std::size_t>((planes() + each - 1) / each),
                 slots.size(), steps, start + patience, progress);
    return milliseconds_since(start);
  }
  int piece_planes() const { return (planes() + pieces_of_pipeline - 1) / pieces_of_pipeline; }

  /// Milliseconds by the host's clock until the kernels have written the field into the host's memory.
  double run_to_mapped(MappedBuffer<float>& values, const jobs::Progress& progress) {
    const auto start = Clock::now();
    on_device_->launch({0, planes()}, values.device_data(), values.size(), stream_);
    stream_.wait(start + patience, progress);
    return milliseconds_since(start);
  }

 private:
  const FieldProblem& problem_;
  Stream stream_;
  Stream copies_;
  std::unique_ptr<KernelJob> job_;
  std::unique_ptr<DeviceJob> on_device_;
  double prepare_ms_ = 0;
};

double largest_difference(std::span<const float> values, std::span<const float> reference) {
  double largest = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double difference = std::abs(static_cast<double>(values[i]) - reference[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

void fill_timing(KernelTiming& timing, TimedKernel& timed, std::span<const float> reference,
                 const orbitals::FieldSamples& samples, const benchmarks::RepeatOptions& options,
                 const jobs::Progress& progress) {
  const std::size_t points = reference.size();
  PinnedBuffer<float> pinned(timed.stream(), points);
  {
    DeviceBuffer<float> values(timed.stream(), points);
    const auto launches =
        benchmarks::time_repeats(options, [&] { return timed.run_on_device(values, progress); });
    timing.first_ms = launches.first_ms;
    timing.device_ms = launches.median_ms;
    timing.device_min_ms = launches.least_ms;
    timing.repeats = launches.repeats;
  }
  const std::size_t piece = static_cast<std::size_t>(timed.piece_planes()) * timed.plane_points();
  std::array<DeviceBuffer<float>, 2> slots{DeviceBuffer<float>(timed.stream(), piece),
                                           DeviceBuffer<float>(timed.stream(), piece)};
  timing.pinned_ms = benchmarks::time_repeats(options, [&] {
                       return timed.run_to_pinned(slots, pinned, progress);
                     }).median_ms;
  MappedBuffer<float> mapped(timed.stream(), points);
  timing.mapped_ms =
      benchmarks::time_repeats(options, [&] { return timed.run_to_mapped(mapped, progress); }).median_ms;
  for (const auto values : {pinned.host(), mapped.host()}) {
    timing.largest_difference = std::max(timing.largest_difference, largest_difference(values, reference));
    timing.relative_error = std::max(timing.relative_error, orbitals::relative_error(samples, values));
  }
}

}  // namespace

KernelTiming time_kernel(dispatch::Device& device, std::string_view kernel, const FieldProblem& problem,
                         std::span<const float> reference, const orbitals::FieldSamples& samples,
                         const benchmarks::RepeatOptions& options, const jobs::Progress& progress) {
  const GpuDevice& gpu = gpu_of(device);
  if (problem.grid == nullptr || problem.field_count() != 1 || reference.size() != problem.point_count()) {
    throw Error("Kernels are timed for one field on a grid, with its reference values.");
  }
  const KernelKind kind = kernel_named(kernel);
  gpu.make_current();
  KernelTiming timing;
  timing.kernel = kernel;
  std::optional<TimedKernel> timed;
  try {
    timed.emplace(gpu, kind, problem);
  } catch (const ResourceError&) {
    throw;
  } catch (const dispatch::DeviceLost&) {
    throw;
  } catch (const Error& error) {
    timing.unavailable = error.what();
    return timing;
  }
  timing.kernel = to_string(timed->job().kind());
  timing.prepare_ms = timed->prepare_ms();
  timing.gflop = 1e-9 * timed->job().flop({0, timed->planes()});
  fill_timing(timing, *timed, reference, samples, options, progress);
  const GpuPeak peak = gpu_peak(device);
  if (peak.gflop_per_second > 0) timing.flop_bound_ms = 1e3 * timing.gflop / peak.gflop_per_second;
  if (peak.gigabytes_per_second > 0) {
    timing.write_bound_ms = 1e-6 * static_cast<double>(reference.size_bytes()) / peak.gigabytes_per_second;
  }
  return timing;
}

}  // namespace isolume::gpu
