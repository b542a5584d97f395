#include "gpu/runtime/multi_device/time_sum.h"

#include <algorithm>

#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {

double time_sum(const SumJob& job, const Stream& stream, const WaitLimits& limits,
                const benchmarks::RepeatOptions& repeats) {
  // Limit of results and scratch; larger jobs are computed in several parts, one after another.
  constexpr std::size_t most_bytes = std::size_t{1} << 30;
  const int all = job.items(), block = job.granularity();
  const auto fit = static_cast<int>(
      std::min<std::size_t>(most_bytes / job.bytes_an_item(), static_cast<std::size_t>(all)));
  const int step = fit == all ? all : std::max(fit / block, 1) * block;
  const auto values_of = [&](int items) { return job.item_values() * static_cast<std::size_t>(items); };
  const auto on_device = job.prepare(stream, limits);
  const DeviceBuffer<float> out(stream, static_cast<std::size_t>(job.fields()) * values_of(step));
  Event begin(stream.device(), true), end(stream.device(), true);
  const auto once = [&] {
    limits.progress.check();
    begin.record(stream);
    for (int first = 0; first < all; first += step) {
      const int count = std::min(step, all - first);
      on_device->launch({first, count}, out.device_data(), values_of(count), stream);
    }
    end.record(stream);
    stream.wait(limits);
    return Event::milliseconds(begin, end);
  };
  return benchmarks::time_repeats(repeats, once).median_ms;
}

}  // namespace isolume::gpu
