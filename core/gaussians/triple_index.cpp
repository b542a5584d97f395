#include "core/gaussians/triple_index.h"

namespace isolume::gaussians {

TripleIndex::TripleIndex(int order)
    : position_(static_cast<std::size_t>((max_order + 1) * (max_order + 1) * (max_order + 1))) {
  for (int t = order; t >= 0; --t) {
    for (int u = order - t; u >= 0; --u) {
      for (int v = order - t - u; v >= 0; --v) {
        position_[static_cast<std::size_t>((t * (max_order + 1) + u) * (max_order + 1) + v)] =
            triples_.size();
        triples_.push_back({t, u, v});
      }
    }
  }
}

const TripleIndex& triple_index(int order) {
  static const std::vector<TripleIndex> all = [] {
    std::vector<TripleIndex> made;
    for (int each = 0; each <= max_order; ++each) made.emplace_back(each);
    return made;
  }();
  return all.at(static_cast<std::size_t>(order));
}

}  // namespace isolume::gaussians
