#include "core/regions/random_walker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::regions {
namespace {

constexpr float least_weight = 1e-6F;

/// The Laplacian of the links between voxels, and the sums that conjugate gradients need. Rows are tasks, and their
/// sums are added in order: the same bits on any number of threads.
class Laplacian {
 public:
  Laplacian(const SeededImage& image, const LinkWeights& weights)
      : n_(image.grid.dimensions),
        width_(static_cast<std::size_t>(n_[0])),
        strides_{1, width_, width_ * static_cast<std::size_t>(n_[1])},
        diagonal_(image.values.size()),
        sums_(image.values.size() / width_) {
    for (auto& each : links_) each.resize(image.values.size());
    for_rows([&](std::size_t row, std::size_t first) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t x = 0; x < width_; ++x) {
          const std::size_t i = first + x;
          links_[axis][i] =
              has_next(row, x, axis)
                  ? std::max(weights(image.values[i], image.values[i + strides_[axis]], axis), least_weight)
                  : 0;
        }
      }
    });
    for_rows([&](std::size_t row, std::size_t first) {
      for (std::size_t x = 0; x < width_; ++x) {
        float sum = 0;
        for_links(row, first, x, [&](std::size_t, float weight) { sum += weight; });
        diagonal_[first + x] = sum;
      }
    });
  }

  float diagonal(std::size_t i) const { return diagonal_[i]; }

  /// result = L x where there is no seed, 0 at seeds. Returns x . result.
  double apply(const FieldValues& x_values, std::span<const Label> seeds, FieldValues& result) {
    return sum_rows([&](std::size_t row, std::size_t first) {
      double sum = 0;
      for (std::size_t x = 0; x < width_; ++x) {
        const std::size_t i = first + x;
        if (seeds[i] != 0) {
          result[i] = 0;
          continue;
        }
        float value = diagonal_[i] * x_values[i];
        for_links(row, first, x, [&](std::size_t other, float weight) { value -= weight * x_values[other]; });
        result[i] = value;
        sum += static_cast<double>(value) * static_cast<double>(x_values[i]);
      }
      return sum;
    });
  }

  template <class Work>
  void for_rows(const Work& work) const {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, sums_.size(), 16), [&](const auto& part) {
      for (std::size_t row = part.begin(); row != part.end(); ++row) work(row, row * width_);
    });
  }
  /// Sum of what `work` returns for each row.
  template <class Work>
  double sum_rows(const Work& work) {
    for_rows([&](std::size_t row, std::size_t first) { sums_[row] = work(row, first); });
    return std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }
  std::size_t width() const { return width_; }

 private:
  bool has_next(std::size_t row, std::size_t x, std::size_t axis) const {
    const std::size_t height = static_cast<std::size_t>(n_[1]);
    const std::array<std::size_t, 3> at{x, row % height, row / height};
    return at[axis] + 1 < static_cast<std::size_t>(n_[axis]);
  }
  template <class Visit>
  void for_links(std::size_t row, std::size_t first, std::size_t x, const Visit& visit) const {
    const std::size_t i = first + x, height = static_cast<std::size_t>(n_[1]);
    const std::array<std::size_t, 3> at{x, row % height, row / height};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (at[axis] > 0) visit(i - strides_[axis], links_[axis][i - strides_[axis]]);
      if (at[axis] + 1 < static_cast<std::size_t>(n_[axis])) visit(i + strides_[axis], links_[axis][i]);
    }
  }

  std::array<int, 3> n_;
  std::size_t width_;
  std::array<std::size_t, 3> strides_;
  std::array<FieldValues, 3> links_;  ///< to the next voxel along each axis
  FieldValues diagonal_;
  std::vector<double> sums_;
};

/// Solves for the probability of one label. Returns the iterations.
int solve(Laplacian& laplacian, const SeededImage& image, Label label, double tolerance,
          FieldValues& solution, const jobs::Progress& progress) {
  const std::size_t voxels = image.values.size(), width = laplacian.width();
  FieldValues residual(voxels), direction(voxels, 0.F), image_of_direction(voxels);
  for (std::size_t i = 0; i < voxels; ++i) solution[i] = image.seeds[i] == label ? 1.F : 0.F;
  laplacian.apply(solution, image.seeds, residual);
  const auto preconditioned = [&](std::size_t i) { return residual[i] / laplacian.diagonal(i); };
  double product = laplacian.sum_rows([&](std::size_t, std::size_t first) {
    double sum = 0;
    for (std::size_t i = first; i < first + width; ++i) {
      if (image.seeds[i] != 0) continue;
      residual[i] = -residual[i];
      direction[i] = preconditioned(i);
      sum += static_cast<double>(residual[i]) * static_cast<double>(direction[i]);
    }
    return sum;
  });
  const double enough = tolerance * tolerance * product;
  const double start = std::log(std::max(product, 1e-300)),
               range = start - std::log(std::max(enough, 1e-300));
  int iterations = 0;
  while (product > enough) {
    progress.check();
    progress.report(std::clamp((start - std::log(product)) / range, 0.0, 1.0));
    // Rounding in float32 keeps the residual from falling for ever.
    const int most_iterations = 100 + 20 * static_cast<int>(std::sqrt(static_cast<double>(voxels)));
    if (++iterations > most_iterations) {
      throw Error(fmt::format(
          "The random walker's equations are not solved after {} iterations. Raise --edge.", iterations - 1));
    }
    const double curvature = laplacian.apply(direction, image.seeds, image_of_direction);
    const auto step = static_cast<float>(product / curvature);
    const double before = product;
    product = laplacian.sum_rows([&](std::size_t, std::size_t first) {
      double sum = 0;
      for (std::size_t i = first; i < first + width; ++i) {
        if (image.seeds[i] != 0) continue;
        solution[i] += step * direction[i];
        residual[i] -= step * image_of_direction[i];
        sum += static_cast<double>(residual[i]) * static_cast<double>(preconditioned(i));
      }
      return sum;
    });
    const auto keep = static_cast<float>(product / before);
    laplacian.for_rows([&](std::size_t, std::size_t first) {
      for (std::size_t i = first; i < first + width; ++i) {
        if (image.seeds[i] == 0) direction[i] = preconditioned(i) + keep * direction[i];
      }
    });
  }
  return iterations;
}

}  // namespace

Walked walk_randomly(const SeededImage& image, double edge, double tolerance,
                     const jobs::Progress& progress) {
  require_seeds(image, 2);
  const std::size_t voxels = image.values.size();
  std::vector<Label> used;
  for (int label = 1; label <= image.label_count(); ++label) {
    if (std::ranges::find(image.seeds, static_cast<Label>(label)) != image.seeds.end())
      used.push_back(static_cast<Label>(label));
  }
  dispatch::require_memory("The random walker", voxels * sizeof(float) * (8 + used.size()),
                           "Crop or resample the image.");
  const LinkWeights weights(image.grid, image.values, edge);
  Laplacian laplacian(image, weights);
  Walked result{
      .labels = std::vector<Label>(voxels), .probabilities = {}, .iterations = 0, .sigma = weights.sigma()};
  result.probabilities.resize(static_cast<std::size_t>(image.label_count()));
  for (std::size_t k = 0; k < used.size(); ++k) {
    FieldValues& own = result.probabilities[used[k] - 1U];
    own.assign(voxels, 1.F);
    if (k + 1 < used.size()) {
      const auto part = static_cast<double>(used.size() - 1);
      result.iterations +=
          solve(laplacian, image, used[k], tolerance, own,
                progress.part(static_cast<double>(k) / part, static_cast<double>(k + 1) / part));
      continue;
    }
    // Probabilities add up to 1.
    for (std::size_t before = 0; before < k; ++before) {
      const FieldValues& other = result.probabilities[used[before] - 1U];
      for (std::size_t i = 0; i < voxels; ++i) own[i] -= other[i];
    }
  }
  for (std::size_t i = 0; i < voxels; ++i) {
    Label best = used.front();
    for (const Label each : used) {
      if (result.probabilities[each - 1U][i] > result.probabilities[best - 1U][i]) best = each;
    }
    result.labels[i] = best;
  }
  return result;
}

}  // namespace isolume::regions
