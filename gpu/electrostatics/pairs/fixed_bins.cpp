#include "gpu/electrostatics/pairs/fixed_bins.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

namespace fixed = pair_kernels::fixed_bins;
using Eigen::Vector3d;
using electrostatics::Sources;

/// E04's binfill, at which the CPU keeps pace.
constexpr double filled = 0.75;
/// If charges are denser than bins of this fraction of the cut-off can hold, the CPU computes most of them.
constexpr double most_bins_in_cutoff = 8;

struct Extent {
  Vector3d low, high;
};

Extent extent_of(const Sources& sources) {
  Extent extent{{sources.x[0], sources.y[0], sources.z[0]}, {sources.x[0], sources.y[0], sources.z[0]}};
  for (std::size_t i = 1; i < sources.size(); ++i) {
    const Vector3d place(sources.x[i], sources.y[i], sources.z[i]);
    extent.low = extent.low.cwiseMin(place);
    extent.high = extent.high.cwiseMax(place);
  }
  return extent;
}

/// Sets the corner, side and numbers of the bins. Throws Error if there are too many.
void place_bins(const Sources& sources, const Extent& extent, double side, fixed::Bins& bins) {
  const Vector3d counts = ((extent.high - extent.low) / side).array().floor() + 1;
  const double most = 2.0 * static_cast<double>(sources.size()) + 65536;
  if (counts.prod() > most) {
    throw Error(
        fmt::format("The kernel \"fixed-bins\" would need {:.0f} bins for {} charges so far apart, and makes "
                    "{:.0f} at most. Choose the kernel \"sorted-bins\".",
                    counts.prod(), sources.size(), most));
  }
  bins.side = side;
  for (int axis = 0; axis < 3; ++axis) {
    bins.low[axis] = extent.low[axis];
    bins.counts[axis] = static_cast<int>(counts[axis]);
  }
}

std::size_t bin_count(const fixed::Bins& bins) {
  return static_cast<std::size_t>(bins.counts[0]) * static_cast<std::size_t>(bins.counts[1]) *
         static_cast<std::size_t>(bins.counts[2]);
}

/// The number of the bin of a position, and its middle.
std::pair<std::size_t, Vector3d> bin_at(const fixed::Bins& bins, const Vector3d& place) {
  std::pair<std::size_t, Vector3d> found{0, Vector3d::Zero()};
  for (int axis = 2; axis >= 0; --axis) {
    const int at =
        std::clamp(static_cast<int>((place[axis] - bins.low[axis]) / bins.side), 0, bins.counts[axis] - 1);
    found.first = found.first * static_cast<std::size_t>(bins.counts[axis]) + static_cast<std::size_t>(at);
    found.second[axis] = bins.low[axis] + (at + 0.5) * bins.side;
  }
  return found;
}

Vector3d place_of(const Sources& sources, std::size_t i) {
  return {sources.x[i], sources.y[i], sources.z[i]};
}

/// Determined by the volume of the bins that hold charges, since a molecule does not fill its box.
void choose_bins(const Sources& sources, double cutoff, fixed::Bins& bins) {
  const Extent extent = extent_of(sources);
  const auto side_for = [&](double volume) {
    const double side = std::cbrt(filled * fixed::depth * volume / static_cast<double>(sources.size()));
    return std::clamp(side, cutoff / most_bins_in_cutoff, cutoff);
  };
  place_bins(sources, extent, side_for((extent.high - extent.low).cwiseMax(1.0).prod()), bins);
  // Smaller bins follow the charges more closely, which allows smaller bins again; a few iterations suffice.
  for (double before = 2 * bins.side; bins.side < 0.95 * before;) {
    std::vector<std::uint8_t> held(bin_count(bins));
    for (std::size_t i = 0; i < sources.size(); ++i) held[bin_at(bins, place_of(sources, i)).first] = 1;
    before = bins.side;
    const auto occupied = static_cast<double>(std::ranges::count(held, 1));
    place_bins(sources, extent, std::min(before, side_for(occupied * std::pow(before, 3))), bins);
  }
}

/// Minimum distance of a layer of bins along an axis to an interval of `length` that begins anywhere in bin
/// 0.
double least_gap(int offset, double side, double length) {
  if (offset < 0) return std::max(0.0, -(offset + 1) * side);
  return std::max(0.0, (offset - 1) * side - length);
}

std::vector<std::uint32_t> neighbours_of(double side, double cutoff, const Vector3d& sides) {
  // Positions are rounded: one bin too many is harmless.
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
  choose_bins(sources, cutoff, bins);
  made.neighbours = neighbours_of(bins.side, cutoff, sides);
  if (made.neighbours.empty()) {
    throw Error(
        fmt::format("The kernel \"fixed-bins\" has room for {} bins around a block of points, and one of "
                    "{:g} x {:g} x {:g} angstrom with a cut-off of {:g} angstrom needs more. Choose the "
                    "kernel \"sorted-bins\", or a smaller spacing.",
                    fixed::most_neighbours, sides.x(), sides.y(), sides.z(), cutoff));
  }
  bins.neighbours = static_cast<int>(made.neighbours.size());
  made.charges.assign(bin_count(bins) * fixed::depth * 4, 0);
  std::vector<std::uint8_t> filled_to(bin_count(bins));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Vector3d place = place_of(sources, i);
    const auto [bin, middle] = bin_at(bins, place);
    const auto charge = static_cast<float>(sources.charge[i]);
    // A charge of 0 marks the end of a bin.
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
