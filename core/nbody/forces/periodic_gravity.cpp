#include "core/nbody/forces/periodic_gravity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/forces/split_force.h"

namespace isolume::nbody {
namespace {

using std::numbers::pi;

/// With these, the truncation error of either sum is 1e-7 of what one body exerts over half the side.
constexpr double alpha_of_side = 8;
constexpr int highest_mode = 10;

using Phases = std::array<std::array<std::complex<double>, highest_mode + 1>, 3>;

/// exp(2 pi i n x / period) for each direction and n from 0 on.
Phases phases_of(const Bodies& bodies, std::size_t body, double period) {
  const std::array place{bodies.x[body], bodies.y[body], bodies.z[body]};
  Phases phases;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto first = std::polar(1.0, 2 * pi * place[axis] / period);
    phases[axis][0] = 1;
    for (std::size_t n = 1; n < phases[axis].size(); ++n) phases[axis][n] = phases[axis][n - 1] * first;
  }
  return phases;
}

std::complex<double> phase(const Phases& phases, const std::array<int, 3>& number) {
  std::complex<double> product = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto each = phases[axis][static_cast<std::size_t>(std::abs(number[axis]))];
    product *= number[axis] < 0 ? std::conj(each) : each;
  }
  return product;
}

bool first_of_pair(int x, int y, int z) {
  return x > 0 || (x == 0 && (y > 0 || (y == 0 && z > 0)));
}

}  // namespace

PeriodicGravity::PeriodicGravity(const Bodies& bodies, double period, double softening,
                                 const jobs::Progress& progress)
    : bodies_(bodies), period_(period), softening_(softening), alpha_(alpha_of_side / period) {
  for (const double each : bodies.mass) mass_ += each;
  for (int x = -highest_mode; x <= highest_mode; ++x) {
    for (int y = -highest_mode; y <= highest_mode; ++y) {
      for (int z = -highest_mode; z <= highest_mode; ++z) {
        const int squared = x * x + y * y + z * z;
        if (!first_of_pair(x, y, z) || squared > highest_mode * highest_mode) continue;
        const double k_squared = std::pow(2 * pi / period, 2) * squared;
        modes_.push_back(
            {{x, y, z},
             8 * pi / (period * period * period) * std::exp(-k_squared / (4 * alpha_ * alpha_)) / k_squared});
      }
    }
  }
  // Fixed blocks, added in their order.
  constexpr std::size_t block = 1 << 11;
  std::vector<std::vector<std::complex<double>>> sums((bodies.size() + block - 1) / block);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, sums.size(), 1), [&](const auto& part) {
    for (std::size_t number = part.begin(); number != part.end(); ++number) {
      progress.check();
      sums[number].resize(modes_.size());
      for (std::size_t i = number * block; i < std::min(bodies.size(), (number + 1) * block); ++i) {
        const Phases phases = phases_of(bodies, i, period);
        for (std::size_t k = 0; k < modes_.size(); ++k)
          sums[number][k] += bodies.mass[i] * phase(phases, modes_[k].number);
      }
    }
  });
  for (const auto& each : sums) {
    for (std::size_t k = 0; k < modes_.size(); ++k) modes_[k].amplitude += each[k];
  }
}

ExactForce PeriodicGravity::on(std::size_t body) const {
  ExactForce force;
  const double split = 1 / (2 * alpha_);
  const auto nearest = [this](double difference) {
    return difference - period_ * std::round(difference / period_);
  };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (i == body) continue;
    const Eigen::Vector3d to(nearest(bodies_.x[i] - bodies_.x[body]), nearest(bodies_.y[i] - bodies_.y[body]),
                             nearest(bodies_.z[i] - bodies_.z[body]));
    const double r = to.norm(), softened = std::hypot(r, softening_);
    const SmoothPull smooth = smooth_pull(r, split);
    const double inverse = softened > 0 || !to.isZero(0) ? 1 / softened : 0;  // a square may underflow
    force.potential -= bodies_.mass[i] * (inverse - smooth.potential);
    force.acceleration += bodies_.mass[i] * (inverse * inverse * inverse - smooth.pull) * to;
  }
  const Phases phases = phases_of(bodies_, body, period_);
  for (const Mode& mode : modes_) {
    const auto wave = std::conj(phase(phases, mode.number)) * mode.amplitude;
    const Eigen::Vector3d k =
        2 * pi / period_ * Eigen::Vector3d(mode.number[0], mode.number[1], mode.number[2]);
    force.potential -= mode.weight * wave.real();
    force.acceleration += mode.weight * wave.imag() * k;
  }
  const double own = bodies_.mass[body] * 2 * alpha_ / std::sqrt(pi);
  const double background = pi * mass_ / (alpha_ * alpha_ * period_ * period_ * period_);
  force.potential += own + background;
  return force;
}

}  // namespace isolume::nbody
