#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "core/grid/device_field.h"
#include "core/grid/scalar_field.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {

/// A field in the memory of one GPU; any number of threads and streams may read it.
class ResidentField final : public grid::DeviceField {
 public:
  /// Memory for a grid's values. Streams that write it must be passed to `used_by`, and be waited for
  /// before anybody reads. `keeps_device` owns the device and is kept alive. Throws ResourceError.
  ResidentField(const GpuDevice& device, const grid::Grid& grid,
                std::shared_ptr<const void> keeps_device = nullptr);
  /// Copies the field, and returns when the copy is complete. Throws ResourceError, and Error if the number
  /// of values does not match the grid.
  ResidentField(const GpuDevice& device, const grid::ScalarField& field);

  const GpuDevice& device() const { return stream_.device(); }
  const grid::Grid& grid() const { return grid_; }
  float* values() { return values_.device_data(); }
  const float* values() const { return values_.device_data(); }
  /// For work on `stream` that reads or writes it, which may outlive this object.
  void used_by(const Stream& stream) const { stream.uses_memory_of(stream_); }

  std::size_t size() const override { return values_.size(); }
  void to_host(std::span<float> values) const override;
  grid::Range value_range() const override;
  std::vector<float> magnitudes_on_faces() const override;
  std::vector<double> weights_by_magnitude(bool squared) const override;
  Weights weights_inside(double isovalue, bool squared) const override;
  std::vector<float> every(std::size_t stride) const override;
  std::vector<float> sample(const grid::PlaneGrid& plane) const override;

 private:
  template <class Work>
  auto on_own_stream(const Work& work) const;

  std::shared_ptr<const void> keeps_device_;
  grid::Grid grid_;
  Stream stream_;  ///< the memory belongs to its order; only the first copy is queued on it
  DeviceBuffer<float> values_;
};

}  // namespace isolume::gpu
