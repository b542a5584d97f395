#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/distance_map.h"
#include "core/contours/measures.h"
#include "core/contours/parallel.h"
#include "core/dispatch/dispatch.h"

namespace isolume::contours {

double corners_apart(const images::Geometry& one, const images::Geometry& other) {
  double apart = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Eigen::Vector3d index;
    for (int axis = 0; axis < 3; ++axis) {
      index[axis] = (corner >> axis & 1) * (one.dimensions[static_cast<std::size_t>(axis)] - 1);
    }
    apart = std::max(apart, (other.index_at(one.position(index)) - index).cwiseAbs().maxCoeff());
  }
  return apart;
}

namespace {

void require_same_place(const images::Geometry& one, const images::Geometry& other) {
  const double apart = corners_apart(one, other);
  if (one.dimensions == other.dimensions && apart <= 0.5) return;
  throw Error(fmt::format(
      "The label maps lie at different positions: {} × {} × {} and {} × {} × {} voxels, corners up to {:.3g} "
      "voxels apart. Resample one to the other's grid.",
      one.dimensions[0], one.dimensions[1], one.dimensions[2], other.dimensions[0], other.dimensions[1],
      other.dimensions[2], apart));
}

constexpr std::uint8_t first_bit = 1, second_bit = 2;

/// Voxels from `low` on, `size` in number.
struct Box {
  std::array<int, 3> low{}, size{};
  std::size_t count() const {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
};

/// Counts within one slice.
struct Tally {
  std::size_t first = 0, second = 0, both = 0;
  std::array<int, 2> low{1 << 30, 1 << 30}, high{-1, -1};
};

std::vector<std::uint8_t> regions(const images::Volume& map, int a, const images::Volume& reference, int b,
                                  std::vector<Tally>& tallies, const jobs::Progress& progress) {
  const auto& size = map.geometry.dimensions;
  dispatch::require_memory("Comparing label maps", map.geometry.point_count(),
                           "Close other programs, or cut the images to the part you need.");
  std::vector<std::uint8_t> mask(map.geometry.point_count());
  const std::size_t plane = static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]);
  tallies.resize(static_cast<std::size_t>(size[2]));
  in_parallel(tallies.size(), progress, "comparison", [&](std::size_t k) {
    Tally& tally = tallies[k];
    std::uint8_t* bits = mask.data() + k * plane;
    for (int j = 0; j < size[1]; ++j) {
      for (int i = 0; i < size[0]; ++i, ++bits) {
        const bool in_first = map.value(i, j, static_cast<int>(k)) == a;
        const bool in_second = reference.value(i, j, static_cast<int>(k)) == b;
        if (!in_first && !in_second) continue;
        *bits = static_cast<std::uint8_t>((in_first ? first_bit : 0) | (in_second ? second_bit : 0));
        tally.first += in_first ? 1 : 0;
        tally.second += in_second ? 1 : 0;
        tally.both += in_first && in_second ? 1 : 0;
        tally.low = {std::min(tally.low[0], i), std::min(tally.low[1], j)};
        tally.high = {std::max(tally.high[0], i), std::max(tally.high[1], j)};
      }
    }
  });
  return mask;
}

Box box_of(const std::vector<Tally>& tallies) {
  std::array<int, 3> low{1 << 30, 1 << 30, 1 << 30}, high{-1, -1, -1};
  for (std::size_t k = 0; k < tallies.size(); ++k) {
    if (tallies[k].high[0] < 0) continue;
    for (const std::size_t axis : {0U, 1U}) {
      low[axis] = std::min(low[axis], tallies[k].low[axis]);
      high[axis] = std::max(high[axis], tallies[k].high[axis]);
    }
    low[2] = std::min(low[2], static_cast<int>(k));
    high[2] = static_cast<int>(k);
  }
  return {low, {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1}};
}

/// Boundary voxels of the regions: those that have a neighbour outside, within the box. The image's rim is outside,
/// except along axes of one voxel.
std::vector<std::uint8_t> boundaries(const std::vector<std::uint8_t>& regions, const std::array<int, 3>& size,
                                     const Box& box, const jobs::Progress& progress) {
  const std::array<std::size_t, 3> stride{
      1, static_cast<std::size_t>(size[0]),
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1])};
  std::vector<std::uint8_t> result(box.count());
  in_parallel(static_cast<std::size_t>(box.size[2]), progress, "boundaries", [&](std::size_t slice) {
    std::uint8_t* out =
        result.data() + slice * static_cast<std::size_t>(box.size[0]) * static_cast<std::size_t>(box.size[1]);
    std::array<int, 3> place{0, 0, box.low[2] + static_cast<int>(slice)};
    for (place[1] = box.low[1]; place[1] < box.low[1] + box.size[1]; ++place[1]) {
      for (place[0] = box.low[0]; place[0] < box.low[0] + box.size[0]; ++place[0], ++out) {
        std::size_t at = 0;
        for (std::size_t axis = 0; axis < 3; ++axis)
          at += static_cast<std::size_t>(place[axis]) * stride[axis];
        std::uint8_t within = 0xff;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (size[axis] == 1) continue;
          within &= place[axis] > 0 ? regions[at - stride[axis]] : std::uint8_t{0};
          within &= place[axis] + 1 < size[axis] ? regions[at + stride[axis]] : std::uint8_t{0};
        }
        *out = static_cast<std::uint8_t>(regions[at] & ~within);
      }
    }
  });
  return result;
}

struct Distances {
  double mean, percentile_95, greatest;
};

/// Distance of a voxel to the nearest with a bit, by shells of voxels around it: for grids whose axes are not
/// orthogonal, for which a distance map cannot be computed axis by axis.
class NearestInShells {
 public:
  NearestInShells(const std::vector<std::uint8_t>& mask, std::uint8_t bit, const std::array<int, 3>& size,
                  const Eigen::Matrix3d& steps_mm)
      : mask_(mask), bit_(bit), size_(size), steps_mm_(steps_mm) {
    // The distance of a shell is at least its number times the smallest distance between neighbouring planes of
    // voxels.
    shell_mm_ = 1 / steps_mm.inverse().rowwise().norm().maxCoeff();
  }

  double distance_mm(const std::array<int, 3>& place) const {
    double least = std::numeric_limits<double>::infinity();
    const int last = std::ranges::max(size_);
    for (int shell = 0; shell < last && shell * shell_mm_ < least; ++shell) search(place, shell, least);
    return least;
  }

 private:
  void search(const std::array<int, 3>& place, int shell, double& least) const {
    for (int k = std::max(place[2] - shell, 0); k <= std::min(place[2] + shell, size_[2] - 1); ++k) {
      for (int j = std::max(place[1] - shell, 0); j <= std::min(place[1] + shell, size_[1] - 1); ++j) {
        const bool is_face = std::abs(k - place[2]) == shell || std::abs(j - place[1]) == shell;
        const int step = is_face || shell == 0 ? 1 : 2 * shell;  // otherwise only both ends of the row
        for (int i = place[0] - shell; i <= place[0] + shell; i += step) {
          if (i < 0 || i >= size_[0] || (mask_[index_of(i, j, k)] & bit_) == 0) continue;
          const Eigen::Vector3d apart(i - place[0], j - place[1], k - place[2]);
          least = std::min(least, (steps_mm_ * apart).norm());
        }
      }
    }
  }
  std::size_t index_of(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(size_[1]) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(size_[0]) +
           static_cast<std::size_t>(i);
  }

  const std::vector<std::uint8_t>& mask_;
  std::uint8_t bit_;
  std::array<int, 3> size_;
  Eigen::Matrix3d steps_mm_;
  double shell_mm_ = 0;
};

std::vector<float> nearest_mm(const std::vector<std::uint8_t>& boundary, std::uint8_t from, std::uint8_t to,
                              const Box& box, const images::Geometry& geometry,
                              const jobs::Progress& progress) {
  std::vector<float> found;
  if (geometry.is_orthogonal()) {
    const auto squares = squared_distances_mm2(boundary, to, box.size, geometry.spacing(), progress);
    for (std::size_t at = 0; at < boundary.size(); ++at) {
      if ((boundary[at] & from) != 0) found.push_back(std::sqrt(squares[at]));
    }
    return found;
  }
  std::vector<std::array<int, 3>> places;
  std::size_t at = 0;
  for (int k = 0; k < box.size[2]; ++k) {
    for (int j = 0; j < box.size[1]; ++j) {
      for (int i = 0; i < box.size[0]; ++i, ++at) {
        if ((boundary[at] & from) != 0) places.push_back({i, j, k});
      }
    }
  }
  const NearestInShells nearest(boundary, to, box.size, geometry.step);
  found.resize(places.size());
  in_parallel(places.size(), progress, "distances", [&](std::size_t place) {
    found[place] = static_cast<float>(nearest.distance_mm(places[place]));
  });
  return found;
}

/// From the boundary voxels with one bit to the nearest with the other.
Distances distances(const std::vector<std::uint8_t>& boundary, std::uint8_t from, std::uint8_t to,
                    const Box& box, const images::Geometry& geometry, const jobs::Progress& progress) {
  std::vector<float> found = nearest_mm(boundary, from, to, box, geometry, progress);
  std::ranges::sort(found);
  const double rank = 0.95 * static_cast<double>(found.size() - 1);  // linear interpolation between ranks
  const auto below = static_cast<std::size_t>(rank);
  const double low = found[below], high = found[std::min(below + 1, found.size() - 1)];
  return {std::accumulate(found.begin(), found.end(), 0.0) / static_cast<double>(found.size()),
          low + (rank - std::floor(rank)) * (high - low), found.back()};
}

}  // namespace

Agreement compare(const images::Volume& map, int a, const images::Volume& reference, int b,
                  const jobs::Progress& progress) {
  require_same_place(map.geometry, reference.geometry);
  std::vector<Tally> tallies;
  auto mask = regions(map, a, reference, b, tallies, progress.part(0, 0.2));
  Tally all;
  for (const auto& tally : tallies) {
    all.first += tally.first;
    all.second += tally.second;
    all.both += tally.both;
  }
  if (all.first == 0) throw Error(fmt::format("The label map has no voxel of label {}.", a));
  if (all.second == 0) throw Error(fmt::format("The reference has no voxel of label {}.", b));

  const Box box = box_of(tallies);
  dispatch::require_memory("Comparing label maps", box.count() * (sizeof(float) + 1),
                           "Close other programs, or cut the images to the part you need.");
  const auto boundary = boundaries(mask, map.geometry.dimensions, box, progress.part(0.2, 0.3));
  mask = {};
  const auto there = distances(boundary, first_bit, second_bit, box, map.geometry, progress.part(0.3, 0.65));
  const auto back = distances(boundary, second_bit, first_bit, box, map.geometry, progress.part(0.65, 1));
  const auto both = static_cast<double>(all.both);
  const auto sum = static_cast<double>(all.first + all.second);
  return {.dice = 2 * both / sum,
          .jaccard = both / (sum - both),
          .hausdorff_mm = std::max(there.greatest, back.greatest),
          .hausdorff_95_mm = std::max(there.percentile_95, back.percentile_95),
          .mean_distance_mm = (there.mean + back.mean) / 2};
}

}  // namespace isolume::contours
