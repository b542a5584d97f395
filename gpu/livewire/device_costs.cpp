#include "gpu/livewire/device_costs.h"

#include <algorithm>

#include "core/base/error.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

using livewire::CostGrid;

namespace {

const livewire::CostValues& values_of(const CostGrid& grid) {
  return grid.arcs.empty() ? grid.node : grid.arcs;
}

}  // namespace

std::size_t DeviceCosts::bytes(const CostGrid& grid) {
  return values_of(grid).size() * sizeof(std::uint16_t);
}

DeviceCosts::DeviceCosts(const GpuDevice& device, const CostGrid& grid,
                         std::chrono::duration<double> deadline, const jobs::Progress& progress)
    : stream_(device), costs_(stream_, values_of(grid).size()) {
  const auto& values = values_of(grid);
  upload<std::uint16_t>(stream_, {values.data(), values.size()}, costs_.device_data(), from_now(deadline),
                        progress);
  stream_.wait(from_now(deadline), progress);
}

void CostCache::require_room(const GpuDevice& device, const std::shared_ptr<const CostGrid>& grid,
                             std::size_t search_bytes) {
  tidy();
  const std::scoped_lock lock(mutex_);
  const std::size_t wanted =
      search_bytes + (find(device, grid.get()) == nullptr ? DeviceCosts::bytes(*grid) : 0);
  if (wanted <= device.memory_budget_bytes()) return;
  std::erase_if(entries_, [&](const Entry& entry) {
    return &entry.costs->device() == &device && entry.costs.use_count() == 1 && entry.grid.lock() != grid;
  });
  const std::size_t budget = device.memory_budget_bytes();
  if (wanted > budget) {
    throw ResourceError("Shortest paths on " + device.name(), wanted, budget,
                        "Choose a smaller region, or an engine of the CPU.");
  }
}

std::shared_ptr<const DeviceCosts> CostCache::get(const GpuDevice& device,
                                                  const std::shared_ptr<const CostGrid>& grid,
                                                  std::chrono::duration<double> deadline,
                                                  const jobs::Progress& progress) {
  const std::scoped_lock lock(mutex_);
  if (const Entry* const kept = find(device, grid.get())) return kept->costs;
  entries_.push_back({grid, std::make_shared<const DeviceCosts>(device, *grid, deadline, progress)});
  return entries_.back().costs;
}

void CostCache::tidy() {
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_, [](const Entry& entry) { return entry.grid.expired(); });
}

const CostCache::Entry* CostCache::find(const GpuDevice& device, const CostGrid* grid) const {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return &entry.costs->device() == &device && entry.grid.lock().get() == grid;
  });
  return found == entries_.end() ? nullptr : &*found;
}

}  // namespace isolume::gpu
