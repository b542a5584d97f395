#pragma once

#include <cstdint>
#include <span>

namespace isolume::nbody {

/// Sort key of a body.
struct BodyKey {
  std::uint64_t number;
  std::uint32_t body;
  bool operator<(const BodyKey& other) const {
    return number != other.number ? number < other.number : body < other.body;
  }
};

/// Sorts by number (hilbert.h), then by body. Keys must be given in the order of their bodies.
void sort_keys(std::span<BodyKey> keys);

}  // namespace isolume::nbody
