#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/progress.h"
#include "core/livewire/cost_grid.h"
#include "core/livewire/engine.h"
#include "gpu/livewire/search_space.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {

using livewire::SearchCounts;

/// One search on one device.
struct DeviceSearch {
  livewire_kernels::SearchSpace space;
  livewire::Pixel seed;                    ///< relative to the region's first pixel
  std::uint32_t greatest_arc;              ///< CostGrid::greatest_arc
  std::uint32_t delta;                     ///< 0: the kernel's default
  std::chrono::duration<double> deadline;  ///< of a batch of passes
};

/// An algorithm for all distances. `search` leaves them on the device in the stream's order, far_away if
/// there is no path; throws Cancelled (between passes), ResourceError, dispatch::DeviceLost.
struct SearchKernel {
  std::string_view name;
  std::string_view counted;  ///< meaning of SearchCounts::parts
  /// Memory on the device besides the costs.
  std::size_t (*bytes)(const DeviceSearch& search);
  DeviceBuffer<std::uint32_t> (*search)(const DeviceSearch& search, const Stream& stream,
                                        const jobs::Progress& progress, SearchCounts& counts);
};

/// The best first.
const std::vector<SearchKernel>& search_kernels();

extern const SearchKernel tile_kernel;
extern const SearchKernel delta_stepping_kernel;

}  // namespace isolume::gpu
