#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "core/jobs/progress.h"
#include "core/livewire/cost_grid.h"
#include "gpu/runtime/buffer.h"

namespace isolume::gpu {

/// The costs of a grid on one device; read by any number of searches and streams.
class DeviceCosts {
 public:
  static std::size_t bytes(const livewire::CostGrid& grid);
  /// Copies, and waits for it. Throws ResourceError, Cancelled, dispatch::DeviceLost.
  DeviceCosts(const GpuDevice& device, const livewire::CostGrid& grid, std::chrono::duration<double> deadline,
              const jobs::Progress& progress);

  const GpuDevice& device() const { return stream_.device(); }
  /// For work on `stream`, which may go on after this object is gone.
  const std::uint16_t* costs(const Stream& stream) const {
    stream.uses_memory_of(stream_);
    return costs_.device_data();
  }

 private:
  Stream stream_;
  DeviceBuffer<std::uint16_t> costs_;
};

/// Costs stay on the devices while their grids live, so that another seed costs no upload. What belongs to
/// grids that are gone is given back by tidy() and before room is asked for. All calls from any thread.
class CostCache {
 public:
  /// Whether a search with so many bytes besides the costs has room on the device. Costs of other grids that
  /// no search uses make room. Throws ResourceError with the numbers where it has not.
  void require_room(const GpuDevice& device, const std::shared_ptr<const livewire::CostGrid>& grid,
                    std::size_t search_bytes);
  /// Those of the grid, copied where they are not there yet.
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
