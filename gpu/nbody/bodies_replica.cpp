#include "gpu/nbody/bodies_replica.h"

#include <algorithm>
#include <span>

#include "core/base/clock.h"
#include "gpu/runtime/deadline.h"
#include "gpu/runtime/transfer.h"
#include "gpu/runtime/upload_vector.h"

namespace isolume::gpu {
namespace {

namespace kernels = nbody_kernels;
using kernels::WalkBody;
using kernels::Whereabouts;

/// Fields that go from GPU to GPU: x, y and z of the acceleration, and the potential.
constexpr std::size_t exchanged_fields = 4;

struct Surroundings {
  Eigen::AlignedBox3d box = {};
  std::uint32_t gone = kernels::nobody;
};

Surroundings joined(std::span<const Whereabouts> parts) {
  Surroundings all;
  for (const Whereabouts& part : parts) {
    all.box.extend(Eigen::Vector3d::Map(part.low));
    all.box.extend(Eigen::Vector3d::Map(part.high));
    all.gone = std::min(all.gone, part.gone);
  }
  return all;
}

}  // namespace

BodiesReplica::BodiesReplica(const GpuDevice& device, std::size_t count, const nbody::ForceOptions& options)
    : options_(options),
      stream_(device),
      now_(stream_, count),
      next_(stream_, count),
      fields_(stream_, placed_fields * count),
      whereabouts_(stream_, kernels::parts_of_bodies(static_cast<std::uint32_t>(count))),
      seen_(stream_, whereabouts_.size()) {}

void BodiesReplica::upload(const nbody::Bodies& bodies, const Delivery& delivery) {
  const std::size_t count = bodies.size();
  std::vector<WalkBody> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = {bodies.x[i], bodies.y[i], bodies.z[i], bodies.mass[i]};
  const auto send = [&]<class T>(const std::vector<T>& from, T* to) {
    gpu::upload<T>(stream_, from, to, from_now(delivery.deadline), delivery.progress);
  };
  send(places, next_.bodies.device_data());
  double* to = next_.velocities.device_data();
  for (const auto* values : {&bodies.vx, &bodies.vy, &bodies.vz}) {
    send(*values, to);
    to += count;
  }
  kernels::find_bodies(next_.bodies.device_data(), this->count(), whereabouts_.device_data(), stream_);
}

void BodiesReplica::drift(double dt) {
  kernels::kick_and_drift(
      {now_.bodies.device_data(), now_.velocities.device_data(), now_.forces.device_data(),
       next_.bodies.device_data(), next_.velocities.device_data(), count()},
      dt, whereabouts_.device_data(), stream_);
}

std::optional<std::uint32_t> BodiesReplica::place(double mass_sum, const Delivery& delivery) {
  const auto start = std::chrono::steady_clock::now();
  whereabouts_.copy_to(seen_.host(), stream_);
  stream_.wait(from_now(delivery.deadline), delivery.progress);
  const Surroundings around = joined(seen_.host());
  if (around.gone != kernels::nobody) return around.gone;
  const BodyScale scale(around.box, mass_sum);
  sums_ = options_.solver == nbody::SolverKind::direct
              ? place_direct(scale, next_.bodies, options_.softening, stream_, delivery)
              : place_tree(scale, next_.bodies, options_, stream_, delivery);
  const double potential_unit = scale.mass_sum / scale.length;
  units_ = {potential_unit / scale.length, potential_unit, options_.softening};
  seconds_to_place_ = seconds_since(start);
  return std::nullopt;
}

void BodiesReplica::sum(Slab part, const Delivery& delivery) {
  const auto start = std::chrono::steady_clock::now();
  part_ = part;
  sums_->sum(part, fields_.device_data(), count(), stream_);
  stream_.wait(from_now(delivery.deadline), delivery.progress);
  seconds_to_sum_ = seconds_since(start);
}

void BodiesReplica::copy_part_to(const BodiesReplica& other) const {
  const auto first = static_cast<std::size_t>(part_.first),
             bytes = static_cast<std::size_t>(part_.count) * sizeof(float);
  if (bytes == 0) return;
  for (std::size_t field = 0; field < exchanged_fields; ++field) {
    const std::size_t at = field * count() + first;
    copy_between_devices(other.stream_, other.fields_.device_data() + at, stream_, fields_.device_data() + at,
                         bytes);
  }
}

void BodiesReplica::take_forces(double half_step, const Delivery& delivery) {
  kernels::take_forces({fields_.device_data(), sums_->original(), next_.bodies.device_data(),
                        next_.velocities.device_data(), next_.forces.device_data(), count()},
                       units_, half_step, stream_);
  stream_.wait(from_now(delivery.deadline), delivery.progress);
  sums_.reset();
}

template <class T>
std::vector<T> BodiesReplica::fetched(const DeviceBuffer<T>& values, const Delivery& delivery) const {
  std::vector<T> host(values.size());
  download<T>(stream_, values.device_data(), host, from_now(delivery.deadline), delivery.progress);
  return host;
}

std::vector<WalkBody> BodiesReplica::places(const Delivery& delivery) const {
  return fetched(now_.bodies, delivery);
}
std::vector<double> BodiesReplica::velocities(const Delivery& delivery) const {
  return fetched(now_.velocities, delivery);
}
std::vector<double> BodiesReplica::forces(const Delivery& delivery) const {
  return fetched(now_.forces, delivery);
}

}  // namespace isolume::gpu
