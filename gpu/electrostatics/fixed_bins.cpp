#include "gpu/electrostatics/fixed_bins.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

namespace fixed = pair_kernels::fixed_bins;
using Eigen::Vector3d;
using electrostatics::Sources;

/// E04's binfill, which the CPU keeps pace with.
constexpr double filled = 0.75;

/// Sets bins.low, side and counts.
void place_bins(const Sources& sources, double cutoff, fixed::Bins& bins) {
  Vector3d low(sources.x[0], sources.y[0], sources.z[0]), high = low;
  for (std::size_t i = 1; i < sources.size(); ++i) {
    const Vector3d place(sources.x[i], sources.y[i], sources.z[i]);
    low = low.cwiseMin(place);
    high = high.cwiseMax(place);
  }
  const Vector3d extent = high - low;
  const double volume = extent.cwiseMax(1.0).prod();
  bins.side =
      std::min(std::cbrt(filled * fixed::depth * volume / static_cast<double>(sources.size())), cutoff);
  const Vector3d counts = (extent / bins.side).array().floor() + 1;
  const double most = 2.0 * static_cast<double>(sources.size()) + 65536;
  if (counts.prod() > most) {
    throw Error(
        fmt::format("The kernel \"fixed-bins\" would need {:.0f} bins for {} charges so far apart, and makes "
                    "{:.0f} at most. Choose the kernel \"sorted-bins\".",
                    counts.prod(), sources.size(), most));
  }
  for (int axis = 0; axis < 3; ++axis) {
    bins.low[axis] = low[axis];
    bins.counts[axis] = static_cast<int>(counts[axis]);
  }
}

/// Of layers of bins along an axis to an interval of `length` that begins anywhere in bin 0: at least.
double least_gap(int offset, double side, double length) {
  if (offset < 0) return std::max(0.0, -(offset + 1) * side);
  return std::max(0.0, (offset - 1) * side - length);
}

std::vector<std::uint32_t> neighbours_of(double side, double cutoff, const Vector3d& sides) {
  // Places are rounded: a bin too many does no harm.
  const double reach = cutoff * (1 + 1e-6);
  const auto last = [&](double length) { return static_cast<int>(std::ceil((reach + length) / side)) + 1; };
  const int behind = last(0);
  const Eigen::Vector3i ahead(last(sides.x()), last(sides.y()), last(sides.z()));
  if (std::max(behind, ahead.maxCoeff()) > 511) return {};
  std::vector<std::uint32_t> found;
  for (int z = -behind; z <= ahead.z(); ++z) {
    for (int y = -behind; y <= ahead.y(); ++y) {
      for (int x = -behind; x <= ahead.x(); ++x) {
        const Vector3d gap(least_gap(x, side, sides.x()), least_gap(y, side, sides.y()),
                           least_gap(z, side, sides.z()));
        if (gap.squaredNorm() < reach * reach) found.push_back(fixed::packed(x, y, z));
      }
    }
    if (found.size() > fixed::most_neighbours) return {};
  }
  return found;
}

}  // namespace

FixedBins fill_fixed_bins(const Sources& sources, double cutoff, const Vector3d& sides) {
  FixedBins made;
  fixed::Bins& bins = made.bins;
  place_bins(sources, cutoff, bins);
  made.neighbours = neighbours_of(bins.side, cutoff, sides);
  if (made.neighbours.empty()) {
    throw Error(
        fmt::format("The kernel \"fixed-bins\" has room for {} bins around a point, which a cut-off of {:g} "
                    "angstrom is too "
                    "large for. Choose the kernel \"sorted-bins\", or a smaller cut-off.",
                    fixed::most_neighbours, cutoff));
  }
  bins.neighbours = static_cast<int>(made.neighbours.size());
  const std::size_t count =
      static_cast<std::size_t>(bins.counts[0]) * static_cast<std::size_t>(bins.counts[1]) * bins.counts[2];
  made.charges.assign(count * fixed::depth * 4, 0);
  std::vector<std::uint8_t> filled_to(count);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Vector3d place(sources.x[i], sources.y[i], sources.z[i]);
    std::size_t bin = 0;
    Vector3d middle;
    for (int axis = 2; axis >= 0; --axis) {
      const int at =
          std::clamp(static_cast<int>((place[axis] - bins.low[axis]) / bins.side), 0, bins.counts[axis] - 1);
      bin = bin * static_cast<std::size_t>(bins.counts[axis]) + static_cast<std::size_t>(at);
      middle[axis] = bins.low[axis] + (at + 0.5) * bins.side;
    }
    const auto charge = static_cast<float>(sources.charge[i]);
    // A charge of 0 would end its bin.
    if (filled_to[bin] == fixed::depth || charge == 0) {
      made.overflow.add(place, sources.charge[i]);
      continue;
    }
    made.held.add(place, sources.charge[i]);
    float* to = made.charges.data() + (bin * fixed::depth + filled_to[bin]++) * 4;
    const Eigen::Vector3f from_middle = (place - middle).cast<float>();
    std::copy_n(from_middle.data(), 3, to);
    to[3] = charge;
  }
  return made;
}

}  // namespace isolume::gpu
