#include "gpu/nbody/resident/placed_sums.h"

#include <algorithm>
#include <vector>

#include "core/nbody/engines/resident_bodies.h"
#include "gpu/nbody/direct/direct_job.h"
#include "gpu/nbody/direct/direct_layout_kernels.h"
#include "gpu/nbody/tree/opening.h"
#include "gpu/runtime/algorithms/scan.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {
namespace {

namespace kernels = nbody_kernels;

class PlacedDirect final : public PlacedSums {
 public:
  PlacedDirect(const BodyScale& scale, const DeviceBuffer<kernels::WalkBody>& given,
               const nbody::ForceOptions& options, const Stream& stream, const WaitLimits& limits)
      : order_(order_on_device(scale, given, stream)),
        softening_(kernels::softening_of(options, scale.length)) {
    order_.keys = {};
    const std::uint32_t count = bodies(), chunks = kernels::group_chunks_of(count);
    tiles_ = DeviceBuffer<kernels::Box>(stream, (count + kernels::tile_size - 1) / kernels::tile_size);
    kernels::box_tiles(order_.bodies.device_data(), count, tiles_.device_data(), stream);
    const DeviceBuffer<std::uint32_t> counts(stream, chunks), offsets(stream, chunks + std::size_t{1});
    kernels::count_direct_groups(order_.bodies.device_data(), count, counts.device_data(),
                                 offsets.device_data(), stream);
    inclusive_sum(counts.device_data(), offsets.device_data() + 1, chunks, stream);
    const PinnedBuffer<std::uint32_t> seen(stream, offsets.size());
    offsets.copy_to(seen.host(), stream);
    stream.wait(limits);
    first_groups_.assign(seen.host().begin(), seen.host().end());
    groups_ = DeviceBuffer<kernels::Group>(stream, first_groups_.back());
    kernels::make_direct_groups(order_.bodies.device_data(), count, offsets.device_data(),
                                groups_.device_data(), stream);
    parts_ = parts_of_sources(groups_.size(), tiles_.size());
  }

  const std::uint32_t* original() const override { return order_.original.device_data(); }

  void sum(Slab slab, bool potentials, float* fields, std::size_t field_stride,
           const Stream& stream) override {
    const auto all = static_cast<std::size_t>(slab.count), first = static_cast<std::size_t>(slab.first);
    const std::size_t body_scratch = kernels::scratch_bytes * parts_;
    const std::size_t at_once =
        std::max<std::size_t>(most_scratch / body_scratch / kernels::group_size, 1) * kernels::group_size;
    const DeviceBuffer<std::byte> scratch(stream, body_scratch * std::min(at_once, all));
    for (std::size_t done = 0; done < all; done += at_once) {
      const std::size_t count = std::min(at_once, all - done), from = first + done;
      const std::uint32_t group = first_groups_[from / kernels::group_size];
      const std::uint32_t end =
          first_groups_[kernels::group_chunks_of(static_cast<std::uint32_t>(from + count))];
      kernels::sum_pairs({order_.bodies.device_data(), tiles_.device_data(), groups_.device_data(), bodies(),
                          parts_, softening_},
                         {group, end - group, static_cast<std::uint32_t>(from),
                          static_cast<std::uint32_t>(count), potentials},
                         scratch.device_data(), fields + from, field_stride, stream);
    }
  }

 private:
  /// Larger jobs are computed in several parts, one after another.
  static constexpr std::size_t most_scratch = std::size_t{64} << 20;

  std::uint32_t bodies() const { return static_cast<std::uint32_t>(order_.bodies.size()); }

  OrderOnDevice order_;
  kernels::PairSoftening softening_;
  DeviceBuffer<kernels::Box> tiles_;
  DeviceBuffer<kernels::Group> groups_;
  std::vector<std::uint32_t> first_groups_;  ///< of each chunk, and the end
  std::uint32_t parts_ = 1;
};

class PlacedTree final : public PlacedSums {
 public:
  PlacedTree(TreeOnDevice tree, double share, kernels::PairSoftening softening)
      : tree_(std::move(tree)), share_(static_cast<float>(share)), softening_(softening) {}

  const std::uint32_t* original() const override { return tree_.original.device_data(); }

  void sum(Slab slab, bool /*potentials*/, float* fields, std::size_t field_stride,
           const Stream& stream) override {
    if (slab.count == 0) return;
    queue_walk(tree_, share_, softening_, slab, fields + slab.first, field_stride, stream);
  }

 private:
  TreeOnDevice tree_;
  float share_;
  kernels::PairSoftening softening_;
};

}  // namespace

std::unique_ptr<PlacedSums> place_direct(const BodyScale& scale, const DeviceBuffer<kernels::WalkBody>& given,
                                         const nbody::ForceOptions& options, const Stream& stream,
                                         const WaitLimits& limits) {
  return std::make_unique<PlacedDirect>(scale, given, options, stream, limits);
}

std::unique_ptr<PlacedSums> place_tree(const BodyScale& scale, const DeviceBuffer<kernels::WalkBody>& given,
                                       const nbody::ForceOptions& options, const Stream& stream,
                                       const WaitLimits& limits) {
  const Opening opening = opening_of(options);
  TreeOnDevice tree = build_tree(scale, given, opening.angle, stream, limits);
  if (tree.too_dense()) throw nbody::NotResident("bodies are too close together for the tree of a GPU");
  return std::make_unique<PlacedTree>(std::move(tree), opening.share,
                                      kernels::softening_of(options, scale.length));
}

}  // namespace isolume::gpu
