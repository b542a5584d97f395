#include "gpu/runtime/devices/device_benchmark.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "gpu/runtime/devices/device_benchmark_kernels.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/streams/graph.h"

namespace isolume::gpu {
namespace {

using Clock = std::chrono::steady_clock;
namespace kernels = benchmark_kernels;

/// Much longer than any measurement here.
constexpr auto patience = std::chrono::minutes(2);

/// Time of the queued work by the device's clock.
double device_ms(const Stream& stream, const jobs::Progress& progress, const std::function<void()>& queue) {
  Event begin(stream.device(), true);
  Event end(stream.device(), true);
  begin.record(stream);
  queue();
  end.record(stream);
  stream.wait(Clock::now() + patience, progress);
  return Event::milliseconds(begin, end);
}

/// The smallest number of steps, doubled from `steps`, for which a kernel takes this long. Its first run is a
/// warm-up.
std::uint32_t steps_for(double least_ms, std::uint32_t steps,
                        const std::function<double(std::uint32_t)>& run_ms) {
  run_ms(steps);
  while (run_ms(steps) < least_ms && steps < (1U << 30)) steps *= 2;
  return steps;
}

/// A kernel of adjustable duration.
class Spin {
 public:
  Spin(const Stream& stream, const jobs::Progress& progress) : stream_(stream), sink_(stream, 1) {
    constexpr double measured_ms = 1;
    const auto run_ms = [&](std::uint32_t steps) {
      return device_ms(stream_, progress, [&] { kernels::spin(steps, sink_.device_data(), stream_); });
    };
    // The shorter of two runs: other work may run on the processor that emulates the device.
    const auto least_ms = [&](std::uint32_t steps) { return std::min(run_ms(steps), run_ms(steps)); };
    const std::uint32_t steps = steps_for(measured_ms, 1024, least_ms);
    steps_per_us_ = 1e-3 * steps / std::max(least_ms(steps), 1e-3);
  }
  void queue(double microseconds) {
    const double steps = std::clamp(steps_per_us_ * microseconds, 1.0, 4e9);
    kernels::spin(static_cast<std::uint32_t>(steps), sink_.device_data(), stream_);
  }

 private:
  const Stream& stream_;
  DeviceBuffer<float> sink_;
  double steps_per_us_;
};

TransferTimes by_device(const Stream& stream, std::size_t moved_bytes,
                        const benchmarks::RepeatOptions& options, const jobs::Progress& progress,
                        const std::function<void()>& queue) {
  return {moved_bytes, benchmarks::time_repeats(options, [&] { return device_ms(stream, progress, queue); })};
}

/// Times calls that return when all data have arrived.
TransferTimes by_host(std::size_t moved_bytes, const benchmarks::RepeatOptions& options,
                      const std::function<void()>& call) {
  return {moved_bytes, benchmarks::time_repeats(options, [&] {
            const auto start = Clock::now();
            call();
            return milliseconds_since(start);
          })};
}

/// Times `calls` calls of `queue`, each of which queues this many launches.
LaunchTimes time_calls(const Stream& stream, int calls, int launches_a_call,
                       const benchmarks::RepeatOptions& options, const jobs::Progress& progress,
                       const std::function<void()>& queue) {
  LaunchTimes times;
  times.launches = calls * launches_a_call;
  times.round_trip = benchmarks::time_repeats(options, [&] {
    const auto start = Clock::now();
    queue();
    stream.wait(Clock::now() + patience, progress);
    return milliseconds_since(start);
  });
  Spin spin(stream, progress);
  const auto call = [&] {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) queue();
    return milliseconds_since(start);
  };
  // The spinning kernel keeps the device busy until all are queued; otherwise the host's speed would be
  // measured.
  double call_ms = call();
  const auto queued_ms = [&] {
    spin.queue(2e3 * call_ms + 1000);
    return device_ms(stream, progress, [&] { call_ms = call(); });
  };
  times.device_us = 1e3 * benchmarks::time_repeats(options, queued_ms).median_ms / times.launches;
  const auto called_ms = [&] {
    queued_ms();
    return call_ms;
  };
  times.call_us = 1e3 * benchmarks::time_repeats(options, called_ms).median_ms / times.launches;
  return times;
}

}  // namespace

LaunchTimes time_launches(const dispatch::Device& device, int launches,
                          const benchmarks::RepeatOptions& options, const jobs::Progress& progress) {
  const Stream stream(gpu_of(device));
  return time_calls(stream, launches, 1, options, progress, [&] { kernels::nothing(stream); });
}

LaunchTimes time_graph_launches(const dispatch::Device& device, int graphs, int kernels_a_graph,
                                const benchmarks::RepeatOptions& options, const jobs::Progress& progress) {
  const Stream stream(gpu_of(device));
  kernels::nothing(stream);
  std::optional<Graph> graph;
  const auto make = benchmarks::time_repeats(options, [&] {
    graph.reset();
    const auto start = Clock::now();
    graph.emplace(stream, [&] {
      for (int i = 0; i < kernels_a_graph; ++i) kernels::nothing(stream);
    });
    return milliseconds_since(start);
  });
  auto times = time_calls(stream, graphs, kernels_a_graph, options, progress, [&] { graph->launch(stream); });
  times.make = make;
  return times;
}

WaitTimes time_wait(const dispatch::Device& device, double kernel_us,
                    const benchmarks::RepeatOptions& options, const jobs::Progress& progress) {
  const Stream stream(gpu_of(device));
  Spin spin(stream, progress);
  std::vector<double> on_device;
  const auto late_ms = [&](const std::function<void()>& wait) {
    return benchmarks::time_repeats(options, [&] {
      Event begin(stream.device(), true);
      Event end(stream.device(), true);
      const auto start = Clock::now();
      begin.record(stream);
      spin.queue(kernel_us);
      end.record(stream);
      wait();
      const double host_ms = milliseconds_since(start);
      on_device.push_back(Event::milliseconds(begin, end));
      return host_ms - on_device.back();
    });
  };
  WaitTimes times;
  const auto polled = late_ms([&] { stream.wait(Clock::now() + patience, progress); });
  const auto synchronised = late_ms([&] { stream.wait(); });
  times.late_us = 1e3 * polled.median_ms;
  times.late_synchronised_us = 1e3 * synchronised.median_ms;
  times.repeats = polled.repeats;
  std::ranges::sort(on_device);
  times.device_us = 1e3 * on_device[on_device.size() / 2];
  return times;
}

std::string_view to_string(TransferKind kind) {
  switch (kind) {
    case TransferKind::pinned_to_device:
      return "pinned to device";
    case TransferKind::device_to_pinned:
      return "device to pinned";
    case TransferKind::pageable_to_device:
      return "pageable to device";
    case TransferKind::device_to_pageable:
      return "device to pageable";
    case TransferKind::kernel_to_mapped:
      return "kernel to mapped";
    case TransferKind::device_to_device:
      return "device to device";
    case TransferKind::set:
      return "set";
  }
  throw Error("There is no such kind of transfer.");
}

TransferTimes time_transfer(const dispatch::Device& device, TransferKind kind, std::size_t bytes,
                            const benchmarks::RepeatOptions& options, const jobs::Progress& progress) {
  const Stream stream(gpu_of(device));
  if (kind == TransferKind::kernel_to_mapped) {
    MappedBuffer<std::byte> to(stream, bytes);
    return by_device(stream, bytes, options, progress,
                     [&] { kernels::fill(to.device_data(), bytes / 16, stream); });
  }
  DeviceBuffer<std::byte> there(stream, bytes);
  kernels::fill(there.device_data(), bytes / 16, stream);  // initialises the memory before it is read
  switch (kind) {
    case TransferKind::pinned_to_device: {
      PinnedBuffer<std::byte> here(stream, bytes);
      std::ranges::fill(here.host(), std::byte{1});
      return by_device(stream, bytes, options, progress, [&] { there.copy_from(here.host(), stream); });
    }
    case TransferKind::device_to_pinned: {
      PinnedBuffer<std::byte> here(stream, bytes);
      return by_device(stream, bytes, options, progress, [&] { there.copy_to(here.host(), stream); });
    }
    case TransferKind::pageable_to_device: {
      const std::vector<std::byte> here(bytes, std::byte{1});
      return by_host(bytes, options, [&] {
        upload_bytes(stream, here, there.device_data(), Clock::now() + patience, progress);
        stream.wait(Clock::now() + patience, progress);
      });
    }
    case TransferKind::device_to_pageable: {
      std::vector<std::byte> here(bytes);
      return by_host(bytes, options, [&] {
        download_bytes(stream, there.device_data(), here, Clock::now() + patience, progress);
      });
    }
    case TransferKind::device_to_device: {
      DeviceBuffer<std::byte> other(stream, bytes);
      return by_device(stream, 2 * bytes, options, progress, [&] {
        require_success(cudaMemcpyAsync(other.device_data(), there.device_data(), bytes,
                                        cudaMemcpyDeviceToDevice, stream.get()),
                        "copying on the device");
      });
    }
    default:
      return by_device(stream, bytes, options, progress, [&] {
        require_success(cudaMemsetAsync(there.device_data(), 0, bytes, stream.get()), "setting memory");
      });
  }
}

MultiplyAddTimes time_multiply_adds(const dispatch::Device& device, double least_ms,
                                    const benchmarks::RepeatOptions& options,
                                    const jobs::Progress& progress) {
  const GpuDevice& gpu = gpu_of(device);
  const Stream stream(gpu);
  DeviceBuffer<float> sink(stream, 1);
  // 4, 6 or 8 blocks of this size fit on a multiprocessor, and 24 is a multiple of each: no multiprocessor is
  // idle at the end.
  const auto blocks = static_cast<unsigned>(24 * gpu.description().multiprocessors);
  const auto run_ms = [&](std::uint32_t rounds) {
    return device_ms(stream, progress,
                     [&] { kernels::multiply_adds(blocks, rounds, sink.device_data(), stream); });
  };
  const std::uint32_t rounds = steps_for(least_ms, 1, run_ms);
  MultiplyAddTimes times;
  times.gflop =
      2e-9 * blocks * kernels::multiply_add_threads * rounds * double{kernels::multiply_adds_per_round};
  times.timing = benchmarks::time_repeats(options, [&] { return run_ms(rounds); });
  return times;
}

}  // namespace isolume::gpu
