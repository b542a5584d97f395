#include "core/electrostatics/surfaces/residues.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::electrostatics {

NearestAtoms::NearestAtoms(const structures::Charges& charges, double reach) : reach_(reach) {
  if (charges.size() == 0) return;
  const double largest = *std::ranges::max_element(charges.radius);
  side_ = largest + reach;
  const auto box = structures::box_of(charges);
  low_ = box.low;
  const auto cells = [&] { return ((box.high - low_) / side_).array().floor() + 1; };
  while (cells().prod() > 4.0 * static_cast<double>(charges.size()) + 64) side_ *= 1.26;
  counts_ = cells().cast<int>();
  const auto cell_of = [&](std::size_t i) {
    return cell(((charges.place(i) - low_) / side_).array().floor().cast<int>());
  };
  first_.assign(static_cast<std::size_t>(counts_.prod()) + 1, 0);
  for (std::size_t i = 0; i < charges.size(); ++i) ++first_[cell_of(i) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  balls_.resize(charges.size());
  auto next = first_;
  for (std::size_t i = 0; i < charges.size(); ++i)
    balls_[next[cell_of(i)]++] = {charges.place(i), charges.radius[i], static_cast<std::int32_t>(i)};
}

std::size_t NearestAtoms::cell(const Eigen::Vector3i& at) const {
  return static_cast<std::size_t>(at.x()) +
         static_cast<std::size_t>(counts_.x()) *
             (static_cast<std::size_t>(at.y()) +
              static_cast<std::size_t>(counts_.y()) * static_cast<std::size_t>(at.z()));
}

std::int32_t NearestAtoms::at(const Eigen::Vector3d& place) const {
  std::int32_t found = none;
  double least = reach_;
  const Eigen::Array3d middle = ((place - low_) / side_).array().floor();
  if (!(middle.abs() < 1e9).all()) return none;
  const Eigen::Vector3i from = (middle.cast<int>() - 1).max(0).matrix();
  const Eigen::Vector3i to = (middle.cast<int>() + 1).min(counts_.array() - 1).matrix();
  for (int k = from.z(); k <= to.z(); ++k) {
    for (int j = from.y(); j <= to.y(); ++j) {
      for (int i = from.x(); i <= to.x(); ++i) {
        const std::size_t in = cell({i, j, k});
        for (std::size_t n = first_[in]; n < first_[in + 1]; ++n) {
          const Ball& ball = balls_[n];
          const double distance = (ball.centre - place).norm() - ball.radius;
          if (distance > least || (distance == least && found != none && found < ball.atom)) continue;
          least = distance;
          found = ball.atom;
        }
      }
    }
  }
  return found;
}

std::vector<std::int32_t> NearestAtoms::at(std::span<const float> places) const {
  std::vector<std::int32_t> found(places.size() / 3);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, found.size(), 1024), [&](const auto& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i)
      found[i] = at(Eigen::Map<const Eigen::Vector3f>(&places[3 * i]).template cast<double>());
  });
  return found;
}

}  // namespace isolume::electrostatics
