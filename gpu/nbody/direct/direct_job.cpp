#include "gpu/nbody/direct/direct_job.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/forces/target_group.h"
#include "gpu/nbody/direct/direct_kernels.h"
#include "gpu/runtime/memory/upload_vector.h"

namespace isolume::gpu {
namespace {

namespace kernels = nbody_kernels;
using nbody::SortedBodies;

/// Number of blocks that keeps every GPU busy with a part of the bodies: for few bodies, the sources are
/// divided into more parts. A sum must not depend on the devices, so neither may this.
constexpr std::size_t enough_blocks = 1 << 16;
/// For a pair.
constexpr double operations_a_pair = 20;

/// Data shared by all devices.
struct DirectLayout {
  const SortedBodies& bodies;
  std::vector<kernels::Box> tiles;
  std::vector<kernels::Group> groups;
  std::uint32_t parts = 1;
  kernels::PairSoftening softening = {};
};

std::vector<kernels::Box> tiles_of(const SortedBodies& bodies) {
  const std::size_t count = bodies.size();
  std::vector<kernels::Box> tiles((count + kernels::tile_size - 1) / kernels::tile_size);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, tiles.size(), 8), [&](const auto& part) {
    for (std::size_t number = part.begin(); number != part.end(); ++number) {
      Eigen::AlignedBox3d box;
      const std::size_t first = number * kernels::tile_size;
      for (std::size_t i = first; i < std::min(first + kernels::tile_size, count); ++i)
        box.extend(bodies.place(i));
      std::copy_n(box.min().data(), 3, tiles[number].low);
      std::copy_n(box.max().data(), 3, tiles[number].high);
    }
  });
  return tiles;
}

std::vector<kernels::Group> groups_of(const SortedBodies& bodies) {
  const auto bounds = nbody::group_bounds(bodies, 0, bodies.size(), kernels::group_size);
  std::vector<kernels::Group> groups;
  groups.reserve(bounds.size() - 1);
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const nbody::TargetGroup group(bodies, bounds[i], bounds[i + 1]);
    auto& made = groups.emplace_back();
    std::copy_n(group.place.data(), 3, made.place);
    const Eigen::Vector3d half = group.box.sizes() / 2;
    std::copy_n(half.data(), 3, made.half);
    made.first = static_cast<std::uint32_t>(bounds[i]);
    made.end = static_cast<std::uint32_t>(bounds[i + 1]);
  }
  return groups;
}

class DirectDeviceJob final : public DeviceJob {
 public:
  DirectDeviceJob(std::shared_ptr<const DirectLayout> layout, const Stream& stream, const WaitLimits& limits)
      : layout_(std::move(layout)),
        bodies_(upload_vector<kernels::Body>(layout_->bodies.points, stream, limits)),
        tiles_(upload_vector<kernels::Box>(layout_->tiles, stream, limits)),
        groups_(upload_vector<kernels::Group>(layout_->groups, stream, limits)) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    const auto first = static_cast<std::uint32_t>(slab.first), count = static_cast<std::uint32_t>(slab.count);
    const auto& groups = layout_->groups;
    const auto begin = std::ranges::upper_bound(groups, first, {}, &kernels::Group::end);
    const auto end = std::ranges::lower_bound(groups, first + count, {}, &kernels::Group::first);
    DeviceBuffer<std::byte> scratch(stream, kernels::scratch_bytes * layout_->parts * count);
    kernels::sum_pairs({bodies_.device_data(), tiles_.device_data(), groups_.device_data(),
                        static_cast<std::uint32_t>(bodies_.size()), layout_->parts, layout_->softening},
                       {static_cast<std::uint32_t>(begin - groups.begin()),
                        static_cast<std::uint32_t>(end - begin), first, count, true},
                       scratch.device_data(), out, field_stride, stream);
  }

 private:
  std::shared_ptr<const DirectLayout> layout_;
  DeviceBuffer<kernels::Body> bodies_;
  DeviceBuffer<kernels::Box> tiles_;
  DeviceBuffer<kernels::Group> groups_;
};

class DirectJob final : public SumJob {
 public:
  DirectJob(const SortedBodies& bodies, const nbody::ForceOptions& options) {
    auto layout = std::make_shared<DirectLayout>(
        DirectLayout{.bodies = bodies, .tiles = tiles_of(bodies), .groups = groups_of(bodies)});
    layout->parts = parts_of_sources(layout->groups.size(), layout->tiles.size());
    layout->softening = kernels::softening_of(options, bodies.length);
    layout_ = std::move(layout);
  }

  std::string_view kernel() const override { return "direct"; }
  std::string remark() const override {
    return fmt::format("{} group{} of targets, sources in {} part{}", layout_->groups.size(),
                       layout_->groups.size() == 1 ? "" : "s", layout_->parts,
                       layout_->parts == 1 ? "" : "s");
  }
  int items() const override { return static_cast<int>(layout_->bodies.size()); }
  std::string subject() const override {
    return fmt::format("The sum over {} bodies", layout_->bodies.size());
  }
  int fields() const override { return 4; }
  int granularity() const override { return kernels::group_size; }
  std::size_t device_bytes() const override {
    return layout_->bodies.size() * sizeof(kernels::Body) + std::span(layout_->tiles).size_bytes() +
           std::span(layout_->groups).size_bytes();
  }
  std::size_t bytes_an_item() const override {
    return static_cast<std::size_t>(fields()) * sizeof(float) + layout_->parts * kernels::scratch_bytes;
  }
  double operations() const override { return operations_of_direct_sums(layout_->bodies.size()); }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<DirectDeviceJob>(layout_, stream, limits);
  }

 private:
  std::shared_ptr<const DirectLayout> layout_;
};

}  // namespace

double operations_of_direct_sums(std::size_t bodies) {
  return operations_a_pair * static_cast<double>(bodies) * static_cast<double>(bodies);
}

std::uint32_t parts_of_sources(std::size_t groups, std::size_t tiles) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(enough_blocks / groups, 1, tiles));
}

std::unique_ptr<SumJob> make_direct_job(const SortedBodies& bodies, const nbody::ForceOptions& options) {
  return std::make_unique<DirectJob>(bodies, options);
}

}  // namespace isolume::gpu
