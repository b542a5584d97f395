#include "gpu/nbody/resident/frame_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

// Compiled without fused operations, like the host's code, so that both round in the same way.
namespace isolume::gpu::nbody_kernels {
namespace {

constexpr std::uint32_t threads = 128;
constexpr std::uint32_t block_bodies = bodies_of_one_sum;

struct Motion {
  double mass, place[3], velocity[3];
};

__device__ Motion motion_of(const BodiesNow& now, std::size_t i) {
  const std::size_t count = now.count;
  const WalkBody body = now.bodies[i];
  return {body.mass,
          {body.x, body.y, body.z},
          {now.velocities[i], now.velocities[count + i], now.velocities[2 * count + i]}};
}

__device__ double squared(const double* v) {
  return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

/// The contribution of a body to each sum.
__device__ void share_of(const BodiesNow& now, std::size_t i, double (*shares)[threads], std::uint32_t t) {
  const Motion body = motion_of(now, i);
  const double* p = body.place;
  const double* v = body.velocity;
  shares[0][t] = body.mass;
  shares[1][t] = 0.5 * body.mass * squared(v);
  shares[2][t] = 0.5 * body.mass * now.forces[3 * static_cast<std::size_t>(now.count) + i];
  for (int axis = 0; axis < 3; ++axis) {
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    shares[3 + axis][t] = body.mass * p[axis];
    shares[6 + axis][t] = body.mass * v[axis];
    shares[9 + axis][t] = body.mass * (p[next] * v[last] - p[last] * v[next]);
  }
}

/// A block of threads adds up a block of bodies: all compute contributions, then some threads add one kind of
/// sum each.
__global__ void __launch_bounds__(threads) reduce_totals(BodiesNow now, double* totals) {
  __shared__ double shares[totals_of_block][threads];
  const std::uint32_t t = threadIdx.x, first = blockIdx.x * block_bodies;
  const std::uint32_t end = now.count - first < block_bodies ? now.count : first + block_bodies;
  double sum = 0;
  for (std::uint32_t from = first; from < end; from += threads) {
    const std::uint32_t here = end - from < threads ? end - from : threads;
    if (t < here) share_of(now, from + t, shares, t);
    __syncthreads();
    if (t < totals_of_block) {
      for (std::uint32_t k = 0; k < here; ++k) sum += shares[t][k];
    }
    __syncthreads();
  }
  if (t < totals_of_block) totals[blockIdx.x * totals_of_block + t] = sum;
}

/// Like std::hypot of three numbers.
__device__ double length_of(const double* v) {
  const double x = fabs(v[0]), y = fabs(v[1]), z = fabs(v[2]);
  const double most = fmax(fmax(x, y), z);
  if (most == 0) return 0;
  return most * sqrt((x / most) * (x / most) + (y / most) * (y / most) + (z / most) * (z / most));
}

__global__ void __launch_bounds__(threads) write_each(BodiesNow now, Centre centre, FrameNumbers to) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= now.count) return;
  const Motion body = motion_of(now, i);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (to.positions != nullptr)
      to.positions[3 * i + axis] = static_cast<float>(body.place[axis] - centre.place[axis]);
    if (to.velocities != nullptr) to.velocities[3 * i + axis] = static_cast<float>(body.velocity[axis]);
  }
  if (to.speeds != nullptr) to.speeds[i] = static_cast<float>(length_of(body.velocity));
  if (to.potentials != nullptr)
    to.potentials[i] = static_cast<float>(now.forces[3 * static_cast<std::size_t>(now.count) + i]);
}

/// Non-negative numbers are ordered like their bits.
__global__ void __launch_bounds__(threads)
    number_each(BodiesNow now, Centre centre, std::uint64_t* keys, std::uint32_t* numbers) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= now.count) return;
  const WalkBody body = now.bodies[i];
  const double from_centre[3] = {body.x - centre.place[0], body.y - centre.place[1],
                                 body.z - centre.place[2]};
  keys[i] = static_cast<std::uint64_t>(__double_as_longlong(sqrt(squared(from_centre))));
  numbers[i] = i;
}

__global__ void __launch_bounds__(threads)
    reduce_sorted_masses(BodiesNow now, const std::uint32_t* sorted_numbers, double* masses) {
  __shared__ double shares[threads];
  const std::uint32_t t = threadIdx.x, first = blockIdx.x * block_bodies;
  const std::uint32_t end = now.count - first < block_bodies ? now.count : first + block_bodies;
  double sum = 0;
  for (std::uint32_t from = first; from < end; from += threads) {
    const std::uint32_t here = end - from < threads ? end - from : threads;
    if (t < here) shares[t] = now.bodies[sorted_numbers[from + t]].mass;
    __syncthreads();
    if (t == 0) {
      for (std::uint32_t k = 0; k < here; ++k) sum += shares[k];
    }
    __syncthreads();
  }
  if (t == 0) masses[blockIdx.x] = sum;
}

/// A block of threads for each radius: finds the block of bodies, and then the body in that.
__global__ void __launch_bounds__(threads)
    find_radius(BodiesNow now, SortedBodies sorted, MassesWithin within, std::uint64_t* radii) {
  __shared__ double masses[threads];
  __shared__ std::uint32_t found;
  const double wanted = within.masses[blockIdx.x];
  const std::uint32_t t = threadIdx.x, blocks = (now.count + block_bodies - 1) / block_bodies;
  double before = 0, inside = 0;
  std::uint32_t block = 0;
  while (block < blocks && before + sorted.block_masses[block] < wanted)
    before += sorted.block_masses[block++];
  if (t == 0) {
    found = now.count;
    radii[blockIdx.x] = 0;
  }
  const std::uint32_t first = block * block_bodies;
  for (std::uint32_t from = first; from < now.count && from < first + block_bodies; from += threads) {
    __syncthreads();
    if (from + t < now.count) masses[t] = now.bodies[sorted.numbers[from + t]].mass;
    __syncthreads();
    for (std::uint32_t k = 0; t == 0 && k < threads && from + k < now.count && found == now.count; ++k) {
      inside += masses[k];
      if (before + inside >= wanted) found = from + k;
    }
  }
  if (t == 0 && found < now.count) radii[blockIdx.x] = sorted.keys[found];
}

}  // namespace

std::uint32_t blocks_of_sums(std::uint32_t count) {
  return (count + block_bodies - 1) / block_bodies;
}
void sum_totals(const BodiesNow& now, double* totals, const Stream& stream) {
  launch(reduce_totals, dim3(blocks_of_sums(now.count)), dim3(threads), 0, stream, now, totals);
}
void write_frame(const BodiesNow& now, const Centre& centre, const FrameNumbers& to, const Stream& stream) {
  launch_each(write_each, now.count, threads, stream, now, centre, to);
}
void number_by_distance(const BodiesNow& now, const Centre& centre, std::uint64_t* keys,
                        std::uint32_t* numbers, const Stream& stream) {
  launch_each(number_each, now.count, threads, stream, now, centre, keys, numbers);
}
void sum_masses(const BodiesNow& now, const std::uint32_t* sorted_numbers, double* masses,
                const Stream& stream) {
  launch(reduce_sorted_masses, dim3(blocks_of_sums(now.count)), dim3(threads), 0, stream, now, sorted_numbers,
         masses);
}
void find_radii(const BodiesNow& now, const SortedBodies& sorted, const MassesWithin& within,
                std::uint64_t* radii, const Stream& stream) {
  launch(find_radius, dim3(lagrangian_radii), dim3(threads), 0, stream, now, sorted, within, radii);
}

}  // namespace isolume::gpu::nbody_kernels
