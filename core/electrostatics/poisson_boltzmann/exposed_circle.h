#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace isolume::electrostatics {

/// The exposed parts of a circle. Positions on it are given by a number that increases with the angle and needs no
/// arc tangent: from 0 to `turn`.
class ExposedCircle {
 public:
  static constexpr double turn = 4;

  static double number_of(double cosine, double sine) {
    const double part = cosine / (std::abs(cosine) + std::abs(sine));
    return sine >= 0 ? 1 - part : 3 + part;
  }
  /// In radians; for a number beyond a turn, an angle beyond a full one.
  static double angle_of(double number) {
    if (number > turn) return full + angle_of(number - turn);
    const bool upper = number <= 2;
    const double cosine = upper ? 1 - number : number - 3, sine = 1 - std::abs(cosine);
    const double angle = std::atan2(sine, cosine);
    return upper ? angle : full - angle;
  }

  void expose_all() { parts_.assign(1, {0.0, turn}); }
  bool none() const { return parts_.empty(); }
  bool all() const {
    return parts_.size() == 1 && parts_.front().first <= 0 && parts_.front().second >= turn;
  }
  /// Covers the part from one position to another.
  void cover(double from, double to) {
    if (from <= to) {
      take(from, to);
    } else {
      take(from, turn);
      take(0, to);
    }
  }
  /// Parts that meet at 0 are joined into one, which ends beyond a turn.
  const std::vector<std::pair<double, double>>& joined() {
    if (parts_.size() > 1 && parts_.front().first <= 0 && parts_.back().second >= turn) {
      parts_.back().second += parts_.front().second;
      parts_.erase(parts_.begin());
    }
    return parts_;
  }

 private:
  static constexpr double full = 2 * std::numbers::pi;

  void take(double low, double high) {
    left_.clear();
    for (const auto& [first, last] : parts_) {
      if (high <= first || low >= last) {
        left_.emplace_back(first, last);
        continue;
      }
      if (first < low) left_.emplace_back(first, low);
      if (high < last) left_.emplace_back(high, last);
    }
    parts_.swap(left_);
  }

  std::vector<std::pair<double, double>> parts_, left_;  ///< the second: scratch memory
};

}  // namespace isolume::electrostatics
