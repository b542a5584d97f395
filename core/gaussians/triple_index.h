#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace isolume::gaussians {

/// Highest order of a product of two shells.
inline constexpr int max_order = 10;

/// Number of triples (t, u, v) of non-negative integers whose sum is at most `order`.
constexpr std::size_t triple_count(int order) {
  return static_cast<std::size_t>((order + 1) * (order + 2) * (order + 3) / 6);
}

/// These triples in the order in which Horner's rule evaluates polynomials in x, y and z: by decreasing t,
/// then u, then v.
class TripleIndex {
 public:
  explicit TripleIndex(int order);

  const std::vector<std::array<int, 3>>& triples() const { return triples_; }
  std::size_t at(int t, int u, int v) const {
    return position_[static_cast<std::size_t>((t * (max_order + 1) + u) * (max_order + 1) + v)];
  }

 private:
  std::vector<std::array<int, 3>> triples_;
  std::vector<std::size_t> position_;
};

/// The index for an order up to max_order.
const TripleIndex& triple_index(int order);

}  // namespace isolume::gaussians
