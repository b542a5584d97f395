#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "core/lattice/device_field.h"
#include "core/lattice/scalar_field.h"
#include "gpu/runtime/buffer.h"

namespace isolume::gpu {

/// A field in the memory of one GPU; read by any number of threads and streams.
class ResidentField final : public lattice::DeviceField {
 public:
  /// Room for a lattice's values, to be written by streams that `used_by` knows and that have been waited
  /// for before anybody reads them. `keeps_device` owns the device and is kept alive. Throws ResourceError.
  ResidentField(const GpuDevice& device, const lattice::Lattice& lattice,
                std::shared_ptr<const void> keeps_device = nullptr);
  /// A copy of the field, which is there when this returns. Throws ResourceError, and Error when the field
  /// holds other than its lattice's number of values.
  ResidentField(const GpuDevice& device, const lattice::ScalarField& field);

  const GpuDevice& device() const { return stream_.device(); }
  const lattice::Lattice& lattice() const { return lattice_; }
  float* values() { return values_.device_data(); }
  const float* values() const { return values_.device_data(); }
  /// For work on `stream` that reads or writes it, which may go on after this object is gone.
  void used_by(const Stream& stream) const { stream.uses_memory_of(stream_); }

  std::size_t size() const override { return values_.size(); }
  void to_host(std::span<float> values) const override;
  lattice::Range value_range() const override;
  std::vector<float> magnitudes_on_faces() const override;
  std::vector<double> weights_by_magnitude(bool squared) const override;
  Weights weights_inside(double isovalue, bool squared) const override;
  std::vector<float> every(std::size_t stride) const override;
  std::vector<float> sample(const lattice::PlaneGrid& plane) const override;

 private:
  template <class Work>
  auto on_own_stream(const Work& work) const;

  std::shared_ptr<const void> keeps_device_;
  lattice::Lattice lattice_;
  Stream stream_;  ///< whose order the memory is taken in; nothing but the first copy is queued on it
  DeviceBuffer<float> values_;
};

}  // namespace isolume::gpu
