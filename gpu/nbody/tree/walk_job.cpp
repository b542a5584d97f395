#include "gpu/nbody/tree/walk_job.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/base/clock.h"

namespace isolume::gpu {

/// Results reported by devices.
struct WalkJob::Found {
  std::mutex mutex;
  bool too_dense = false;
  double tree_seconds = 0;
};

namespace {

class WalkDeviceJob final : public DeviceJob {
 public:
  WalkDeviceJob(TreeOnDevice tree, float share, nbody_kernels::PairSoftening softening)
      : tree_(std::move(tree)), share_(share), softening_(softening) {}

  bool too_dense() const { return tree_.too_dense(); }
  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    queue_walk(tree_, share_, softening_, slab, out, field_stride, stream);
  }

 private:
  TreeOnDevice tree_;
  float share_;
  nbody_kernels::PairSoftening softening_;
};

}  // namespace

void queue_walk(const TreeOnDevice& tree, float share, const nbody_kernels::PairSoftening& softening,
                Slab slab, float* out, std::size_t field_stride, const Stream& stream) {
  const auto first = static_cast<std::uint32_t>(slab.first), count = static_cast<std::uint32_t>(slab.count);
  const DeviceBuffer<float> estimates(stream, share > 0 ? nbody_kernels::estimates_of(first, count) : 0);
  nbody_kernels::walk({tree.bodies.device_data(), tree.original.device_data(), tree.cells.device_data(),
                       tree.groups.device_data(), tree.chunk_groups.device_data(),
                       static_cast<std::uint32_t>(tree.too_dense() ? 0 : tree.cells.size()),
                       static_cast<std::uint32_t>(tree.bodies.size()), share, softening},
                      first, count, estimates.device_data(), out, field_stride, stream);
}

WalkJob::WalkJob(Tree tree, double share, nbody_kernels::PairSoftening softening)
    : tree_(std::move(tree)), share_(share), softening_(softening), found_(std::make_unique<Found>()) {}

WalkJob::~WalkJob() = default;

std::string_view kernel_of_walk(double share) {
  return share > 0 ? "walk by error" : "walk by angle";
}
std::string_view WalkJob::kernel() const {
  return kernel_of_walk(share_);
}

double operations_of_walk(std::size_t bodies) {
  constexpr double a_level = 3000;  // 80 cells and bodies per level, as at an angle of 0.6
  const auto count = static_cast<double>(bodies);
  return a_level * count * std::log2(count + 1);
}
double WalkJob::operations() const {
  return operations_of_walk(tree_.bodies);
}

std::unique_ptr<DeviceJob> WalkJob::prepare(const Stream& stream, const WaitLimits& limits) const {
  const auto start = std::chrono::steady_clock::now();
  auto job =
      std::make_unique<WalkDeviceJob>(tree_.make(stream, limits), static_cast<float>(share_), softening_);
  const std::scoped_lock lock(found_->mutex);
  found_->tree_seconds = std::max(found_->tree_seconds, seconds_since(start));
  found_->too_dense |= job->too_dense();
  return job;
}

bool WalkJob::too_dense() const {
  return found_->too_dense;
}
double WalkJob::tree_seconds() const {
  return found_->tree_seconds;
}

}  // namespace isolume::gpu
