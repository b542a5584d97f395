#include "gpu/nbody/tree_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/cell_moments.h"
#include "core/nbody/target_group.h"
#include "gpu/nbody/upload_vector.h"
#include "gpu/nbody/walk_kernels.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

namespace kernels = nbody_kernels;
using nbody::Cell;
using nbody::Octree;
using nbody::SortedBodies;
using Range = tbb::blocked_range<std::size_t>;

/// Not less than a double, in spite of rounding.
float rounded_up(double value) {
  return static_cast<float>(value * (1 + 1e-6));
}

/// As the CPU decides: by the angle at which the box is seen, from the middle of which the centre of mass is away
/// (Barnes, ASP Conf. Ser. 10 (1995)), or by what the first moments that are left out exert at most, some M r^3 / d^5.
kernels::WalkCell walk_cell(const Cell& cell, const nbody::CellMoments& moments, double angle) {
  const double squared = cell.radius * cell.radius;
  const auto second = [&](std::size_t i, double factor) {
    return static_cast<float>(factor * squared * static_cast<double>(moments.values[i]));
  };
  return {.x = cell.centre_of_mass.x(),
          .y = cell.centre_of_mass.y(),
          .z = cell.centre_of_mass.z(),
          .mass = static_cast<float>(cell.mass),
          .radius = rounded_up(cell.radius),
          .opening_by_angle = static_cast<float>(cell.box.sizes().maxCoeff() / angle +
                                                 (cell.centre_of_mass - cell.box.center()).norm()),
          .opening_by_error = static_cast<float>(std::pow(cell.mass * squared * cell.radius, 0.2)),
          .next = cell.next,
          .begin = cell.begin,
          .end = cell.end,
          .xx = second(0, 2),
          .xy = second(1, 1),
          .xz = second(2, 1),
          .yy = second(3, 2),
          .yz = second(4, 1),
          .zz = second(5, 2)};
}

std::vector<kernels::WalkGroup> groups_to_walk(const SortedBodies& bodies) {
  const auto bounds = nbody::group_bounds(bodies, 0, bodies.size(), kernels::walk_group_size);
  std::vector<kernels::WalkGroup> groups(bounds.size() - 1);
  handover::parallel_for(Range(0, groups.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const nbody::TargetGroup group(bodies, bounds[i], bounds[i + 1]);
      auto& made = groups[i];
      std::copy_n(group.place.data(), 3, made.place);
      for (int axis = 0; axis < 3; ++axis) made.half[axis] = rounded_up(group.box.sizes()[axis] / 2);
      made.factor = 1;
      made.first = static_cast<std::uint32_t>(bounds[i]);
      made.end = static_cast<std::uint32_t>(bounds[i + 1]);
    }
  });
  return groups;
}

/// What all jobs of a tree share on one device.
struct TreeOnDevice {
  TreeOnDevice(const TreeOnHost& tree, const GpuDevice& device, const Delivery& delivery);

  Stream stream;
  DeviceBuffer<kernels::WalkBody> bodies;
  DeviceBuffer<kernels::WalkCell> cells;
};

}  // namespace

struct TreeOnHost {
  TreeOnHost(const Octree& of, double angle, double softening)
      : octree(of), cells(of.cells.size()), groups(groups_to_walk(of.bodies)) {
    const auto moments = nbody::cell_moments(octree);
    handover::parallel_for(Range(0, cells.size(), 1 << 10), [&](const Range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) {
        cells[i] = walk_cell(octree.cells[i], moments[i], angle);
      }
    });
    const double scaled = softening / octree.bodies.length;
    softening_squared = static_cast<float>(scaled * scaled);
  }

  std::shared_ptr<const TreeOnDevice> on(const GpuDevice& device, const Delivery& delivery) const {
    {
      const std::scoped_lock lock(mutex);
      if (const auto found = on_devices.find(&device); found != on_devices.end()) return found->second;
    }
    auto made = std::make_shared<const TreeOnDevice>(*this, device, delivery);
    const std::scoped_lock lock(mutex);
    return on_devices[&device] = std::move(made);
  }

  const Octree& octree;
  nbody::Paged<kernels::WalkCell> cells;
  std::vector<kernels::WalkGroup> groups;
  float softening_squared = 0;
  mutable std::mutex mutex;
  mutable std::map<const GpuDevice*, std::shared_ptr<const TreeOnDevice>> on_devices;
};

namespace {

TreeOnDevice::TreeOnDevice(const TreeOnHost& tree, const GpuDevice& device, const Delivery& delivery)
    : stream(device),
      bodies(upload_vector<kernels::WalkBody>(tree.octree.bodies.points, stream, delivery)),
      cells(upload_vector<kernels::WalkCell>(tree.cells, stream, delivery)) {}

class WalkDeviceJob final : public DeviceJob {
 public:
  WalkDeviceJob(std::shared_ptr<const TreeOnHost> tree, const std::vector<kernels::WalkGroup>& groups,
                bool by_error, const Stream& stream, const Delivery& delivery)
      : tree_(std::move(tree)),
        on_device_(tree_->on(stream.device(), delivery)),
        groups_on_host_(groups),
        groups_(upload_vector<kernels::WalkGroup>(groups, stream, delivery)),
        by_error_(by_error) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    if (known_.insert(&stream).second) stream.uses_memory_of(on_device_->stream);
    const auto first = static_cast<std::uint32_t>(slab.first), count = static_cast<std::uint32_t>(slab.count);
    const auto begin = std::ranges::upper_bound(groups_on_host_, first, {}, &kernels::WalkGroup::end);
    const auto end =
        std::ranges::lower_bound(groups_on_host_, first + count, {}, &kernels::WalkGroup::first);
    kernels::walk({on_device_->bodies.device_data(), on_device_->cells.device_data(), groups_.device_data(),
                   static_cast<std::uint32_t>(on_device_->cells.size()), by_error_,
                   tree_->softening_squared},
                  {static_cast<std::uint32_t>(begin - groups_on_host_.begin()),
                   static_cast<std::uint32_t>(end - begin), first, count},
                  out, field_stride, stream);
  }

 private:
  std::shared_ptr<const TreeOnHost> tree_;
  std::shared_ptr<const TreeOnDevice> on_device_;
  const std::vector<kernels::WalkGroup>& groups_on_host_;
  DeviceBuffer<kernels::WalkGroup> groups_;
  bool by_error_;
  std::set<const Stream*> known_;
};

class WalkJob final : public SumJob {
 public:
  WalkJob(std::shared_ptr<const TreeOnHost> tree, std::optional<std::vector<kernels::WalkGroup>> by_error)
      : tree_(std::move(tree)), by_error_(std::move(by_error)) {}

  std::string_view kernel() const override { return by_error_ ? "walk by error" : "walk by angle"; }
  std::string how() const override {
    return fmt::format("the CPU's tree of {} cells, walked by {} groups of bodies", tree_->cells.size(),
                       groups().size());
  }
  std::size_t body_count() const override { return tree_->octree.bodies.size(); }
  int fields() const override { return kernels::walk_fields; }
  int granularity() const override { return 4 * kernels::walk_group_size; }
  std::size_t device_bytes() const override {
    return body_count() * sizeof(kernels::WalkBody) + tree_->cells.size() * sizeof(kernels::WalkCell) +
           std::span(groups()).size_bytes();
  }
  std::size_t bytes_a_body() const override { return kernels::walk_fields * sizeof(float); }
  /// Roughly, as nobody knows before the walk: what devices take for it is learnt from walks before.
  double operations() const override {
    constexpr double a_level = 3000;  // some 80 cells and bodies on each level of a tree, as at an angle of 0.6
    const auto count = static_cast<double>(body_count());
    return a_level * count * std::log2(count + 1);
  }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const Delivery& delivery) const override {
    return std::make_unique<WalkDeviceJob>(tree_, groups(), by_error_.has_value(), stream, delivery);
  }

 private:
  const std::vector<kernels::WalkGroup>& groups() const { return by_error_ ? *by_error_ : tree_->groups; }

  std::shared_ptr<const TreeOnHost> tree_;
  std::optional<std::vector<kernels::WalkGroup>> by_error_;
};

/// Such that three quarters of a group's bodies feel more.
float pull_on(const kernels::WalkGroup& group, const std::vector<float*>& fields) {
  std::array<float, kernels::walk_group_size> pulls = {};
  const std::size_t count = group.end - group.first;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t body = group.first + i;
    pulls[i] = std::hypot(fields[0][body], fields[1][body], fields[2][body]);
  }
  const auto quarter = pulls.begin() + static_cast<std::ptrdiff_t>(count / 4);
  std::nth_element(pulls.begin(), quarter, pulls.begin() + static_cast<std::ptrdiff_t>(count));
  return *quarter;
}

}  // namespace

SharedTree::SharedTree(const Octree& octree, double opening_angle, double softening)
    : tree_(std::make_shared<const TreeOnHost>(octree, opening_angle, softening)) {}

std::unique_ptr<SumJob> SharedTree::by_angle() const {
  return std::make_unique<WalkJob>(tree_, std::nullopt);
}

std::unique_ptr<SumJob> SharedTree::by_error(double share, const std::vector<float*>& fields) const {
  auto groups = tree_->groups;
  handover::parallel_for(Range(0, groups.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const auto pull = static_cast<double>(pull_on(groups[i], fields));
      groups[i].factor = static_cast<float>(pull > 0 ? std::pow(share * pull, -0.2) : 1e15);
    }
  });
  return std::make_unique<WalkJob>(tree_, std::move(groups));
}

}  // namespace isolume::gpu
