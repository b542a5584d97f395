#pragma once

#include <cstdint>
#include <span>

namespace isolume::nbody {

/// What bodies are sorted by.
struct BodyKey {
  std::uint64_t number;
  std::uint32_t body;
  bool operator<(const BodyKey& other) const {
    return number != other.number ? number < other.number : body < other.body;
  }
};

/// By their numbers (hilbert.h), and those of one number by their bodies; given in the order of their bodies.
void sort_keys(std::span<BodyKey> keys);

}  // namespace isolume::nbody
