#include "gpu/nbody/resident/bodies_replica.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include "core/base/clock.h"
#include "gpu/runtime/algorithms/sort.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/runtime/memory/values_on_gpu.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {
namespace {

namespace kernels = nbody_kernels;
using kernels::BodyBounds;
using kernels::WalkBody;

/// Fields that are exchanged between GPUs: x, y and z of the acceleration, and the potential.
constexpr std::size_t exchanged_fields = 4;

struct AllBounds {
  Eigen::AlignedBox3d box = {};
  std::uint32_t escaped = kernels::no_body;
};

AllBounds joined(std::span<const BodyBounds> parts) {
  AllBounds all;
  for (const BodyBounds& part : parts) {
    all.box.extend(Eigen::Vector3d::Map(part.low));
    all.box.extend(Eigen::Vector3d::Map(part.high));
    all.escaped = std::min(all.escaped, part.escaped);
  }
  return all;
}

static_assert(kernels::bodies_of_one_sum == nbody::bodies_of_a_sum);
static_assert(kernels::lagrangian_radii == std::tuple_size_v<decltype(nbody::Diagnostics::mass_fractions)>);

kernels::Centre centre_at(const Eigen::Vector3d& place) {
  return {{place.x(), place.y(), place.z()}};
}

/// Tables in one block of memory.
class Tables {
 public:
  void want(bool wanted, std::size_t size) { sizes_.push_back(wanted ? size : 0); }
  bool any() const {
    return std::ranges::any_of(sizes_, [](std::size_t size) { return size > 0; });
  }
  void make(const std::shared_ptr<dispatch::DevicePool>& pool, const Stream& writer) {
    const std::size_t size = std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0});
    block_ = std::make_shared<ValuesBlock>(pool, writer.device(), size);
    block_->used_by(writer);
  }
  /// Null: not requested.
  float* data(std::size_t table) const { return sizes_[table] > 0 ? block_->data() + first(table) : nullptr; }
  std::shared_ptr<const dispatch::DeviceValues> values(std::size_t table) const {
    if (sizes_[table] == 0) return nullptr;
    return std::make_shared<const ValuesOnGpu>(block_, first(table), sizes_[table]);
  }

 private:
  std::size_t first(std::size_t table) const {
    return std::accumulate(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(table),
                           std::size_t{0});
  }

  std::vector<std::size_t> sizes_;
  std::shared_ptr<ValuesBlock> block_;
};

}  // namespace

BodiesReplica::BodiesReplica(const GpuDevice& device, std::size_t count, const nbody::ForceOptions& options)
    : options_(options),
      stream_(device),
      now_(stream_, count),
      next_(stream_, count),
      fields_(stream_, placed_fields * count),
      bounds_(stream_, kernels::parts_of_bodies(static_cast<std::uint32_t>(count))),
      seen_(stream_, bounds_.size()) {}

void BodiesReplica::upload(const nbody::Bodies& bodies, const WaitLimits& limits) {
  const std::size_t count = bodies.size();
  std::vector<WalkBody> places(count);
  for (std::size_t i = 0; i < count; ++i) places[i] = {bodies.x[i], bodies.y[i], bodies.z[i], bodies.mass[i]};
  const auto send = [&]<class T>(const std::vector<T>& from, T* to) {
    gpu::upload<T>(stream_, from, to, from_now(limits.deadline), limits.progress);
  };
  send(places, next_.bodies.device_data());
  double* to = next_.velocities.device_data();
  for (const auto* values : {&bodies.vx, &bodies.vy, &bodies.vz}) {
    send(*values, to);
    to += count;
  }
  kernels::find_bodies(next_.bodies.device_data(), this->count(), bounds_.device_data(), stream_);
}

void BodiesReplica::drift(double dt) {
  kernels::kick_and_drift(
      {now_.bodies.device_data(), now_.velocities.device_data(), now_.forces.device_data(),
       next_.bodies.device_data(), next_.velocities.device_data(), count()},
      dt, bounds_.device_data(), stream_);
}

void BodiesReplica::stay() {
  const auto copy = [&](const auto& from, auto& to) {
    copy_between_devices(stream_, to.device_data(), stream_, from.device_data(),
                         from.size() * sizeof(*from.device_data()));
  };
  copy(now_.bodies, next_.bodies);
  copy(now_.velocities, next_.velocities);
  kernels::find_bodies(next_.bodies.device_data(), count(), bounds_.device_data(), stream_);
}

std::optional<std::uint32_t> BodiesReplica::place(double mass_sum, const WaitLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  bounds_.copy_to(seen_.host(), stream_);
  stream_.wait(limits);
  const AllBounds around = joined(seen_.host());
  if (around.escaped != kernels::no_body) return around.escaped;
  const BodyScale scale(around.box, mass_sum);
  sums_ = options_.solver == nbody::SolverKind::direct
              ? place_direct(scale, next_.bodies, options_, stream_, limits)
              : place_tree(scale, next_.bodies, options_, stream_, limits);
  const double potential_unit = scale.mass_sum / scale.length;
  units_ = {potential_unit / scale.length, potential_unit};
  seconds_to_place_ = seconds_since(start);
  return std::nullopt;
}

void BodiesReplica::sum(Slab part, bool potentials, const WaitLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  part_ = part;
  sums_->sum(part, potentials, fields_.device_data(), count(), stream_);
  stream_.wait(limits);
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

void BodiesReplica::take_forces(double half_step, const WaitLimits& limits) {
  kernels::take_forces({fields_.device_data(), sums_->original(), next_.velocities.device_data(),
                        next_.forces.device_data(), count()},
                       units_, half_step, stream_);
  stream_.wait(limits);
  sums_.reset();
}

template <class T>
std::vector<T> BodiesReplica::fetched(const DeviceBuffer<T>& values, const WaitLimits& limits) const {
  std::vector<T> host(values.size());
  download<T>(stream_, values.device_data(), host, from_now(limits.deadline), limits.progress);
  return host;
}

std::vector<WalkBody> BodiesReplica::places(const WaitLimits& limits) const {
  return fetched(now_.bodies, limits);
}
std::vector<double> BodiesReplica::velocities(const WaitLimits& limits) const {
  return fetched(now_.velocities, limits);
}
std::vector<double> BodiesReplica::forces(const WaitLimits& limits) const {
  return fetched(now_.forces, limits);
}

nbody::Totals BodiesReplica::totals(const WaitLimits& limits) const {
  constexpr auto each = static_cast<std::size_t>(kernels::totals_of_block);
  const DeviceBuffer<double> sums(stream_, each * kernels::blocks_of_sums(count()));
  kernels::sum_totals(bodies_now(), sums.device_data(), stream_);
  const auto found = fetched(sums, limits);
  nbody::Totals all;
  for (const double* block = found.data(); block != found.data() + found.size(); block += each) {
    nbody::Totals part;
    part.mass = block[0];
    part.kinetic = block[1];
    part.potential = block[2];
    part.place = Eigen::Vector3d::Map(block + 3);
    part.momentum = Eigen::Vector3d::Map(block + 6);
    part.angular_momentum = Eigen::Vector3d::Map(block + 9);
    all += part;
  }
  return all;
}

void BodiesReplica::set_lagrangian_radii(double mass, nbody::Diagnostics& diagnostics,
                                         const WaitLimits& limits) const {
  const kernels::BodiesNow now = bodies_now();
  const DeviceBuffer<std::uint64_t> keys(stream_, count()), sorted_keys(stream_, count());
  const DeviceBuffer<std::uint32_t> numbers(stream_, count()), sorted_numbers(stream_, count());
  const DeviceBuffer<double> masses(stream_, kernels::blocks_of_sums(count()));
  const DeviceBuffer<std::uint64_t> radii(stream_, kernels::lagrangian_radii);
  kernels::number_by_distance(now, centre_at(diagnostics.centre_of_mass), keys.device_data(),
                              numbers.device_data(), stream_);
  constexpr int all_bits = 64;
  sort_pairs(keys.device_data(), sorted_keys.device_data(), numbers.device_data(),
             sorted_numbers.device_data(), count(), all_bits, stream_);
  kernels::sum_masses(now, sorted_numbers.device_data(), masses.device_data(), stream_);
  kernels::MassesWithin within{};
  for (std::size_t k = 0; k < std::size(within.masses); ++k)
    within.masses[k] = nbody::Diagnostics::mass_fractions[k] * mass;
  kernels::find_radii(now, {sorted_keys.device_data(), sorted_numbers.device_data(), masses.device_data()},
                      within, radii.device_data(), stream_);
  const auto found = fetched(radii, limits);
  std::ranges::transform(found, diagnostics.lagrangian_radii.begin(),
                         [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
}

nbody::ResidentFrame BodiesReplica::frame(simulation::Wanted what,
                                          const std::shared_ptr<dispatch::DevicePool>& pool,
                                          const WaitLimits& limits) const {
  const nbody::Totals totals = this->totals(limits);
  nbody::Diagnostics diagnostics = nbody::diagnostics_of(totals);
  nbody::ResidentFrame frame;
  frame.centre = diagnostics.centre_of_mass;
  if ((what & nbody::frame_diagnostics) != 0) {
    if (totals.mass > 0) set_lagrangian_radii(totals.mass, diagnostics, limits);
    frame.diagnostics = diagnostics;
  }
  const std::size_t bodies = count();
  Tables tables;
  tables.want((what & nbody::frame_positions) != 0, 3 * bodies);
  tables.want((what & nbody::frame_speeds) != 0, bodies);
  tables.want((what & nbody::frame_velocities) != 0, 3 * bodies);
  tables.want((what & nbody::frame_potentials) != 0, bodies);
  if (!tables.any()) return frame;
  tables.make(pool, stream_);
  kernels::write_frame(bodies_now(), centre_at(frame.centre),
                       {.positions = tables.data(0),
                        .speeds = tables.data(1),
                        .velocities = tables.data(2),
                        .potentials = tables.data(3)},
                       stream_);
  stream_.wait(limits);  // other streams may read it from now on
  frame.positions = tables.values(0);
  frame.speeds = tables.values(1);
  frame.velocities = tables.values(2);
  frame.potentials = tables.values(3);
  return frame;
}

}  // namespace isolume::gpu
