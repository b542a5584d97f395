#include "core/simulation/checkpoints.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace isolume::simulation {

Checkpoints::Checkpoints(std::size_t most_bytes, std::int64_t spacing)
    : most_bytes_(most_bytes), spacing_(std::max<std::int64_t>(spacing, 1)) {}

void Checkpoints::erase(All::iterator where) {
  bytes_ -= where->second->bytes();
  all_.erase(where);
}

void Checkpoints::put(std::int64_t step, CheckpointPointer checkpoint) {
  if (const auto there = all_.find(step); there != all_.end()) erase(there);
  bytes_ += checkpoint->bytes();
  all_.emplace(step, std::move(checkpoint));
  while (bytes_ > most_bytes_ && all_.size() > 1 && spacing_ < std::numeric_limits<std::int64_t>::max() / 2) {
    spacing_ *= 2;
    std::int64_t kept = all_.begin()->first;
    for (auto each = std::next(all_.begin()); each != all_.end();) {
      const auto next = std::next(each);
      if (each->first - kept >= spacing_) {
        kept = each->first;
      } else {
        erase(each);
      }
      each = next;
    }
  }
}

void Checkpoints::cut(std::int64_t last) {
  while (all_.size() > 1 && all_.rbegin()->first > last) erase(std::prev(all_.end()));
}

Checkpoints::Found Checkpoints::before(std::int64_t step) const {
  const auto after = all_.upper_bound(step);
  const auto& [found, checkpoint] = *std::prev(after);
  return {found, checkpoint};
}

}  // namespace isolume::simulation
