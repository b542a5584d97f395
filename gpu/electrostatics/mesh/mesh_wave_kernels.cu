#include "gpu/electrostatics/mesh/mesh_wave_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::mesh_kernels {
namespace {

constexpr unsigned wave_threads = 256;

__device__ __forceinline__ std::size_t number_in_box() {
  return static_cast<std::size_t>(blockIdx.x) * wave_threads + threadIdx.x;
}

struct BoxPlace {
  int x, y, z;
};
__device__ __forceinline__ BoxPlace place_in(const Box& box, std::size_t number) {
  const std::size_t row = number / box.points[0];
  return {static_cast<int>(number % box.points[0]), static_cast<int>(row % box.points[1]),
          static_cast<int>(row / box.points[1])};
}
__device__ __forceinline__ std::size_t number_of(const Box& box, const BoxPlace& at) {
  return (static_cast<std::size_t>(at.z) * box.points[1] + at.y) * box.points[0] + at.x;
}

__device__ double green(const Waves& waves, double x, double y, double z) {
  double squared = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double* const by = waves.reciprocal[axis];
    const double along = by[0] * x + by[1] * y + by[2] * z;
    squared += along * along;
  }
  return squared > 0 ? exp(-waves.decay * squared) * waves.over_volume / squared : 0;
}

/// A wave of period two represents that of the opposite number, too, which in a skewed box has another
/// length.
__device__ __forceinline__ int opposite_of(int number, int points) {
  return 2 * number == points ? -number : number;
}

__global__ void __launch_bounds__(wave_threads) multiply_by_waves(Waves waves, Box mesh, double2* modes) {
  const Box box = mesh.modes();
  const std::size_t number = number_in_box();
  if (number >= box.size()) return;
  if (number == 0) {
    modes[0] = make_double2(waves.background, 0);
    return;
  }
  const BoxPlace at = place_in(box, number);
  const int y = 2 * at.y > mesh.points[1] ? at.y - mesh.points[1] : at.y,
            z = 2 * at.z > mesh.points[2] ? at.z - mesh.points[2] : at.z;
  const int other_x = opposite_of(at.x, mesh.points[0]), other_y = opposite_of(y, mesh.points[1]),
            other_z = opposite_of(z, mesh.points[2]);
  double factor = green(waves, at.x, y, z);
  if (other_x != at.x || other_y != y || other_z != z)
    factor = (factor + green(waves, other_x, other_y, other_z)) / 2;
  factor *= waves.sharper[2][at.z] * waves.sharper[1][at.y] * waves.sharper[0][at.x];
  const double2 mode = modes[number];
  modes[number] = make_double2(factor * mode.x, factor * mode.y);
}

__global__ void __launch_bounds__(wave_threads) unfold_kernel(Kernel kernel, Box box, double* values) {
  const std::size_t number = number_in_box();
  if (number >= box.size()) return;
  const BoxPlace at = place_in(box, number);
  const int x = min(at.x, box.points[0] - at.x), y = min(at.y, box.points[1] - at.y),
            z = min(at.z, box.points[2] - at.z);
  const double squared = static_cast<double>(x) * x + static_cast<double>(y) * y + static_cast<double>(z) * z;
  const bool reaches = x <= kernel.reach[0] && y <= kernel.reach[1] && z <= kernel.reach[2] &&
                       squared <= kernel.radius_squared;
  const Box those{{kernel.reach[0] + 1, kernel.reach[1] + 1, kernel.reach[2] + 1}};
  values[number] = reaches ? kernel.values[number_of(those, {x, y, z})] : 0;
}

__global__ void __launch_bounds__(wave_threads)
    pad_with_zeros(const double* from, Box inner, Box box, double* values) {
  const std::size_t number = number_in_box();
  if (number >= box.size()) return;
  const BoxPlace at = place_in(box, number);
  const bool inside = at.x < inner.points[0] && at.y < inner.points[1] && at.z < inner.points[2];
  values[number] = inside ? from[number_of(inner, at)] : 0;
}

__global__ void __launch_bounds__(wave_threads)
    cut_out_of(const double* from, Box box, Box inner, double* values) {
  const std::size_t number = number_in_box();
  if (number < inner.size()) values[number] = from[number_of(box, place_in(inner, number))];
}

__global__ void __launch_bounds__(wave_threads)
    multiply_by_kernel(const double2* kernel, double factor, std::size_t count, double2* modes) {
  const std::size_t number = number_in_box();
  if (number >= count) return;
  const double by = factor * kernel[number].x;
  const double2 mode = modes[number];
  modes[number] = make_double2(by * mode.x, by * mode.y);
}

/// The finer mesh's first point coincides with this one of the coarser.
constexpr int before_first = HalfWay::points / 2 - 1;

/// Values along an axis of a box.
struct Line {
  const double* first;
  std::size_t stride;
  int points;

  __device__ double operator[](int i) const {
    return i >= 0 && i < points ? first[static_cast<std::size_t>(i) * stride] : 0;
  }
};

__device__ double at_coarser(const Line& fine, int point, const HalfWay& half_way) {
  double sum = fine[2 * (point - before_first)];
  for (int i = 0; i < HalfWay::points; ++i) sum = fma(half_way.weights[i], fine[2 * (point - i) + 1], sum);
  return sum;
}

__device__ double at_finer(const Line& coarse, int point, const HalfWay& half_way) {
  if (point % 2 == 0) return coarse[point / 2 + before_first];
  double sum = 0;
  for (int i = 0; i < HalfWay::points; ++i) sum = fma(half_way.weights[i], coarse[point / 2 + i], sum);
  return sum;
}

__global__ void __launch_bounds__(wave_threads)
    to_other_mesh(const double* from, Box from_box, Box to_box, int axis, bool to_coarser, HalfWay half_way,
                  double* to) {
  const std::size_t number = number_in_box();
  if (number >= to_box.size()) return;
  const BoxPlace at = place_in(to_box, number);
  BoxPlace begin = at;
  (axis == 0 ? begin.x : axis == 1 ? begin.y : begin.z) = 0;
  std::size_t stride = 1;
  for (int each = 0; each < axis; ++each) stride *= from_box.points[each];
  const Line line{from + number_of(from_box, begin), stride, from_box.points[axis]};
  const int point = axis == 0 ? at.x : axis == 1 ? at.y : at.z;
  to[number] = to_coarser ? at_coarser(line, point, half_way) : at_finer(line, point, half_way);
}

__global__ void __launch_bounds__(wave_threads)
    add_halves(const double* from, std::size_t count, double* to) {
  const std::size_t number = number_in_box();
  if (number < count) to[number] += from[number] / 2;
}

}  // namespace

void act_by_waves(const Waves& waves, const Box& mesh, double2* modes, const Stream& stream) {
  launch_each(multiply_by_waves, mesh.modes().size(), wave_threads, stream, waves, mesh, modes);
}

void unfold(const Kernel& kernel, const Box& box, double* values, const Stream& stream) {
  launch_each(unfold_kernel, box.size(), wave_threads, stream, kernel, box, values);
}

void pad(const double* from, const Box& inner, const Box& box, double* values, const Stream& stream) {
  launch_each(pad_with_zeros, box.size(), wave_threads, stream, from, inner, box, values);
}

void cut(const double* from, const Box& box, const Box& inner, double* values, const Stream& stream) {
  launch_each(cut_out_of, inner.size(), wave_threads, stream, from, box, inner, values);
}

void act_by_kernel(const double2* kernel, double factor, std::size_t count, double2* modes,
                   const Stream& stream) {
  launch_each(multiply_by_kernel, count, wave_threads, stream, kernel, factor, count, modes);
}

void between_meshes(const double* from, const Box& from_box, const Box& to_box, int axis, bool to_coarser,
                    const HalfWay& half_way, double* to, const Stream& stream) {
  launch_each(to_other_mesh, to_box.size(), wave_threads, stream, from, from_box, to_box, axis, to_coarser,
              half_way, to);
}

void add_half(const double* from, std::size_t count, double* to, const Stream& stream) {
  launch_each(add_halves, count, wave_threads, stream, from, count, to);
}

}  // namespace isolume::gpu::mesh_kernels
