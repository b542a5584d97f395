#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace isolume::stage {

/// The latest values of a quantity, for a graph.
class Series {
 public:
  static constexpr std::size_t length = 240;

  Series(std::string label, std::string unit) : label_(std::move(label)), unit_(std::move(unit)) {}
  void add(float value) {
    values_[next_] = value;
    next_ = (next_ + 1) % length;
    if (count_ < length) ++count_;
  }
  void clear() { next_ = count_ = 0; }

  const std::string& label() const { return label_; }
  const std::string& unit() const { return unit_; }
  std::size_t size() const { return count_; }
  /// From the oldest, 0, to the newest.
  float at(std::size_t i) const { return values_[(next_ + length - count_ + i) % length]; }
  float newest() const { return count_ > 0 ? at(count_ - 1) : 0; }

 private:
  std::string label_, unit_;
  std::array<float, length> values_{};
  std::size_t next_ = 0, count_ = 0;
};

}  // namespace isolume::stage
