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

/// The Laplacian of the links between voxels that are not seeds, and sums over voxels. Rows are tasks, and what they
/// sum is added in order: the same bits on any number of threads.
class Laplacian {
 public:
  Laplacian(const SeededImage& image, const LinkWeights& weights)
      : n_(image.grid.dimensions),
        width_(static_cast<std::size_t>(n_[0])),
        strides_{1, width_, width_ * static_cast<std::size_t>(n_[1])},
        none_(width_, 0.F),
        diagonal_(image.values.size()),
        free_(image.values.size()),
        sums_(image.values.size() / width_) {
    for (auto& each : links_) each.resize(image.values.size());
    for_rows([&](std::size_t row) {
      const std::size_t first = row * width_;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t count = axis == 0 ? width_ - 1 : has_next(row, axis) ? width_ : 0;
        const float* values = image.values.data() + first;
        float* links = links_[axis].data() + first;
        for (std::size_t x = 0; x < count; ++x)
          links[x] = std::max(weights(values[x], values[x + strides_[axis]], axis), least_weight);
        std::fill(links + count, links + width_, 0.F);
      }
    });
    for_rows([&](std::size_t row) {
      const std::size_t first = row * width_;
      const Neighbours rows = neighbours_of(row, none_.data());
      for (std::size_t x = 0; x < width_; ++x) {
        float sum = links_[0][first + x] + (x > 0 ? links_[0][first + x - 1] : 0);
        for (const float* each : rows.links) sum += each[x];
        diagonal_[first + x] = sum;
        free_[first + x] = image.seeds[first + x] == 0 ? 1.F : 0.F;
      }
    });
  }

  std::size_t size() const { return diagonal_.size(); }
  /// result = L values where there is no seed, 0 at seeds. Returns values . result.
  double apply(const FieldValues& values, FieldValues& result) {
    return sum_rows([&](std::size_t row) {
      const std::size_t first = row * width_;
      const Neighbours rows = neighbours_of(row, values.data());
      const float *own = values.data() + first, *diagonal = diagonal_.data() + first,
                  *along = links_[0].data() + first, *is_free = free_.data() + first;
      float* to = result.data() + first;
      for (std::size_t x = 0; x < width_; ++x) {
        to[x] = diagonal[x] * own[x] - rows.links[0][x] * rows.values[0][x] -
                rows.links[1][x] * rows.values[1][x] - rows.links[2][x] * rows.values[2][x] -
                rows.links[3][x] * rows.values[3][x];
      }
      for (std::size_t x = 0; x + 1 < width_; ++x) to[x] -= along[x] * own[x + 1];
      for (std::size_t x = 1; x < width_; ++x) to[x] -= along[x - 1] * own[x - 1];
      for (std::size_t x = 0; x < width_; ++x) to[x] *= is_free[x];
      return dot(to, own);
    });
  }
  /// direction = residual / diagonal + keep direction; 0 at seeds.
  void turn(const FieldValues& residual, float keep, FieldValues& direction) const {
    for_rows([&](std::size_t row) {
      for (std::size_t i = row * width_; i < (row + 1) * width_; ++i)
        direction[i] = free_[i] * (residual[i] / diagonal_[i]) + keep * direction[i];
    });
  }
  /// solution += step direction, residual -= step change. Returns residual . residual / diagonal.
  double advance(float step, const FieldValues& direction, const FieldValues& change, FieldValues& solution,
                 FieldValues& residual) {
    return sum_rows([&](std::size_t row) {
      const std::size_t first = row * width_;
      for (std::size_t i = first; i < first + width_; ++i) {
        solution[i] += step * direction[i];
        residual[i] -= step * change[i];
      }
      return squares(residual.data() + first, diagonal_.data() + first);
    });
  }
  double squares(const FieldValues& residual) {
    return sum_rows([&](std::size_t row) {
      return squares(residual.data() + row * width_, diagonal_.data() + row * width_);
    });
  }

 private:
  /// Rows before and behind along y and z, with the links to them; where there is none, links are 0.
  struct Neighbours {
    std::array<const float*, 4> links, values;
  };
  Neighbours neighbours_of(std::size_t row, const float* values) const {
    const std::size_t first = row * width_;
    const bool is_values = values != none_.data();
    Neighbours rows{};
    for (std::size_t axis = 1; axis < 3; ++axis) {
      const std::size_t stride = strides_[axis], before = 2 * (axis - 1);
      const bool has_before =
          axis == 1 ? row % static_cast<std::size_t>(n_[1]) > 0 : row >= static_cast<std::size_t>(n_[1]);
      rows.links[before] = has_before ? links_[axis].data() + first - stride : none_.data();
      rows.links[before + 1] = links_[axis].data() + first;
      rows.values[before] = has_before && is_values ? values + first - stride : none_.data();
      rows.values[before + 1] = has_next(row, axis) && is_values ? values + first + stride : none_.data();
    }
    return rows;
  }
  bool has_next(std::size_t row, std::size_t axis) const {
    const auto height = static_cast<std::size_t>(n_[1]);
    return axis == 1 ? row % height + 1 < height : row / height + 1 < static_cast<std::size_t>(n_[2]);
  }
  /// Sums of a row in double precision, in lanes that compilers make vectors of.
  template <class Term>
  double sum_row(const Term& term) const {
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums{};
    std::size_t x = 0;
    for (; x + lanes <= width_; x += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += term(x + lane);
    }
    for (; x < width_; ++x) sums[0] += term(x);
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  double dot(const float* a, const float* b) const {
    return sum_row([&](std::size_t x) { return static_cast<double>(a[x]) * static_cast<double>(b[x]); });
  }
  double squares(const float* residual, const float* diagonal) const {
    return sum_row([&](std::size_t x) {
      return static_cast<double>(residual[x]) * static_cast<double>(residual[x] / diagonal[x]);
    });
  }
  template <class Work>
  void for_rows(const Work& work) const {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, sums_.size(), 16), [&](const auto& part) {
      for (std::size_t row = part.begin(); row != part.end(); ++row) work(row);
    });
  }
  /// Sum of what `work` returns for each row.
  template <class Work>
  double sum_rows(const Work& work) {
    for_rows([&](std::size_t row) { sums_[row] = work(row); });
    return std::accumulate(sums_.begin(), sums_.end(), 0.0);
  }

  std::array<int, 3> n_;
  std::size_t width_;
  std::array<std::size_t, 3> strides_;
  FieldValues none_;                  ///< a row of zeros
  std::array<FieldValues, 3> links_;  ///< to the next voxel along each axis; 0 at the last one
  FieldValues diagonal_, free_;       ///< free_: 0 at seeds, 1 elsewhere
  std::vector<double> sums_;
};

/// Solves for the probability of one label, which is 1 and 0 at seeds. Returns the iterations.
int solve(Laplacian& laplacian, double tolerance, FieldValues& solution, const jobs::Progress& progress) {
  const std::size_t voxels = laplacian.size();
  FieldValues residual(voxels), direction(voxels, 0.F), change(voxels);
  laplacian.apply(solution, residual);
  for (float& each : residual) each = -each;
  double product = laplacian.squares(residual);
  const double enough = tolerance * tolerance * product;
  laplacian.turn(residual, 0, direction);
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
    const double curvature = laplacian.apply(direction, change);
    const double before = product;
    product =
        laplacian.advance(static_cast<float>(product / curvature), direction, change, solution, residual);
    laplacian.turn(residual, static_cast<float>(product / before), direction);
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
  dispatch::require_memory("The random walker", voxels * sizeof(float) * (9 + used.size()),
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
      for (std::size_t i = 0; i < voxels; ++i) own[i] = image.seeds[i] == used[k] ? 1.F : 0.F;
      const auto part = static_cast<double>(used.size() - 1);
      result.iterations +=
          solve(laplacian, tolerance, own,
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
