#pragma once

#include <functional>
#include <span>
#include <vector>

namespace isolume::anatomy {

/// Minimises a function of many numbers by limited-memory BFGS (J. Nocedal, Math. Comput. 35, 773, 1980), with the last
/// few pairs of steps and changes of the gradient, and steps that are shortened until the function falls by a part of
/// what its slope promises (Armijo).
class Minimiser {
 public:
  /// Returns the value at `x`, and sets the gradient.
  using Function = std::function<double(std::span<const double> x, std::span<double> gradient)>;

  /// `first_step`: largest change of a number in the first step.
  Minimiser(Function function, std::vector<double> start, double first_step);

  /// One step. False where none is found that makes the value smaller.
  bool step();
  const std::vector<double>& x() const { return x_; }
  double value() const { return value_; }
  /// The largest change of a number in the last step.
  double largest_change() const { return largest_change_; }

 private:
  std::vector<double> direction() const;

  Function function_;
  double first_step_, value_ = 0, largest_change_ = 0;
  std::vector<double> x_, gradient_;
  struct Pair {
    std::vector<double> step, change;
    double inverse;  ///< 1 / (step . change)
  };
  std::vector<Pair> pairs_;  ///< oldest first
};

}  // namespace isolume::anatomy
