#include "core/electrostatics/quantum_potential.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::electrostatics {
namespace {

using gaussians::PointTile;

double bohr_per(lattice::LengthUnit unit) {
  return lattice::shown_per_unit(unit) / lattice::shown_per_unit(lattice::LengthUnit::bohr);
}

/// A tile of points, and where their values belong.
struct TargetTile {
  PointTile points;
  std::array<std::size_t, PointTile::capacity> targets;

  void add(const Eigen::Vector3d& place_bohr, std::size_t target) {
    points.x[points.count] = place_bohr.x();
    points.y[points.count] = place_bohr.y();
    points.z[points.count] = place_bohr.z();
    targets[static_cast<std::size_t>(points.count++)] = target;
  }
  void pad() {
    for (auto* axis : {points.x, points.y, points.z})
      std::fill(axis + points.count, axis + PointTile::capacity, axis[points.count - 1]);
  }
};

/// A lattice in blocks of 4 x 4 x 4 points.
class BlocksOfLattice {
 public:
  explicit BlocksOfLattice(const lattice::Lattice& lattice) : lattice_(lattice) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      blocks_[axis] = static_cast<std::size_t>((lattice.dimensions[axis] + edge - 1) / edge);
  }
  std::size_t count() const { return blocks_[0] * blocks_[1] * blocks_[2]; }
  void fill(std::size_t number, TargetTile& tile) const {
    const auto& n = lattice_.dimensions;
    const double bohr = bohr_per(lattice_.unit);
    const std::array<int, 3> first{edge * static_cast<int>(number % blocks_[0]),
                                   edge * static_cast<int>(number / blocks_[0] % blocks_[1]),
                                   edge * static_cast<int>(number / blocks_[0] / blocks_[1])};
    for (int k = first[2]; k < std::min(first[2] + edge, n[2]); ++k) {
      for (int j = first[1]; j < std::min(first[1] + edge, n[1]); ++j) {
        const std::size_t row =
            static_cast<std::size_t>(n[0]) *
            (static_cast<std::size_t>(j) + static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(k));
        for (int i = first[0]; i < std::min(first[0] + edge, n[0]); ++i)
          tile.add(bohr * lattice_.point(i, j, k), row + static_cast<std::size_t>(i));
      }
    }
  }

 private:
  static constexpr int edge = 4;
  static_assert(edge * edge * edge == PointTile::capacity);

  const lattice::Lattice& lattice_;
  std::array<std::size_t, 3> blocks_{};
};

/// Places in any order, a few neighbours at a time: in a small box more of the molecule is far away.
class NeighboursOfPlaces {
 public:
  explicit NeighboursOfPlaces(const Places& places) : places_(places), order_(places.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::vector<std::array<std::int64_t, 3>> cells;
    for (std::size_t i = 0; i < places.size(); ++i) {
      cells.push_back({});
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double at = (axis == 0 ? places.z : axis == 1 ? places.y : places.x)[i];
        cells.back()[axis] = static_cast<std::int64_t>(std::floor(at / cell_angstrom));
      }
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t i) { return cells[i]; });
  }
  std::size_t count() const { return (order_.size() + at_once - 1) / at_once; }
  void fill(std::size_t number, TargetTile& tile) const {
    const double bohr = bohr_per(lattice::LengthUnit::angstrom);
    for (std::size_t n = number * at_once; n < std::min((number + 1) * at_once, order_.size()); ++n) {
      const std::size_t i = order_[n];
      tile.add(bohr * Eigen::Vector3d(places_.x[i], places_.y[i], places_.z[i]), i);
    }
  }

 private:
  static constexpr std::size_t at_once = 16;
  static constexpr double cell_angstrom = 0.7;

  const Places& places_;
  std::vector<std::size_t> order_;
};

/// Calls store(target, value in the unit asked for) for every point.
template <class Values, class Tiles, class Store>
Potential<Values> evaluated(Values values, const Tiles& tiles,
                            const gaussians::WavefunctionPotential& wavefunction,
                            const QuantumOptions& options, const jobs::Progress& progress,
                            const Store& store) {
  Potential<Values> found{std::move(values)};
  const auto start = std::chrono::steady_clock::now();
  const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  found.report.who = fmt::format("CPU, exact integrals, {} thread{}", threads, threads == 1 ? "" : "s");
  const double bohr = bohr_per(lattice::LengthUnit::angstrom);
  const double scale = bohr * coulomb_constant(options.unit, options.temperature_kelvin);
  std::atomic<std::size_t> done = 0;
  tbb::task_arena arena(threads);
  arena.execute([&] {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, tiles.count(), 1), [&](const auto& range) {
      for (std::size_t number = range.begin(); number != range.end(); ++number) {
        progress.check();
        TargetTile tile;
        tiles.fill(number, tile);
        tile.pad();
        wavefunction.evaluate(tile.points, nearest * bohr, progress);
        for (int i = 0; i < tile.points.count; ++i)
          store(found.values, tile.targets[static_cast<std::size_t>(i)], scale * tile.points.potential[i]);
        progress.report(static_cast<double>(++done) / static_cast<double>(tiles.count()), "potential");
      }
    });
  });
  found.seconds_sums = seconds_since(start);
  return found;
}

void check_options(const QuantumOptions& options) {
  PotentialOptions checked;
  checked.unit = options.unit;
  checked.temperature_kelvin = options.temperature_kelvin;
  checked.threads = options.threads;
  check(checked);
}

}  // namespace

gaussians::WavefunctionPotential expand(const molecules::Wavefunction& wavefunction,
                                        const molecules::OrbitalSet& set, const QuantumOptions& options,
                                        const jobs::Progress& progress) {
  check_options(options);
  tbb::task_arena arena(options.threads > 0 ? options.threads : dispatch::processor_threads());
  return arena.execute([&] {
    return gaussians::WavefunctionPotential(wavefunction, set,
                                            gaussians::WavefunctionPotential::usual_tolerance, progress);
  });
}

Potential<lattice::ScalarField> quantum_potential_on(const lattice::Lattice& lattice,
                                                     const gaussians::WavefunctionPotential& wavefunction,
                                                     const QuantumOptions& options,
                                                     const jobs::Progress& progress) {
  if (lattice.unit == lattice::LengthUnit::millimetre)
    throw Error("A lattice in millimetres holds no molecule. Give one in bohr or angstrom.");
  check_options(options);
  const std::size_t count = lattice.point_count();
  dispatch::require_memory(fmt::format("A potential at {} points", count),
                           count > SIZE_MAX / sizeof(float) ? SIZE_MAX : count * sizeof(float),
                           "Take a larger spacing.");
  lattice::ScalarField field{.lattice = lattice,
                             .values = FieldValues(count),
                             .name = "electrostatic potential",
                             .unit = std::string(to_text(options.unit))};
  float* const values = field.values.data();
  return evaluated(std::move(field), BlocksOfLattice(lattice), wavefunction, options, progress,
                   [values](const lattice::ScalarField&, std::size_t target, double value) {
                     values[target] = static_cast<float>(value);
                   });
}

Potential<std::vector<double>> quantum_potential_at(const Places& places,
                                                    const gaussians::WavefunctionPotential& wavefunction,
                                                    const QuantumOptions& options,
                                                    const jobs::Progress& progress) {
  check_options(options);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Eigen::Vector3d place(places.x[i], places.y[i], places.z[i]);
    if (!(place.cwiseAbs().maxCoeff() <= 1e3 * structures::most_magnitude)) {
      throw Error(
          fmt::format("Place {}: {}, {}, {} is too far away. Give finite numbers within {:.0e} angstrom.",
                      i + 1, place.x(), place.y(), place.z(), 1e3 * structures::most_magnitude));
    }
  }
  return evaluated(
      std::vector<double>(places.size()), NeighboursOfPlaces(places), wavefunction, options, progress,
      [](std::vector<double>& values, std::size_t target, double value) { values[target] = value; });
}

}  // namespace isolume::electrostatics
