#include "gpu/anatomy/kept_transforms.h"

#include <algorithm>
#include <utility>

namespace isolume::gpu {

std::shared_ptr<const SingleFourier> KeptTransforms::lend(const GpuDevice& device, FourierSize size,
                                                          int arrays) {
  Kept lent{.device = &device, .size = size, .arrays = arrays, .transform = nullptr};
  {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find_if(kept_, [&](const Kept& each) {
      return each.device == &device && each.size == size && each.arrays == arrays;
    });
    if (found != kept_.end()) {
      lent.transform = std::move(found->transform);
      kept_.erase(found);
    }
  }
  if (lent.transform == nullptr) lent.transform = std::make_unique<const SingleFourier>(device, size, arrays);
  const auto shared = std::make_shared<Kept>(std::move(lent));
  const SingleFourier* const transform = shared->transform.get();
  return {transform, [this, shared](const SingleFourier*) { take_back(std::move(*shared)); }};
}

std::size_t KeptTransforms::size() const {
  const std::scoped_lock lock(mutex_);
  return kept_.size();
}

void KeptTransforms::take_back(Kept transform) {
  Kept oldest{};  // destroyed without the lock
  const std::scoped_lock lock(mutex_);
  kept_.push_back(std::move(transform));
  const auto is_of_device = [device = kept_.back().device](const Kept& each) {
    return each.device == device;
  };
  if (std::ranges::count_if(kept_, is_of_device) <= static_cast<std::ptrdiff_t>(most_of_a_device)) return;
  const auto first = std::ranges::find_if(kept_, is_of_device);
  oldest = std::move(*first);
  kept_.erase(first);
}

}  // namespace isolume::gpu
