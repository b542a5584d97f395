#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "core/jobs/progress.h"
#include "core/livewire/cost_grid.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {

/// The costs of a grid on one device; any number of searches and streams may read it.
class DeviceCosts {
 public:
  static std::size_t bytes(const livewire::CostGrid& grid);
  /// Copies, and waits for that. Throws ResourceError, Cancelled, dispatch::DeviceLost.
  DeviceCosts(const GpuDevice& device, const livewire::CostGrid& grid, std::chrono::duration<double> deadline,
              const jobs::Progress& progress);

  const GpuDevice& device() const { return stream_.device(); }
  /// For work on `stream`, which may outlive this object.
  const std::uint16_t* costs(const Stream& stream) const {
    stream.uses_memory_of(stream_);
    return costs_.device_data();
  }

 private:
  Stream stream_;
  DeviceBuffer<std::uint16_t> costs_;
};

/// Costs stay on the devices while their grids exist, so that another seed needs no upload. Costs of deleted
/// grids are released by tidy() and before memory is checked. Calls may come from any thread.
class CostCache {
 public:
  /// Checks that a search with this many bytes besides the costs fits on the device. Unused costs of other
  /// grids are released. Throws ResourceError with the required and available bytes.
  void require_room(const GpuDevice& device, const std::shared_ptr<const livewire::CostGrid>& grid,
                    std::size_t search_bytes);
  /// The costs of the grid, copied if necessary.
  std::shared_ptr<const DeviceCosts> get(const GpuDevice& device,
                                         const std::shared_ptr<const livewire::CostGrid>& grid,
                                         std::chrono::duration<double> deadline,
                                         const jobs::Progress& progress);
  void tidy();

 private:
  struct Entry {
    std::weak_ptr<const livewire::CostGrid> grid;
    std::shared_ptr<const DeviceCosts> costs;
  };
  const Entry* find(const GpuDevice& device, const livewire::CostGrid* grid) const;

  std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace isolume::gpu
