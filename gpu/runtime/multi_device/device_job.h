#pragma once

#include <cstddef>

#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// Items first .. first+count-1 of a job: planes along a grid's last axis, or points of a list.
struct Slab {
  int first = 0;
  int count = 0;
};

/// The data of one job on one device, for its kernels.
class DeviceJob {
 public:
  virtual ~DeviceJob() = default;
  /// Queues the computation of a slab: field k's values go to `out + k * field_stride`, the slab's first item
  /// first. `out` is memory that the device can write: its own, or mapped host memory. Values do not depend
  /// on the slab in which they are computed. Not thread-safe.
  virtual void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) = 0;
};

}  // namespace isolume::gpu
