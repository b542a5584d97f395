#include "gpu/electrostatics/mesh/mesh_job.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/electrostatics/mesh/mesh_values.h"
#include "gpu/electrostatics/pairs/grid_job.h"

namespace isolume::gpu {
namespace {

namespace meshes = mesh_kernels;
using electrostatics::MeshSum;
using electrostatics::PairProblem;

/// Data shared by all devices. The caller owns `values`.
struct MeshLayout {
  const std::vector<double>* values;
  meshes::Mesh mesh;
  double scale;
};

MeshLayout mesh_layout(const PairProblem& problem, const std::vector<double>& values) {
  return {&values, pack_mesh(problem.rest->mesh), problem.scale};
}

/// Sums over pairs plus a further contribution.
class AddedToPairs : public PairJob {
 public:
  AddedToPairs(std::unique_ptr<PairJob> pairs, const MeshLayout& layout)
      : pairs_(std::move(pairs)), layout_(layout) {}

  std::string_view kernel() const final { return pairs_->kernel(); }
  int items() const final { return pairs_->items(); }
  std::size_t item_values() const final { return pairs_->item_values(); }
  int fields() const final { return pairs_->fields(); }
  int granularity() const final { return pairs_->granularity(); }
  std::size_t bytes_an_item() const final { return pairs_->bytes_an_item(); }
  const electrostatics::Bins& charges() const final { return pairs_->charges(); }
  const electrostatics::Bins* left_to_host() const final { return pairs_->left_to_host(); }
  std::string remark() const final { return pairs_->remark(); }

 protected:
  const PairJob& pairs() const { return *pairs_; }
  const MeshLayout& layout() const { return layout_; }
  std::size_t values_bytes() const { return std::span(*layout_.values).size_bytes(); }

 private:
  std::unique_ptr<PairJob> pairs_;
  const MeshLayout layout_;
};

/// The pairs' kernels run first, since they set the values to which the others add.
class AddedDeviceJob : public DeviceJob {
 public:
  AddedDeviceJob(std::unique_ptr<DeviceJob> pairs, const MeshLayout& layout, const Stream& stream,
                 const WaitLimits& limits)
      : pairs_(std::move(pairs)),
        layout_(layout),
        values_(upload_vector<double>(*layout.values, stream, limits)) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) final {
    pairs_->launch(slab, out, field_stride, stream);
    add(slab, out, field_stride, stream);
  }

 protected:
  virtual void add(Slab slab, float* out, std::size_t field_stride, const Stream& stream) = 0;
  const MeshLayout& layout() const { return layout_; }
  const double* values() { return values_.device_data(); }

 private:
  std::unique_ptr<DeviceJob> pairs_;
  const MeshLayout layout_;
  DeviceBuffer<double> values_;
};

/// Stencils along one axis of a grid.
struct AxisStencils {
  std::vector<int> first;
  std::vector<double> weights;
};

AxisStencils stencils_along(const electrostatics::StencilMesh& mesh, const grid::Grid& on_mesh, int axis) {
  AxisStencils along;
  const int points = mesh.points(axis);
  for (int i = 0; i < on_mesh.dimensions[static_cast<std::size_t>(axis)]; ++i) {
    const auto stencil = mesh.stencil(axis, on_mesh.origin[axis] + i * on_mesh.step(axis, axis));
    along.first.push_back(stencil.first < 0 ? stencil.first + points : stencil.first);
    along.weights.insert(along.weights.end(), stencil.weights.begin(),
                         stencil.weights.begin() + mesh.order());
  }
  return along;
}

struct StraightLayout {
  meshes::Mesh mesh;
  pair_kernels::GridSlab grid;
  std::array<AxisStencils, 3> stencils;
};

/// Planes that are interpolated together, to limit intermediate memory.
constexpr int planes_at_once = 8;

class StraightDeviceJob final : public AddedDeviceJob {
 public:
  StraightDeviceJob(std::unique_ptr<DeviceJob> pairs, const MeshLayout& layout,
                    std::shared_ptr<const StraightLayout> straight, const Stream& stream,
                    const WaitLimits& limits)
      : AddedDeviceJob(std::move(pairs), layout, stream, limits), straight_(std::move(straight)) {
    for (const auto& each : straight_->stencils) {
      first_.push_back(upload_vector<int>(each.first, stream, limits));
      weights_.push_back(upload_vector<double>(each.weights, stream, limits));
    }
  }

 private:
  void add(Slab slab, float* out, std::size_t, const Stream& stream) override {
    meshes::Stencils stencils[3];
    for (std::size_t axis = 0; axis < 3; ++axis)
      stencils[axis] = {first_[axis].device_data(), weights_[axis].device_data()};
    const auto& grid = straight_->grid;
    const DeviceBuffer<double> work(
        stream, meshes::grid_work_size(layout().mesh, grid, std::min(planes_at_once, slab.count)));
    const std::size_t plane = static_cast<std::size_t>(grid.size[0]) * static_cast<std::size_t>(grid.size[1]);
    for (int done = 0; done < slab.count; done += planes_at_once) {
      const Slab part{slab.first + done, std::min(planes_at_once, slab.count - done)};
      meshes::add_to_planes(layout().mesh, values(), stencils, planes_of(grid, part), layout().scale,
                            work.device_data(), out + plane * static_cast<std::size_t>(done), stream);
    }
  }

  std::shared_ptr<const StraightLayout> straight_;
  std::vector<DeviceBuffer<int>> first_;
  std::vector<DeviceBuffer<double>> weights_;
};

/// For a grid along the mesh's axes.
class StraightJob final : public AddedToPairs {
 public:
  StraightJob(std::unique_ptr<PairJob> pairs, const grid::Grid& grid, const MeshLayout& layout,
              const MeshSum& sum)
      : AddedToPairs(std::move(pairs), layout) {
    const auto on_mesh = electrostatics::in_mesh_coordinates(sum, grid);
    StraightLayout straight{layout.mesh, pack_grid(grid), {}};
    for (int axis = 0; axis < 3; ++axis)
      straight.stencils[static_cast<std::size_t>(axis)] = stencils_along(sum.mesh, on_mesh, axis);
    straight_ = std::make_shared<const StraightLayout>(std::move(straight));
  }

  std::size_t device_bytes() const override {
    std::size_t bytes = pairs().device_bytes() + values_bytes();
    for (const auto& each : straight_->stencils)
      bytes += std::span(each.first).size_bytes() + std::span(each.weights).size_bytes();
    constexpr std::size_t workers = 2;
    return bytes + workers * sizeof(double) *
                       meshes::grid_work_size(straight_->mesh, straight_->grid, planes_at_once);
  }
  double operations() const override {
    return pairs().operations() + 2.0 * layout().mesh.order * static_cast<double>(item_values()) * items();
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<StraightDeviceJob>(pairs().prepare(stream, limits), layout(), straight_, stream,
                                               limits);
  }

 private:
  std::shared_ptr<const StraightLayout> straight_;
};

/// Operations of a point that is interpolated separately.
double operations_alone(const meshes::Mesh& mesh) {
  return 2.0 * std::pow(mesh.order, 3);
}

class SkewedDeviceJob final : public AddedDeviceJob {
 public:
  SkewedDeviceJob(std::unique_ptr<DeviceJob> pairs, const MeshLayout& layout,
                  const meshes::SkewedGrid& skewed, const pair_kernels::GridSlab& grid, const Stream& stream,
                  const WaitLimits& limits)
      : AddedDeviceJob(std::move(pairs), layout, stream, limits), skewed_(skewed), grid_(grid) {}

 private:
  void add(Slab slab, float* out, std::size_t, const Stream& stream) override {
    meshes::add_to_skewed_planes(layout().mesh, values(), skewed_, planes_of(grid_, slab), layout().scale,
                                 out, stream);
  }

  const meshes::SkewedGrid skewed_;
  const pair_kernels::GridSlab grid_;
};

/// For a grid along x, y and z in a box with other axes.
class SkewedJob final : public AddedToPairs {
 public:
  SkewedJob(std::unique_ptr<PairJob> pairs, const grid::Grid& grid, const MeshLayout& layout,
            const MeshSum& sum)
      : AddedToPairs(std::move(pairs), layout), grid_(pack_grid(grid)) {
    const auto on_mesh = electrostatics::in_mesh_coordinates(sum, grid);
    for (int row = 0; row < 3; ++row) {
      skewed_.origin[row] = on_mesh.origin[row];
      for (int axis = 0; axis < 3; ++axis) skewed_.step[row][axis] = on_mesh.step(row, axis);
    }
  }

  std::size_t device_bytes() const override { return pairs().device_bytes() + values_bytes(); }
  double operations() const override {
    return pairs().operations() +
           operations_alone(layout().mesh) * static_cast<double>(item_values()) * items();
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<SkewedDeviceJob>(pairs().prepare(stream, limits), layout(), skewed_, grid_,
                                             stream, limits);
  }

 private:
  meshes::SkewedGrid skewed_{};
  const pair_kernels::GridSlab grid_;
};

class PlacesDeviceJob final : public AddedDeviceJob {
 public:
  PlacesDeviceJob(std::unique_ptr<DeviceJob> pairs, const MeshLayout& layout, const meshes::ToMesh& to_mesh,
                  const std::vector<double>& places, const Stream& stream, const WaitLimits& limits)
      : AddedDeviceJob(std::move(pairs), layout, stream, limits),
        to_mesh_(to_mesh),
        places_(upload_vector<double>(places, stream, limits)) {}

 private:
  void add(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    meshes::add_at_places(layout().mesh, values(), to_mesh_,
                          {places_.device_data(), static_cast<std::uint32_t>(slab.first),
                           static_cast<std::uint32_t>(slab.count)},
                          layout().scale, out, field_stride, stream);
  }

  const meshes::ToMesh to_mesh_;
  DeviceBuffer<double> places_;
};

class PlacesJob final : public AddedToPairs {
 public:
  PlacesJob(std::unique_ptr<PairJob> pairs, const electrostatics::Places& places, const MeshLayout& layout,
            const MeshSum& sum)
      : AddedToPairs(std::move(pairs), layout), places_(pack_places(places)) {
    for (int row = 0; row < 3; ++row) {
      for (int axis = 0; axis < 3; ++axis) to_mesh_.row[row][axis] = sum.to_mesh(row, axis);
    }
  }

  std::size_t device_bytes() const override {
    return pairs().device_bytes() + values_bytes() + std::span(places_).size_bytes();
  }
  double operations() const override {
    return pairs().operations() + operations_alone(layout().mesh) * items();
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<PlacesDeviceJob>(pairs().prepare(stream, limits), layout(), to_mesh_, places_,
                                             stream, limits);
  }

 private:
  const std::vector<double> places_;
  meshes::ToMesh to_mesh_{};
};

}  // namespace

std::unique_ptr<PairJob> with_mesh(std::unique_ptr<PairJob> pairs, const grid::Grid& grid,
                                   const PairProblem& problem, const std::vector<double>& values) {
  const MeshSum& sum = *problem.rest;
  const auto layout = mesh_layout(problem, values);
  if (electrostatics::in_mesh_coordinates(sum, grid).axis_aligned())
    return std::make_unique<StraightJob>(std::move(pairs), grid, layout, sum);
  return std::make_unique<SkewedJob>(std::move(pairs), grid, layout, sum);
}

std::unique_ptr<PairJob> with_mesh(std::unique_ptr<PairJob> pairs, const electrostatics::Places& places,
                                   const PairProblem& problem, const std::vector<double>& values) {
  return std::make_unique<PlacesJob>(std::move(pairs), places, mesh_layout(problem, values), *problem.rest);
}

}  // namespace isolume::gpu
