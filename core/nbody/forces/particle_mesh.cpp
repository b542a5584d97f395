#include "core/nbody/forces/particle_mesh.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/fourier/mesh_transform.h"
#include "core/nbody/bodies/cosmology.h"
#include "core/nbody/forces/processor_solver.h"

namespace isolume::nbody {
namespace {

using Range = tbb::blocked_range<std::size_t>;
using fourier::MeshTransform;
using Complex = MeshTransform::Complex;
using std::numbers::pi;

constexpr double split_cells = 1.25;
/// Reach of the near part, in units of the split: beyond it, the near part is 4e-4 of the force of a pair.
constexpr double reach_splits = 6;
/// Gravity is not softened beyond the reach: it would be weaker by 1.5 (softening / reach)^2, a thousandth at most.
constexpr double reach_of_softening = 40;
/// Ensures that no pair is within reach of two images.
constexpr std::size_t fewest_cells = 16;

/// Weights of Hockney and Eastwood's cubic spline for the four grid points around a position; `after` is the
/// distance, in cells below 1, from the second of them.
std::array<double, 4> spline_weights(double after) {
  const double before = 1 - after;
  return {before * before * before / 6, 2.0 / 3 - after * after * (1 - after / 2),
          2.0 / 3 - before * before * (1 - before / 2), after * after * after / 6};
}

/// Assignment of one body to the mesh.
struct OnMesh {
  std::array<std::size_t, 3> cell;
  std::array<std::array<double, 4>, 3> weights;
};

class Mesh {
 public:
  Mesh(const Bodies& bodies, double period, const MeshPlan& plan)
      : bodies_(bodies), period_(period), plan_(plan), transform_(fourier::cube(plan.side)) {
    sort();
  }

  void add_forces(Forces& forces, const jobs::Progress& progress) {
    assign();
    progress.check();
    modes_.resize(transform_.modes());
    transform_.forward(values_, modes_);
    apply_green();
    std::vector<Complex> work(modes_.size());
    const std::array to{&forces.ax, &forces.ay, &forces.az};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      progress.check();
      differentiate(axis, work);
      transform_.inverse(work, values_);
      interpolate(*to[axis]);
    }
    progress.check();
    transform_.inverse(modes_, values_);
    interpolate(forces.potential);
  }

 private:
  std::size_t side() const { return plan_.side; }
  OnMesh on_mesh(std::size_t body) const {
    const std::array place{bodies_.x[body], bodies_.y[body], bodies_.z[body]};
    OnMesh on;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double cells = wrapped(place[axis], period_) / period_ * static_cast<double>(side());
      const double cell = std::floor(cells);
      on.cell[axis] = static_cast<std::size_t>(cell) % side();
      on.weights[axis] = spline_weights(cells - cell);
    }
    return on;
  }
  /// Index of one of the four grid points along an axis that a body in `cell` contributes to.
  std::size_t point(std::size_t cell, std::size_t number) const {
    return (cell + number + side() - 1) % side();
  }

  /// Sorts by planes of the mesh, stably: threads then own planes, and the order of sums is fixed.
  void sort() {
    std::vector<std::uint32_t> plane(bodies_.size());
    handover::parallel_for(Range(0, plane.size(), 1 << 12), [&](const Range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i)
        plane[i] = static_cast<std::uint32_t>(on_mesh(i).cell[0]);
    });
    begins_.assign(side() + 1, 0);
    for (const std::uint32_t each : plane) ++begins_[each + 1];
    for (std::size_t i = 0; i < side(); ++i) begins_[i + 1] += begins_[i];
    auto next = begins_;
    order_.resize(plane.size());
    for (std::size_t i = 0; i < plane.size(); ++i) order_[next[plane[i]]++] = static_cast<std::uint32_t>(i);
  }

  void assign() {
    values_.assign(transform_.values(), 0);
    handover::parallel_for(Range(0, side(), 1), [&](const Range& part) {
      for (std::size_t x = part.begin(); x != part.end(); ++x) assign_plane(x);
    });
  }
  void assign_plane(std::size_t x) {
    double* const plane = &values_[x * side() * side()];
    for (std::size_t number = 0; number < 4; ++number) {
      const std::size_t of = (x + side() + 1 - number) % side();
      for (std::size_t i = begins_[of]; i < begins_[of + 1]; ++i) {
        const std::size_t body = order_[i];
        const OnMesh on = on_mesh(body);
        const double mass = bodies_.mass[body] * on.weights[0][number];
        for (std::size_t j = 0; j < 4; ++j) {
          double* const row = plane + point(on.cell[1], j) * side();
          for (std::size_t k = 0; k < 4; ++k)
            row[point(on.cell[2], k)] += mass * on.weights[1][j] * on.weights[2][k];
        }
      }
    }
  }

  /// Factors for the potential along one axis: deconvolution of the spline's smoothing, applied twice.
  std::vector<double> sharpened(std::size_t count) const {
    std::vector<double> factors(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double x = pi * transform_.wave_number(i, 0) / static_cast<double>(side());
      factors[i] = x == 0 ? 1 : std::pow(x / std::sin(x), 8);
    }
    return factors;
  }
  void apply_green() {
    const auto sharper = sharpened(side());
    const double unit = 2 * pi / period_, volume = period_ * period_ * period_;
    const std::size_t deep = transform_.depth();
    handover::parallel_for(Range(0, side()), [&](const Range& part) {
      for (std::size_t x = part.begin(); x != part.end(); ++x) {
        for (std::size_t y = 0; y < side(); ++y) {
          for (std::size_t z = 0; z < deep; ++z) {
            const double kx = transform_.wave_number(x, 0), ky = transform_.wave_number(y, 1),
                         kz = static_cast<double>(z);
            const double k_squared = unit * unit * (kx * kx + ky * ky + kz * kz);
            const double green = k_squared == 0 ? 0
                                                : -4 * pi / (volume * k_squared) *
                                                      std::exp(-k_squared * plan_.split * plan_.split);
            modes_[(x * side() + y) * deep + z] *= green * sharper[x] * sharper[y] * sharper[z];
          }
        }
      }
    });
  }
  /// Modes of the acceleration along one axis. The Nyquist wave number represents both of its signs.
  void differentiate(std::size_t axis, std::vector<Complex>& to) const {
    const double unit = 2 * pi / period_;
    const std::size_t deep = transform_.depth();
    handover::parallel_for(Range(0, side()), [&](const Range& part) {
      for (std::size_t x = part.begin(); x != part.end(); ++x) {
        for (std::size_t y = 0; y < side(); ++y) {
          for (std::size_t z = 0; z < deep; ++z) {
            const std::size_t index = std::array{x, y, z}[axis], at = (x * side() + y) * deep + z;
            const double k = 2 * index == side() ? 0 : unit * transform_.wave_number(index, axis);
            to[at] = Complex(k * modes_[at].imag(), -k * modes_[at].real());
          }
        }
      }
    });
  }

  void interpolate(std::vector<double>& to) const {
    handover::parallel_for(Range(0, order_.size(), 256), [&](const Range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) {
        const std::size_t body = order_[i];
        const OnMesh on = on_mesh(body);
        double sum = 0;
        for (std::size_t j = 0; j < 4; ++j) {
          const double* const plane = &values_[point(on.cell[0], j) * side() * side()];
          for (std::size_t k = 0; k < 4; ++k) {
            const double* const row = plane + point(on.cell[1], k) * side();
            double of_row = 0;
            for (std::size_t l = 0; l < 4; ++l) of_row += on.weights[2][l] * row[point(on.cell[2], l)];
            sum += on.weights[0][j] * on.weights[1][k] * of_row;
          }
        }
        to[body] += sum;
      }
    });
  }

  const Bodies& bodies_;
  double period_;
  MeshPlan plan_;
  MeshTransform transform_;
  std::vector<std::size_t> begins_;   ///< of planes, in `order_`
  std::vector<std::uint32_t> order_;  ///< indices of bodies
  std::vector<double> values_;
  std::vector<Complex> modes_;
};

void add_periodic_forces(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                         const jobs::Progress& progress) {
  const MeshPlan plan = mesh_plan(bodies.size(), options.period, options.softening);
  constexpr std::size_t bytes_a_cell = 24;  // one cube of reals, two of modes
  dispatch::require_memory(fmt::format("A mesh of {0} × {0} × {0} cells", plan.side),
                           plan.side * plan.side * plan.side * bytes_a_cell, "Take fewer bodies.");
  const auto start = std::chrono::steady_clock::now();
  add_mesh_forces(bodies, options.period, plan, forces, progress.part(0, 0.5));
  forces.seconds.tree = seconds_since(start);
  const auto meshed = std::chrono::steady_clock::now();
  forces.body_pairs =
      add_near_forces(bodies, options.period, options.softening, plan, forces, progress.part(0.5, 1));
  forces.seconds.sums = seconds_since(meshed);
}

}  // namespace

MeshPlan mesh_plan(std::size_t bodies, double period, double softening) {
  const double reach_of_cells = split_cells * reach_splits;
  const double fine = 2 * std::cbrt(static_cast<double>(bodies));
  const double enough = softening > 0 ? reach_of_cells * period / (reach_of_softening * softening)
                                      : std::numeric_limits<double>::infinity();
  if (enough < static_cast<double>(fewest_cells)) {
    throw Error(fmt::format(
        "A softening of {} is too large for a periodic box of side {}. Give at most {:.3g}.", softening,
        period, reach_of_cells * period / (reach_of_softening * static_cast<double>(fewest_cells))));
  }
  const auto wanted = static_cast<std::size_t>(std::ceil(std::min(fine, enough) - 1e-9));
  const std::size_t side = fourier::next_transform_side(std::max(fewest_cells, wanted));
  const double split = split_cells * period / static_cast<double>(side);
  return {side, split, reach_splits * split};
}

void add_mesh_forces(const Bodies& bodies, double period, const MeshPlan& plan, Forces& forces,
                     const jobs::Progress& progress) {
  progress.report(0, "mesh");
  Mesh(bodies, period, plan).add_forces(forces, progress);
}

std::unique_ptr<Solver> make_particle_mesh_solver() {
  return make_processor_solver("particle-mesh", "particle mesh and near pairs", 0, add_periodic_forces);
}

}  // namespace isolume::nbody
