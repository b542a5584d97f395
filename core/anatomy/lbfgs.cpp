#include "core/anatomy/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ranges>
#include <utility>

namespace isolume::anatomy {
namespace {

constexpr std::size_t most_pairs = 6;

double dot_product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest_of(std::span<const double> all) {
  double largest = 0;
  for (const double each : all) largest = std::max(largest, std::abs(each));
  return largest;
}

void add_scaled(std::span<double> to, double factor, std::span<const double> by) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * by[i];
}

}  // namespace

Minimiser::Minimiser(Function function, std::vector<double> start, double first_step)
    : function_(std::move(function)), first_step_(first_step), x_(std::move(start)), gradient_(x_.size()) {
  value_ = function_(x_, gradient_);
}

/// Minus the gradient times the present inverse Hessian, by the recursion of two loops.
std::vector<double> Minimiser::direction() const {
  std::vector<double> result(gradient_.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = -gradient_[i];
  if (pairs_.empty()) {
    const double largest = largest_of(result);
    for (double& each : result) each *= largest > 0 ? first_step_ / largest : 0;
    return result;
  }
  std::vector<double> factors;
  for (const Pair& each : pairs_ | std::views::reverse) {
    factors.push_back(each.inverse * dot_product(each.step, result));
    add_scaled(result, -factors.back(), each.change);
  }
  const Pair& last = pairs_.back();
  const double scale = 1 / (last.inverse * dot_product(last.change, last.change));
  for (double& each : result) each *= scale;
  for (const Pair& each : pairs_) {
    const double factor = factors.back() - each.inverse * dot_product(each.change, result);
    factors.pop_back();
    add_scaled(result, factor, each.step);
  }
  return result;
}

bool Minimiser::step() {
  std::vector<double> way = direction();
  double slope = dot_product(way, gradient_);
  if (!(slope < 0)) {
    if (pairs_.empty()) return false;
    pairs_.clear();
    way = direction();
    slope = dot_product(way, gradient_);
    if (!(slope < 0)) return false;
  }
  std::vector<double> next(x_.size()), gradient(x_.size());
  constexpr double least_part = 1e-4, shortest = 1e-3;
  for (double length = 1; length > shortest;) {
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = x_[i] + length * way[i];
    const double value = function_(next, gradient);
    if (value <= value_ + least_part * length * slope) {
      largest_change_ = length * largest_of(way);
      Pair pair{.step = std::move(way), .change = gradient, .inverse = 0};
      for (double& each : pair.step) each *= length;
      add_scaled(pair.change, -1, gradient_);
      // Where the function bends downwards, the pair is of no use.
      const double product = dot_product(pair.step, pair.change);
      if (product > 1e-10 * dot_product(pair.change, pair.change)) {
        pair.inverse = 1 / product;
        pairs_.push_back(std::move(pair));
        if (pairs_.size() > most_pairs) pairs_.erase(pairs_.begin());
      }
      std::swap(x_, next);
      std::swap(gradient_, gradient);
      value_ = value;
      return true;
    }
    // The least value of the parabola through both values and the slope.
    const double lowest = -slope * length * length / (2 * (value - value_ - slope * length));
    length = std::clamp(lowest, 0.1 * length, 0.5 * length);
  }
  if (pairs_.empty()) return false;
  pairs_.clear();
  return step();
}

}  // namespace isolume::anatomy
