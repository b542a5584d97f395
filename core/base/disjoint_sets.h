#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace isolume {

/// Sets of the numbers 0 ... count - 1 that can be joined (union-find); each is identified by its smallest number.
template <class Number = std::size_t>
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : leads_(count) {
    std::iota(leads_.begin(), leads_.end(), Number{0});
  }

  /// The smallest number of the set that holds `element`.
  Number first(Number element) {
    while (leads_[element] != element) element = leads_[element] = leads_[leads_[element]];
    return element;
  }
  void join(Number a, Number b) {
    a = first(a);
    b = first(b);
    leads_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<Number> leads_;  ///< the number itself, or a smaller one of its set
};

}  // namespace isolume
