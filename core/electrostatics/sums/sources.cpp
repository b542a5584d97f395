#include "core/electrostatics/sums/sources.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

/// Screening by atoms with a radius of more Debye lengths than this exceeds the range of single precision.
constexpr double most_screened = 60;

}  // namespace

Sources sources_of(const structures::Charges& charges, const PairTerms& terms) {
  Sources sources;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    // The factor of exp(-kappa (r - s)) / (1 + kappa s) that does not depend on r.
    const double inside = terms.kappa * charges.radius[i];
    if (inside > most_screened) {
      throw Error(fmt::format(
          "Atom {}: its radius of {} angstrom is {:.0f} Debye lengths. Give a smaller radius or less salt.",
          i + 1, charges.radius[i], inside));
    }
    const double q = charges.charge[i] * std::exp(inside) / (1 + inside);
    if (q != 0) sources.add(charges.place(i), q);
  }
  return sources;
}

Bins::Bins(const Sources& sources, double cutoff) {
  Vector3d low = Vector3d::Zero(), high = Vector3d::Zero();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Vector3d place(sources.x[i], sources.y[i], sources.z[i]);
    low = i == 0 ? place : low.cwiseMin(place).eval();
    high = i == 0 ? place : high.cwiseMax(place).eval();
  }
  low_ = low;
  const Vector3d extent = high - low;
  if (cutoff > 0) {
    side_ = cutoff / 3;
    // Limits the number of bins to that of charges, wherever they lie.
    const auto bins = [&] { return ((extent / side_).array().floor() + 1).prod(); };
    while (bins() > 4.0 * static_cast<double>(sources.size()) + 64) side_ *= 1.26;
    for (int axis = 0; axis < 3; ++axis)
      counts_[static_cast<std::size_t>(axis)] = static_cast<int>(extent[axis] / side_) + 1;
  }
  sort(sources);
}

std::size_t Bins::bin_of(double x, double y, double z) const {
  const std::array<double, 3> offset{x - low_.x(), y - low_.y(), z - low_.z()};
  std::size_t bin = 0;
  for (std::size_t axis = 3; axis-- > 0;) {
    const int at = std::clamp(static_cast<int>(offset[axis] / side_), 0, counts_[axis] - 1);
    bin = bin * static_cast<std::size_t>(counts_[axis]) + static_cast<std::size_t>(at);
  }
  return bin;
}

void Bins::sort(const Sources& sources) {
  starts_.assign(static_cast<std::size_t>(counts_[0]) * counts_[1] * counts_[2] + 1, 0);
  std::vector<std::size_t> bins(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    bins[i] = bin_of(sources.x[i], sources.y[i], sources.z[i]);
    ++starts_[bins[i] + 1];
  }
  for (std::size_t bin = 1; bin < starts_.size(); ++bin) starts_[bin] += starts_[bin - 1];
  std::vector<std::size_t> at(starts_.begin(), starts_.end() - 1);
  for (auto* values : {&sorted_.x, &sorted_.y, &sorted_.z, &sorted_.charge}) values->resize(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t to = at[bins[i]]++;
    sorted_.x[to] = sources.x[i];
    sorted_.y[to] = sources.y[i];
    sorted_.z[to] = sources.z[i];
    sorted_.charge[to] = sources.charge[i];
  }
}

}  // namespace isolume::electrostatics
