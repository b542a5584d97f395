#include <array>
#include <cmath>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/forces/hilbert.h"
#include "gpu/nbody/tree/tree_kernels.h"
#include "gpu/nbody/tree/tree_on_device.h"
#include "gpu/runtime/algorithms/scan.h"
#include "gpu/runtime/algorithms/sort.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {
namespace {

namespace kernels = nbody_kernels;
using kernels::Node;
using kernels::NodeSums;
using kernels::Totals;

/// Leaves have at most as many bodies as a warp has lanes.
constexpr std::uint32_t leaf_size = 32;

kernels::Scaling scaling_of(const BodyScale& scale) {
  kernels::Scaling scaling = {};
  const double extent = scale.box.sizes().maxCoeff();
  const Eigen::Vector3d centre = nbody::centre_of(scale.box, extent > 0 ? scale.length : 0);
  for (int axis = 0; axis < 3; ++axis) {
    scaling.low[axis] = scale.box.min()[axis];
    scaling.centre[axis] = centre[axis];
  }
  scaling.scale = extent > 1e-280 ? (1u << nbody::hilbert_levels) / extent : 0;
  scaling.length = scale.length;
  scaling.mass_sum = scale.mass_sum;
  return scaling;
}

Eigen::AlignedBox3d fill_points(const nbody::Bodies& bodies, nbody::Paged<kernels::WalkBody>& points) {
  using Range = tbb::blocked_range<std::size_t>;
  using Box = Eigen::AlignedBox3d;
  points.resize(bodies.size());
  return handover::parallel_reduce(
      Range(0, bodies.size(), 1 << 14), Box(),
      [&](const Range& part, Box around) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) {
          points[i] = {bodies.x[i], bodies.y[i], bodies.z[i], bodies.mass[i]};
          around.extend(Eigen::Vector3d(bodies.x[i], bodies.y[i], bodies.z[i]));
        }
        return around;
      },
      [](const Box& one, const Box& other) { return one.merged(other); });
}

double sum_of(const std::vector<double>& masses) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  return sum;
}

/// Builds one tree; its temporary buffers are returned to the allocator as soon as possible.
class Builder {
 public:
  Builder(const Stream& stream, const WaitLimits& limits, std::uint32_t count)
      : stream_(stream), limits_(limits), count_(count), totals_(stream, 1), seen_(stream, 1) {}

  TreeOnDevice build(OrderOnDevice order, double opening_angle) {
    tree_.bodies = std::move(order.bodies);
    tree_.original = std::move(order.original);
    divide(order.keys);
    order.keys = {};
    number();
    sum(opening_angle);
    group();
    tree_.largest_leaf = totals().largest_leaf;
    return std::move(tree_);
  }

 private:
  kernels::Level level(std::size_t number) const {
    return {levels_[number].device_data(), static_cast<std::uint32_t>(levels_[number].size())};
  }
  /// Null after the last level.
  Node* children_of(std::size_t number) const {
    return number + 1 < levels_.size() ? levels_[number + 1].device_data() : nullptr;
  }
  /// After all queued work.
  const Totals& totals() const {
    totals_.copy_to(seen_.host(), stream_);
    stream_.wait(limits_);
    return seen_.host()[0];
  }

  void divide(const DeviceBuffer<std::uint64_t>& keys) {
    levels_.emplace_back(stream_, 1);
    kernels::make_root(levels_[0].device_data(), count_, totals_.device_data(), stream_);
    for (std::size_t number = 0;; ++number) {
      const kernels::Level parents = level(number);
      const DeviceBuffer<std::uint32_t> counts(stream_, parents.count), sums(stream_, parents.count);
      kernels::count_children(keys.device_data(), parents, leaf_size, counts.device_data(),
                              &totals_.device_data()->children[number], stream_);
      inclusive_sum(counts.device_data(), sums.device_data(), parents.count, stream_);
      const std::uint32_t children = totals().children[number];
      if (children > 0) levels_.emplace_back(stream_, children);
      kernels::make_children(keys.device_data(), level(number), counts.device_data(), sums.device_data(),
                             children_of(number), stream_);
      if (children == 0) return;
    }
  }

  void number() {
    std::size_t cells = 0;
    for (const auto& each : levels_) cells += each.size();
    tree_.cells = DeviceBuffer<kernels::WalkCell>(stream_, cells);
    for (std::size_t i = levels_.size(); i-- > 0;) kernels::add_sizes(level(i), children_of(i), stream_);
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i)
      kernels::number_children(level(i), children_of(i), stream_);
  }

  void sum(double opening_angle) {
    DeviceBuffer<NodeSums> parts;
    for (std::size_t i = levels_.size(); i-- > 0;) {
      DeviceBuffer<NodeSums> sums(stream_, levels_[i].size());
      kernels::sum_level(level(i), parts.device_data(), sums.device_data(), tree_.bodies.device_data(),
                         opening_angle, tree_.cells.device_data(), &totals_.device_data()->largest_leaf,
                         stream_);
      parts = std::move(sums);
    }
  }

  void group() {
    const std::uint32_t chunks = kernels::chunks_of(count_);
    const DeviceBuffer<std::uint32_t> counts(stream_, chunks);
    tree_.chunk_groups = DeviceBuffer<std::uint32_t>(stream_, chunks + std::size_t{1});
    std::uint32_t* const offsets = tree_.chunk_groups.device_data();
    kernels::count_groups(tree_.bodies.device_data(), count_, counts.device_data(), offsets,
                          &totals_.device_data()->groups, stream_);
    inclusive_sum(counts.device_data(), offsets + 1, chunks, stream_);
    tree_.groups = DeviceBuffer<kernels::WalkGroup>(stream_, totals().groups);
    kernels::make_groups(tree_.bodies.device_data(), count_, offsets, tree_.groups.device_data(), stream_);
  }

  const Stream& stream_;
  const WaitLimits& limits_;
  std::uint32_t count_;
  DeviceBuffer<Totals> totals_;
  PinnedBuffer<Totals> seen_;
  std::vector<DeviceBuffer<Node>> levels_;
  TreeOnDevice tree_;
};

}  // namespace

BodyScale::BodyScale(const Eigen::AlignedBox3d& around, double mass) : box(around) {
  const double extent = box.sizes().maxCoeff() / 2;
  length = extent > 0 ? std::exp2(std::ceil(std::log2(extent))) : 1;
  if (mass > 0) mass_sum = mass;
}

BodiesToSort::BodiesToSort(const nbody::Bodies& bodies)
    : scale(fill_points(bodies, points), sum_of(bodies.mass)) {}

OrderOnDevice order_on_device(const BodyScale& scale, const DeviceBuffer<kernels::WalkBody>& given,
                              const Stream& stream) {
  const auto count = static_cast<std::uint32_t>(given.size());
  const kernels::Scaling scaling = scaling_of(scale);
  OrderOnDevice ordered{DeviceBuffer<kernels::WalkBody>(stream, count),
                        DeviceBuffer<std::uint32_t>(stream, count),
                        DeviceBuffer<std::uint64_t>(stream, count)};
  const DeviceBuffer<std::uint64_t> keys(stream, count);
  const DeviceBuffer<std::uint32_t> numbers(stream, count);
  kernels::number_bodies(given.device_data(), count, scaling, keys.device_data(), numbers.device_data(),
                         stream);
  sort_pairs(keys.device_data(), ordered.keys.device_data(), numbers.device_data(),
             ordered.original.device_data(), count, kernels::key_bits, stream);
  kernels::gather_bodies(given.device_data(), ordered.original.device_data(), count, scaling,
                         ordered.bodies.device_data(), stream);
  return ordered;
}

TreeOnDevice build_tree(const BodyScale& scale, const DeviceBuffer<kernels::WalkBody>& given,
                        double opening_angle, const Stream& stream, const WaitLimits& limits) {
  return Builder(stream, limits, static_cast<std::uint32_t>(given.size()))
      .build(order_on_device(scale, given, stream), opening_angle);
}

}  // namespace isolume::gpu
