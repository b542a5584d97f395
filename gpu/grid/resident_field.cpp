#include "gpu/grid/resident_field.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "core/grid/magnitude_bins.h"
#include "gpu/grid/field_kernels.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/transfer.h"

namespace isolume::gpu {
namespace {

namespace kernels = field_kernels;

/// Queries take milliseconds: a device that has not answered by then hangs.
std::chrono::steady_clock::time_point field_deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

kernels::Box box_of(const grid::Grid& grid) {
  const auto& n = grid.dimensions;
  return {{n[0], n[1], n[2]}};
}

template <class T>
std::vector<T> fetched(const DeviceBuffer<T>& values, const Stream& stream) {
  std::vector<T> host(values.size());
  download<T>(stream, values.device_data(), host, field_deadline(), {});
  return host;
}

}  // namespace

ResidentField::ResidentField(const GpuDevice& device, const grid::Grid& grid,
                             std::shared_ptr<const void> keeps_device)
    : keeps_device_(std::move(keeps_device)),
      grid_(grid),
      stream_(device),
      values_(stream_, grid.point_count()) {
  stream_.wait(field_deadline(), {});  // other streams may use it from now on
}

ResidentField::ResidentField(const GpuDevice& device, const grid::ScalarField& field)
    : grid_(field.grid), stream_(device) {
  const std::size_t points = grid_.point_count();
  if (field.values.size() != points) {
    throw Error(fmt::format("The field {} holds {} values for {} grid points.", isolume::quoted(field.name),
                            field.values.size(), points));
  }
  values_ = DeviceBuffer<float>(stream_, points);
  upload<float>(stream_, {field.values.data(), points}, values_.device_data(), field_deadline(), {});
  stream_.wait(field_deadline(), {});
}

/// Several threads may call at once, and a stream is for one thread.
template <class Work>
auto ResidentField::on_own_stream(const Work& work) const {
  if (device().given_up()) throw Error(device().name() + " no longer responds.");
  return dispatch::guarded(device(), [&] {
    const Stream stream(device());
    used_by(stream);
    return work(stream);
  });
}

void ResidentField::to_host(std::span<float> values) const {
  on_own_stream([&](const Stream& stream) {
    download<float>(stream, values_.device_data(), values.first(size()), field_deadline(), {});
  });
}

grid::Range ResidentField::value_range() const {
  if (size() == 0) return {0, 0};
  return on_own_stream([&](const Stream& stream) {
    const unsigned parts = kernels::parts_of(size());
    const DeviceBuffer<kernels::Extent> extents(stream, parts);
    kernels::find_extents(values(), size(), extents.device_data(), parts, stream);
    grid::Range range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    for (const auto& part : fetched(extents, stream)) {
      range.low = std::min(range.low, part.low);
      range.high = std::max(range.high, part.high);
    }
    return range.low > range.high ? grid::Range{0, 0} : range;
  });
}

std::vector<float> ResidentField::magnitudes_on_faces() const {
  if (size() == 0) return {};
  return on_own_stream([&](const Stream& stream) {
    const auto box = box_of(grid_);
    const DeviceBuffer<float> magnitudes(stream, kernels::face_points(box));
    kernels::gather_faces(values(), box, magnitudes.device_data(), stream);
    auto found = fetched(magnitudes, stream);
    std::erase_if(found, [](float each) { return each < 0; });
    return found;
  });
}

std::vector<double> ResidentField::weights_by_magnitude(bool squared) const {
  return on_own_stream([&](const Stream& stream) {
    const DeviceBuffer<double> bins(stream, grid::magnitude_bins::count);
    require_success(cudaMemsetAsync(bins.device_data(), 0, bins.size() * sizeof(double), stream.get()),
                    "clearing memory of the device");
    if (size() > 0) kernels::add_weights(values(), size(), squared, bins.device_data(), stream);
    return fetched(bins, stream);
  });
}

grid::DeviceField::Weights ResidentField::weights_inside(double isovalue, bool squared) const {
  if (size() == 0) return {};
  return on_own_stream([&](const Stream& stream) {
    const unsigned parts = kernels::parts_of(size());
    const DeviceBuffer<kernels::Weights> weights(stream, parts);
    kernels::sum_weights(values(), size(), isovalue, squared, weights.device_data(), parts, stream);
    Weights sums;
    for (const auto& part : fetched(weights, stream)) {
      sums.all += part.all;
      sums.inside += part.inside;
    }
    return sums;
  });
}

std::vector<float> ResidentField::every(std::size_t stride) const {
  if (size() == 0) return {};
  return on_own_stream([&](const Stream& stream) {
    const DeviceBuffer<float> some(stream, (size() + stride - 1) / stride);
    kernels::gather_every(values(), stride, some.device_data(), some.size(), stream);
    return fetched(some, stream);
  });
}

std::vector<float> ResidentField::sample(const grid::PlaneGrid& plane) const {
  if (plane.size() == 0) return {};
  if (size() == 0) return std::vector<float>(plane.size(), std::numeric_limits<float>::quiet_NaN());
  const Eigen::Matrix3d to_steps = grid_.step.inverse();
  const Eigen::Vector3d corner = grid_.index_at(plane.corner);
  const Eigen::Vector3d along = to_steps * plane.along;
  const Eigen::Vector3d across = to_steps * plane.across;
  kernels::Plane in_steps{};
  for (int axis = 0; axis < 3; ++axis) {
    in_steps.corner[axis] = corner[axis];
    in_steps.along[axis] = along[axis];
    in_steps.across[axis] = across[axis];
  }
  in_steps.columns = plane.columns;
  in_steps.rows = plane.rows;
  return on_own_stream([&](const Stream& stream) {
    const DeviceBuffer<float> samples(stream, plane.size());
    kernels::sample(values(), box_of(grid_), in_steps, samples.device_data(), stream);
    return fetched(samples, stream);
  });
}

}  // namespace isolume::gpu
