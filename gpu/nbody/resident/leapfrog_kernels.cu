#include <algorithm>

#include "gpu/nbody/resident/leapfrog_kernels.h"
#include "gpu/runtime/block_reduction.h"
#include "gpu/runtime/launch.h"

// Compiled without fused operations, like the host's code, so that both round in the same way.
namespace isolume::gpu::nbody_kernels {
namespace {

constexpr std::uint32_t threads = 128;
constexpr std::uint32_t most_parts = 512;

__device__ BodyBounds empty_bounds() {
  constexpr double far = 1e300;
  return {{far, far, far}, {-far, -far, -far}, no_body, 0};
}

__device__ void note(BodyBounds& found, const WalkBody& body, std::uint32_t number) {
  constexpr double far = 1e150;
  const double place[3] = {body.x, body.y, body.z};
  for (int axis = 0; axis < 3; ++axis) {
    found.low[axis] = fmin(found.low[axis], place[axis]);
    found.high[axis] = fmax(found.high[axis], place[axis]);
    if (!(fabs(place[axis]) <= far)) found.escaped = min(found.escaped, number);
  }
}

__device__ void store_part(const BodyBounds& found, BodyBounds* parts) {
  __shared__ BodyBounds shared[threads];
  reduce_block(shared, found, [](BodyBounds& sum, const BodyBounds& other) {
    for (int axis = 0; axis < 3; ++axis) {
      sum.low[axis] = fmin(sum.low[axis], other.low[axis]);
      sum.high[axis] = fmax(sum.high[axis], other.high[axis]);
    }
    sum.escaped = min(sum.escaped, other.escaped);
  });
  if (threadIdx.x == 0) parts[blockIdx.x] = shared[0];
}

__global__ void __launch_bounds__(threads)
    find_each(const WalkBody* bodies, std::uint32_t count, BodyBounds* parts) {
  BodyBounds found = empty_bounds();
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
    note(found, bodies[i], i);
  store_part(found, parts);
}

__global__ void __launch_bounds__(threads) drift_each(Drift drift, double dt, BodyBounds* parts) {
  BodyBounds found = empty_bounds();
  const double half = 0.5 * dt;
  const std::size_t count = drift.count;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < drift.count; i += gridDim.x * threads) {
    const WalkBody body = drift.bodies[i];
    double place[3] = {body.x, body.y, body.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t at = axis * count + i;
      const double velocity = drift.velocities[at] + half * drift.forces[at];
      drift.next_velocities[at] = velocity;
      place[axis] = place[axis] + dt * velocity;
    }
    const WalkBody next = {place[0], place[1], place[2], body.mass};
    drift.next_bodies[i] = next;
    note(found, next, i);
  }
  store_part(found, parts);
}

__global__ void take_each(Kick kick, ForceUnits units, double half_step) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= kick.count) return;
  const std::size_t count = kick.count, body = kick.original[i];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double force = units.force * static_cast<double>(kick.fields[axis * count + i]);
    kick.forces[axis * count + body] = force;
    if (half_step != 0) kick.velocities[axis * count + body] += half_step * force;
  }
  kick.forces[3 * count + body] = units.potential * static_cast<double>(kick.fields[3 * count + i]);
}

}  // namespace

std::uint32_t parts_of_bodies(std::uint32_t count) {
  return std::min(blocks_for(count, threads), most_parts);
}
void find_bodies(const WalkBody* bodies, std::uint32_t count, BodyBounds* parts, const Stream& stream) {
  launch(find_each, dim3(parts_of_bodies(count)), dim3(threads), 0, stream, bodies, count, parts);
}
void kick_and_drift(const Drift& drift, double dt, BodyBounds* parts, const Stream& stream) {
  launch(drift_each, dim3(parts_of_bodies(drift.count)), dim3(threads), 0, stream, drift, dt, parts);
}
void take_forces(const Kick& kick, const ForceUnits& units, double half_step, const Stream& stream) {
  launch_each(take_each, kick.count, threads, stream, kick, units, half_step);
}

}  // namespace isolume::gpu::nbody_kernels
