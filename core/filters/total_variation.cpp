#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/stencil_kernels.h"
#include "core/volumes/counts.h"

namespace isolume::filters {
namespace {

struct TotalVariationParameters {
  double fidelity = 0.05;
  int iterations = 200;
  double gap = 1e-3;
};

const Schema<TotalVariationParameters>& total_variation_schema() {
  using P = TotalVariationParameters;
  static const Schema<P> schema({
      field("lambda", &P::fidelity, "Fidelity")
          .unit("1/mm")
          .logarithmic()
          .range(1e-9, 1e9)
          .usual(0.001, 10)
          .help("Weight lambda of the noisy image, in 1/(unit of the image x mm); smaller ones smooth more. "
                "A bright disc of radius r loses 2 / (lambda r) of its height."),
      field("iterations", &P::iterations, "Most iterations")
          .range(1, 100000)
          .usual(10, 1000)
          .help("The iteration ends earlier if the duality gap is small enough."),
      field("gap", &P::gap, "Duality gap")
          .logarithmic()
          .range(0, 1)
          .usual(1e-5, 0.1)
          .help("Ends the iteration when the duality gap, divided by the energy, is below this."),
  });
  return schema;
}

/// min over u of TV(u) + lambda / 2 |u - f|^2 (L. I. Rudin, S. Osher, E. Fatemi, Physica D 60, 259, 1992) by algorithm 2 of
/// A. Chambolle, T. Pock, J. Math. Imaging Vis. 40, 120 (2011). Forward differences; sums over voxels, without the volume
/// of one.
class TotalVariation {
 public:
  TotalVariation(const FieldValues& noisy, const grid::Grid& grid, double lambda,
                 const jobs::Progress& progress)
      : noisy_(noisy),
        counts_(grid.dimensions),
        lambda_(lambda),
        u_(copy_in_parallel(noisy)),
        extrapolated_(copy_in_parallel(noisy)),
        p_(volumes::zero_field(grid.dimensions)),
        cancellation_(progress.stop_token(), {}),
        sums_(static_cast<std::size_t>(counts_[2])) {
    double bound = 0;  // of the squared norm of the gradient
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double spacing = grid.spacing(static_cast<int>(axis));
      inverse_[axis] = static_cast<float>(1 / spacing);
      if (counts_[axis] > 1) bound += 4 / (spacing * spacing);
    }
    bound_ = bound > 0 ? bound : 1;
    // u moves by the strength of the filter, 1 / lambda, within a few steps.
    primal_step_ = 1 / lambda;
    dual_step_ = 1 / (bound_ * primal_step_);
  }

  void iterate() {
    const auto steps = steps_of(dual_step_);
    in_parallel(counts_[2], cancellation_, [&](int z) {
      for (int y = 0; y < counts_[1]; ++y)
        isolume::filters::dual_step(row(extrapolated_, y, z), next_y(extrapolated_, y, z),
                                    next_z(extrapolated_, y, z), steps, counts_[0], vectors(y, z));
    });
    const double theta = 1 / std::sqrt(1 + 2 * lambda_ * primal_step_);
    in_parallel(counts_[2], cancellation_, [&](int z) {
      std::vector<float>& divergences = scratch();
      for (int y = 0; y < counts_[1]; ++y) {
        divergence_row(y, z, divergences.data());
        primal_step(divergences.data(), row(noisy_, y, z), static_cast<float>(primal_step_),
                    static_cast<float>(lambda_), static_cast<float>(theta), counts_[0], row(u_, y, z),
                    row(extrapolated_, y, z));
      }
    });
    primal_step_ *= theta;
    dual_step_ /= theta;
  }

  struct Energies {
    double primal, dual;
    double gap() const { return primal > 0 ? std::max(0.0, primal - dual) / primal : 0; }
  };
  Energies energies() {
    const double primal = sum_of_planes([this](int z) {
      std::vector<float>& lengths = scratch();
      double sum = 0;
      for (int y = 0; y < counts_[1]; ++y) {
        const float* here = row(u_, y, z);
        // The last difference along x is 0: it is left out, and added without one.
        difference_length({here, here, here}, {here + 1, next_y(u_, y, z), next_z(u_, y, z)}, inverse_,
                          counts_[0] - 1, lengths.data());
        const auto last = static_cast<std::size_t>(counts_[0]) - 1;
        const float* end = here + last;
        difference_length({end, end, end}, {end, next_y(u_, y, z) + last, next_z(u_, y, z) + last}, inverse_,
                          1, lengths.data() + last);
        sum += isolume::filters::sum(lengths.data(), counts_[0]) +
               0.5 * lambda_ * squared_distance(here, row(noisy_, y, z), counts_[0]);
      }
      return sum;
    });
    const double dual = sum_of_planes([this](int z) {
      std::vector<float>& divergences = scratch();
      double sum = 0;
      for (int y = 0; y < counts_[1]; ++y) {
        divergence_row(y, z, divergences.data());
        sum -= dual_sum(divergences.data(), row(noisy_, y, z), 0.5 / lambda_, counts_[0]);
      }
      return sum;
    });
    return {primal, dual};
  }

  FieldValues take() { return std::move(u_); }

 private:
  std::size_t index(int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts_[1]) +
            static_cast<std::size_t>(y)) *
           static_cast<std::size_t>(counts_[0]);
  }
  template <class Values>
  float* row(Values& values, int y, int z) const {
    return values.data() + index(y, z);
  }
  template <class Values>
  const float* row(const Values& values, int y, int z) const {
    return values.data() + index(y, z);
  }
  const float* next_y(const FieldValues& values, int y, int z) const {
    return row(values, std::min(y + 1, counts_[1] - 1), z);
  }
  const float* next_z(const FieldValues& values, int y, int z) const {
    return row(values, y, std::min(z + 1, counts_[2] - 1));
  }
  VectorRow<float> vectors(int y, int z) {
    return {row(p_.components[0], y, z), row(p_.components[1], y, z), row(p_.components[2], y, z)};
  }
  std::array<float, 3> steps_of(double step) const {
    std::array<float, 3> steps = inverse_;
    for (float& each : steps) each *= static_cast<float>(step);
    return steps;
  }
  void divergence_row(int y, int z, float* result) {
    const VectorRow<float> here = vectors(y, z);
    divergence({here[0], here[1], here[2]}, y > 0 ? row(p_.components[1], y - 1, z) : nullptr,
               z > 0 ? row(p_.components[2], y, z - 1) : nullptr, inverse_, counts_[0], result);
  }
  std::vector<float>& scratch() const {
    thread_local std::vector<float> numbers;
    numbers.resize(std::max(numbers.size(), static_cast<std::size_t>(counts_[0])));
    return numbers;
  }
  /// In an order that does not depend on threads.
  template <class SumOfPlane>
  double sum_of_planes(const SumOfPlane& sum_of_plane) {
    in_parallel(counts_[2], cancellation_,
                [&](int z) { sums_[static_cast<std::size_t>(z)] = sum_of_plane(z); });
    double total = 0;
    for (const double each : sums_) total += each;
    return total;
  }

  const FieldValues& noisy_;
  volumes::Counts counts_;
  double lambda_, bound_ = 1, primal_step_ = 1, dual_step_ = 1;
  std::array<float, 3> inverse_{};
  FieldValues u_, extrapolated_;
  volumes::VectorField p_;
  jobs::Progress cancellation_;  ///< iterations are reported, not their parts
  std::vector<double> sums_;
};

Filtered apply_total_variation(const grid::ScalarField& image, const TotalVariationParameters& parameters,
                               const jobs::Progress& progress) {
  constexpr int between_checks = 10;
  TotalVariation work(image.values, image.grid, parameters.fidelity, progress);
  TotalVariation::Energies energies{};
  int iterations = 0;
  for (bool is_done = false; !is_done;) {
    work.iterate();
    progress.report(static_cast<double>(++iterations) / parameters.iterations);
    is_done = iterations == parameters.iterations;
    if (is_done || iterations % between_checks == 0) {
      energies = work.energies();
      is_done = is_done || energies.gap() <= parameters.gap;
    }
  }
  Filtered result = like(image, work.take());
  result.report = {{"iterations", iterations},
                   {"energy", energies.primal},
                   {"dual_energy", energies.dual},
                   {"duality_gap", energies.gap()}};
  if (energies.gap() > parameters.gap) {
    result.remarks.warn(fmt::format(
        "total-variation: the duality gap after {} is {:.2g} of the energy, above {:.2g}. Raise iterations "
        "or lambda.",
        counted(static_cast<std::size_t>(iterations), "iteration"), energies.gap(), parameters.gap));
  }
  return result;
}

}  // namespace

FilterKind total_variation_filter() {
  return declare("total-variation", "Total variation",
                 "Removes noise and small structures and keeps edges sharp (Rudin, Osher and Fatemi).",
                 total_variation_schema(), apply_total_variation);
}

}  // namespace isolume::filters
