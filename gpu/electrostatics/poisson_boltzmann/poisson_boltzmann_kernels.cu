#include <algorithm>

#include "core/electrostatics/poisson_boltzmann/level.h"
#include "gpu/electrostatics/poisson_boltzmann/level_points.h"
#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_kernels.h"
#include "gpu/runtime/block_reduction.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::equation_kernels {
namespace {

constexpr unsigned threads = 256;

/// Like electrostatics::clamped_sinh; an error below the last digit of 1 is negligible in a residual.
template <class Real>
__device__ __forceinline__ Real sinh_of(Real u) {
  const Real most = static_cast<Real>(electrostatics::most_potential_of_ions), magnitude = fabs(u);
  const Real within = magnitude < most ? magnitude : most;
  const Real e = exp(within), inverse = 1 / e;
  const Real half = static_cast<Real>(0.5);
  const Real value = half * (e - inverse) + half * (e + inverse) * (magnitude - within);
  return u < 0 ? -value : value;
}
template <class Real>
__device__ __forceinline__ Real cosh_of(Real u) {
  const Real most = static_cast<Real>(electrostatics::most_potential_of_ions), magnitude = fabs(u);
  const Real e = exp(magnitude < most ? magnitude : most);
  return static_cast<Real>(0.5) * (e + 1 / e);
}

/// Links times the difference to the neighbours, less the ionic term.
template <class Real>
__device__ __forceinline__ Real left_at(const LevelArrays& level, const Real* u, Real ion_strength,
                                        Inside at) {
  const std::uint32_t nx = level.nx, plane = plane_of(level);
  const Real here = u[at.own];
  const auto flow = [&](float g, std::uint32_t from) { return static_cast<Real>(g) * (u[from] - here); };
  Real sum = flow(level.gx[at.left], at.left);
  sum += flow(level.gx[at.own], at.left + 1);
  sum += flow(level.gy[at.own - nx], at.own - nx);
  sum += flow(level.gy[at.own], at.own + nx);
  sum += flow(level.gz[at.own - plane], at.own - plane);
  sum += flow(level.gz[at.own], at.own + plane);
  const float d = level.d[at.own];
  if (!(ion_strength > 0)) return sum - static_cast<Real>(d) * here;
  return d > 0 ? sum - ion_strength * sinh_of(here) : sum;
}

template <class Real>
__global__ void __launch_bounds__(threads) residual_of(LevelArrays level, const Real* u, Real ion_strength) {
  Inside at;
  const std::uint32_t place = blockIdx.x * threads + threadIdx.x;
  if (place >= places_inside(level) || !find_place(level, place, at)) return;
  level.r[at.own] = static_cast<float>(left_at(level, u, ion_strength, at));
}

/// At a charge, it and the other terms are almost equal: they are subtracted before rounding.
template <class Real>
__global__ void __launch_bounds__(threads)
    residual_of_charges(LevelArrays level, const Real* u, Real ion_strength, const PointCharge* charges,
                        std::uint32_t count) {
  const std::uint32_t number = blockIdx.x * threads + threadIdx.x;
  if (number >= count) return;
  const PointCharge charge = charges[number];
  const std::uint32_t half = half_of(level);
  const Inside at{charge.at, charge.at % level.nx < half ? charge.at + half - 1 : charge.at - half};
  level.r[at.own] = static_cast<float>(static_cast<Real>(charge.value) + left_at(level, u, ion_strength, at));
}

/// Stores the block's sum at the block's number.
__device__ void store_part(double value, double* parts) {
  __shared__ double sums[threads];
  __syncthreads();  // the previous one has been read
  reduce_block(sums, value, [](double& sum, double other) { sum += other; });
  if (threadIdx.x == 0) parts[blockIdx.x] = sums[0];
}
/// The stride with which all blocks together iterate over the points.
__device__ __forceinline__ std::uint32_t stride_of_all() {
  return gridDim.x * threads;
}

/// Adds the partial sums; unused parts are 0.
__global__ void __launch_bounds__(threads) reduce_parts(const double* parts, double* out) {
  double sum = 0;
  for (unsigned i = threadIdx.x; i < most_parts; i += threads) sum += parts[blockIdx.x * most_parts + i];
  store_part(sum, out);
}

__global__ void __launch_bounds__(threads)
    dot_parts(const float* a, const float* b, std::uint32_t count, double* parts) {
  double sum = 0;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += stride_of_all())
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  store_part(sum, parts);
}

__global__ void __launch_bounds__(threads)
    direction_of(const float* z, float beta, float* p, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count) p[i] = beta == 0 ? z[i] : z[i] + beta * p[i];
}

__global__ void __launch_bounds__(threads) apply_to(LevelArrays level, const float* p, double* parts) {
  double sum = 0;
  Inside at;
  for (std::uint32_t place = blockIdx.x * threads + threadIdx.x; place < places_inside(level);
       place += stride_of_all()) {
    if (!find_place(level, place, at)) continue;
    const Neighbours near = neighbours_of(level, p, at);
    const float here = p[at.own], value = (near.links + level.d[at.own]) * here - near.sum;
    level.z[at.own] = value;
    sum += static_cast<double>(here) * static_cast<double>(value);
  }
  store_part(sum, parts);
}

template <class Real>
__global__ void __launch_bounds__(threads) step_along(float alpha, const float* p, const float* w, Real* u,
                                                      float* r, std::uint32_t count, double* parts) {
  double sum = 0;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += stride_of_all()) {
    u[i] += static_cast<Real>(alpha) * static_cast<Real>(p[i]);
    const float left = r[i] - alpha * w[i];
    r[i] = left;
    sum += static_cast<double>(left) * static_cast<double>(left);
  }
  store_part(sum, parts);
}

template <class Real>
__global__ void __launch_bounds__(threads) add_to(Real part, const float* z, Real* u, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count) u[i] += part * static_cast<Real>(z[i]);
}

template <class Real>
__global__ void __launch_bounds__(threads)
    linearise_at(float* d, const Real* u, Real ion_strength, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count && d[i] > 0) d[i] = static_cast<float>(ion_strength * cosh_of(u[i]));
}

template <class Real>
__global__ void __launch_bounds__(threads)
    change_parts(const float* d, const Real* u, const float* change, double ion_strength, double part,
                 std::uint32_t count, double* parts) {
  double work = 0, curvature = 0;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += stride_of_all()) {
    const double ions = d[i], by = change[i];
    if (!(ions > 0) || by == 0) continue;
    work += ion_strength * sinh_of(static_cast<double>(u[i]) + part * by) * by;
    curvature += ions * by * by;
  }
  store_part(work, parts);
  store_part(curvature, parts + most_parts);
}

/// For kernels that leave partial sums.
dim3 parts_for(std::uint32_t count) {
  return dim3(std::min(blocks_for(count, threads), most_parts));
}
}  // namespace

void reduce_partial_sums(const double* parts, int sums, double* out, const Stream& stream) {
  launch(reduce_parts, dim3(static_cast<unsigned>(sums)), dim3(threads), 0, stream, parts, out);
}

template <class Real>
void residual(const LevelArrays& level, const Real* u, double ion_strength, const PointCharge* charges,
              std::uint32_t count, const Stream& stream) {
  const Real ions = static_cast<Real>(ion_strength);
  launch_each(residual_of<Real>, places_inside(level), threads, stream, level, u, ions);
  if (count == 0) return;
  launch_each(residual_of_charges<Real>, count, threads, stream, level, u, ions, charges, count);
}

void dot(const float* a, const float* b, std::uint32_t count, double* parts, const Stream& stream) {
  launch(dot_parts, parts_for(count), dim3(threads), 0, stream, a, b, count, parts);
}

void direction(const float* z, float beta, float* p, std::uint32_t count, const Stream& stream) {
  launch_each(direction_of, count, threads, stream, z, beta, p, count);
}

void apply(const LevelArrays& level, const float* p, double* parts, const Stream& stream) {
  // As many blocks as for the other sums, so that none of their remaining parts is added again.
  launch(apply_to, parts_for(count_of(level)), dim3(threads), 0, stream, level, p, parts);
}

template <class Real>
void step(float alpha, const float* p, const float* w, Real* u, float* r, std::uint32_t count, double* parts,
          const Stream& stream) {
  launch(step_along<Real>, parts_for(count), dim3(threads), 0, stream, alpha, p, w, u, r, count, parts);
}

template <class Real>
void add(double part, const float* z, Real* u, std::uint32_t count, const Stream& stream) {
  launch_each(add_to<Real>, count, threads, stream, static_cast<Real>(part), z, u, count);
}

template <class Real>
void linearise_ions(const LevelArrays& level, const Real* u, double ion_strength, const Stream& stream) {
  const std::uint32_t count = count_of(level);
  launch_each(linearise_at<Real>, count, threads, stream, level.d, u, static_cast<Real>(ion_strength), count);
}

template <class Real>
void change_of_ions(const LevelArrays& level, const Real* u, const float* change, double ion_strength,
                    double part, double* parts, const Stream& stream) {
  const std::uint32_t count = count_of(level);
  launch(change_parts<Real>, parts_for(count), dim3(threads), 0, stream, level.d, u, change, ion_strength,
         part, count, parts);
}

#define ISOLUME_EQUATION_KERNELS(Real)                                                                 \
  template void residual(const LevelArrays&, const Real*, double, const PointCharge*, std::uint32_t,   \
                         const Stream&);                                                               \
  template void add(double, const float*, Real*, std::uint32_t, const Stream&);                        \
  template void step(float, const float*, const float*, Real*, float*, std::uint32_t, double*,         \
                     const Stream&);                                                                   \
  template void linearise_ions(const LevelArrays&, const Real*, double, const Stream&);                \
  template void change_of_ions(const LevelArrays&, const Real*, const float*, double, double, double*, \
                               const Stream&);
ISOLUME_EQUATION_KERNELS(float)
ISOLUME_EQUATION_KERNELS(double)
#undef ISOLUME_EQUATION_KERNELS

}  // namespace isolume::gpu::equation_kernels
