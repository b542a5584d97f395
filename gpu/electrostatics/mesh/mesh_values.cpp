#include "gpu/electrostatics/mesh/mesh_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <span>

#include <Eigen/LU>

#include "core/electrostatics/sums/multilevel.h"
#include "core/electrostatics/sums/particle_mesh_ewald.h"
#include "core/fourier/mesh_transform.h"
#include "gpu/electrostatics/mesh/mesh_wave_kernels.h"
#include "gpu/electrostatics/pairs/packed_charges.h"
#include "gpu/runtime/algorithms/fourier.h"
#include "gpu/runtime/algorithms/sort.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

namespace meshes = mesh_kernels;
using electrostatics::EwaldWaves;
using electrostatics::MeshSum;
using electrostatics::MultilevelLevel;

using Values = DeviceBuffer<double>;

meshes::Box box_of(const meshes::Mesh& mesh) {
  return {{mesh.points[0], mesh.points[1], mesh.points[2]}};
}
meshes::Box box_of(const std::array<int, 3>& points) {
  return {{points[0], points[1], points[2]}};
}
FourierSize fourier_size(const meshes::Box& box) {
  return {box.points[0], box.points[1], box.points[2]};
}

/// The charges, times `factor`, at the mesh's points.
Values spread(const MeshSum& sum, const meshes::Mesh& mesh, double factor, const Stream& stream,
              const WaitLimits& limits) {
  const auto charges = upload_vector<pair_kernels::Charge>(pack_charges(sum.sources), stream, limits);
  const std::size_t count = charges.size();
  const meshes::MeshCharges those{charges.device_data(), static_cast<std::uint32_t>(count)};
  DeviceBuffer<std::uint32_t> numbers(stream, count), starts(stream, mesh.size() + 1);
  {
    const DeviceBuffer<std::uint64_t> cells(stream, count), in_order(stream, count);
    const DeviceBuffer<std::uint32_t> unordered(stream, count);
    meshes::find_cells(those, mesh, cells.device_data(), unordered.device_data(), stream);
    sort_pairs(cells.device_data(), in_order.device_data(), unordered.device_data(), numbers.device_data(),
               count, std::bit_width(mesh.size()), stream);
    meshes::find_starts(in_order.device_data(), those.count, mesh, starts.device_data(), stream);
  }
  const DeviceBuffer<int> first_x(stream, count);
  const Values weights(stream, 3 * static_cast<std::size_t>(mesh.order) * count);
  meshes::weigh(those, numbers.device_data(), mesh, factor, first_x.device_data(), weights.device_data(),
                stream);
  Values values(stream, mesh.size());
  meshes::gather({starts.device_data(), first_x.device_data(), weights.device_data()}, mesh,
                 values.device_data(), stream);
  return values;
}

meshes::Waves pack_waves(const EwaldWaves& law) {
  constexpr double pi = std::numbers::pi;
  const Eigen::Matrix3d reciprocal = law.period.inverse().transpose();
  meshes::Waves waves{};
  for (int row = 0; row < 3; ++row) {
    for (int axis = 0; axis < 3; ++axis) waves.reciprocal[row][axis] = reciprocal(row, axis);
  }
  waves.decay = pi * pi / (law.alpha * law.alpha);
  waves.over_volume = 1 / (pi * std::abs(law.period.determinant()));
  waves.background = law.background;
  return waves;
}

Values ewald(const MeshSum& sum, const Stream& stream, const WaitLimits& limits) {
  const auto mesh = pack_mesh(sum.mesh);
  const meshes::Box box = box_of(mesh);
  const RealFourier fourier(stream.device(), fourier_size(box));
  Values values = spread(sum, mesh, 1, stream, limits);
  const DeviceBuffer<double2> modes(stream, box.modes().size());
  fourier.forward(values.device_data(), modes.device_data(), stream);
  meshes::Waves waves = pack_waves(std::get<EwaldWaves>(sum.law));
  std::vector<Values> sharper;
  for (int axis = 0; axis < 3; ++axis) {
    sharper.push_back(upload_vector<double>(
        electrostatics::spline_sharpening(static_cast<std::size_t>(box.points[axis]), mesh.order), stream,
        limits));
    waves.sharper[axis] = sharper.back().device_data();
  }
  meshes::act_by_waves(waves, box, modes.device_data(), stream);
  fourier.inverse(modes.device_data(), values.device_data(), stream);
  // cuFFT's plan must outlive its work.
  stream.wait(limits);
  return values;
}

/// Padded with zeros, so that the kernel does not wrap around to the other end.
meshes::Box padded(const MultilevelLevel& level) {
  meshes::Box box{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int needed = level.points[axis] + std::min(level.kernel.reach[axis], level.points[axis] - 1);
    box.points[axis] = static_cast<int>(fourier::next_transform_side(static_cast<std::size_t>(needed)));
  }
  return box;
}

Values convolved(const Values& charges, const MultilevelLevel& level, const Stream& stream,
                 const WaitLimits& limits) {
  const meshes::Box box = padded(level), inner = box_of(level.points);
  const RealFourier fourier(stream.device(), fourier_size(box));
  const auto weights = upload_vector<double>(level.kernel.values, stream, limits);
  const auto& reach = level.kernel.reach;
  const double radius = level.kernel.radius;
  const Values values(stream, box.size());
  const DeviceBuffer<double2> modes(stream, box.modes().size()), of_kernel(stream, box.modes().size());
  meshes::unfold({weights.device_data(), {reach[0], reach[1], reach[2]}, radius * radius}, box,
                 values.device_data(), stream);
  fourier.forward(values.device_data(), of_kernel.device_data(), stream);
  meshes::pad(charges.device_data(), inner, box, values.device_data(), stream);
  fourier.forward(values.device_data(), modes.device_data(), stream);
  meshes::act_by_kernel(of_kernel.device_data(), 1 / static_cast<double>(box.size()), modes.size(),
                        modes.device_data(), stream);
  fourier.inverse(modes.device_data(), values.device_data(), stream);
  Values potential(stream, inner.size());
  meshes::cut(values.device_data(), box, inner, potential.device_data(), stream);
  stream.wait(limits);
  return potential;
}

meshes::HalfWay half_way() {
  static_assert(meshes::HalfWay::points == electrostatics::multilevel_stencil_points);
  const auto weights = electrostatics::lagrange_weights(meshes::HalfWay::points, 0.5);
  meshes::HalfWay half{};
  std::copy_n(weights.begin(), meshes::HalfWay::points, half.weights);
  return half;
}

/// Applied axis by axis.
Values to_mesh(const Values& from, const std::array<int, 3>& from_points, const std::array<int, 3>& to_points,
               bool to_coarser, const Stream& stream) {
  auto points = from_points;
  Values last;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const meshes::Box before = box_of(points);
    points[axis] = to_points[axis];
    Values next(stream, box_of(points).size());
    meshes::between_meshes((axis == 0 ? from : last).device_data(), before, box_of(points),
                           static_cast<int>(axis), to_coarser, half_way(), next.device_data(), stream);
    last = std::move(next);
  }
  return last;
}

Values potential_of(const Values& charges, std::span<const MultilevelLevel> levels, const Stream& stream,
                    const WaitLimits& limits) {
  auto potential = convolved(charges, levels.front(), stream, limits);
  if (levels.size() == 1) return potential;
  const auto coarse = to_mesh(charges, levels[0].points, levels[1].points, true, stream);
  const auto rest = to_mesh(potential_of(coarse, levels.subspan(1), stream, limits), levels[1].points,
                            levels[0].points, false, stream);
  meshes::add_half(rest.device_data(), rest.size(), potential.device_data(), stream);
  return potential;
}

Values multilevel(const MeshSum& sum, const Stream& stream, const WaitLimits& limits) {
  const auto mesh = pack_mesh(sum.mesh);
  const auto levels =
      electrostatics::multilevel_levels({mesh.points[0], mesh.points[1], mesh.points[2]},
                                        std::get<electrostatics::MultilevelLevels>(sum.law).spacings);
  const auto charges = spread(sum, mesh, 1 / mesh.spacing[0], stream, limits);
  return potential_of(charges, levels, stream, limits);
}

}  // namespace

meshes::Mesh pack_mesh(const electrostatics::StencilMesh& mesh) {
  meshes::Mesh packed{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto& its = mesh.axes()[axis];
    packed.origin[axis] = its.origin;
    packed.spacing[axis] = its.spacing;
    packed.points[axis] = its.points;
    packed.periodic[axis] = its.periodic;
  }
  packed.splines = mesh.basis() == electrostatics::MeshBasis::spline;
  packed.order = mesh.order();
  return packed;
}

std::vector<double> mesh_values(const MeshSum& sum, const Stream& stream, const WaitLimits& limits) {
  const bool periodic = std::holds_alternative<EwaldWaves>(sum.law);
  const Values on_device = periodic ? ewald(sum, stream, limits) : multilevel(sum, stream, limits);
  std::vector<double> values(on_device.size());
  download(stream, on_device.device_data(), std::span(values), from_now(limits.deadline), limits.progress);
  return values;
}

}  // namespace isolume::gpu
