#include "core/tomography/iterative.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/memory.h"

namespace isolume::tomography {
namespace {

using Blocks = tbb::blocked_range<std::size_t>;
constexpr std::size_t block_size = 1 << 16;

/// Calls act(begin, end) for parts of `count` numbers.
template <class Act>
void for_blocks(std::size_t count, const Act& act) {
  handover::parallel_for(Blocks(0, (count + block_size - 1) / block_size), [&](const Blocks& part) {
    for (std::size_t block = part.begin(); block != part.end(); ++block)
      act(block * block_size, std::min(count, (block + 1) * block_size));
  });
}

/// Sum of squares over columns of `length` numbers, one each `stride`: what lies between is not counted. The order
/// does not depend on threads.
double squared_norm(const FieldValues& values, std::size_t stride, int length) {
  const std::size_t columns = values.size() / stride;
  constexpr std::size_t together = 256;
  std::vector<double> sums((columns + together - 1) / together, 0.0);
  handover::parallel_for(Blocks(0, sums.size()), [&](const Blocks& part) {
    for (std::size_t block = part.begin(); block != part.end(); ++block) {
      for (std::size_t i = block * together; i < std::min(columns, (block + 1) * together); ++i) {
        const float* column = values.data() + i * stride;
        for (int k = 0; k < length; ++k)
          sums[block] += static_cast<double>(column[k]) * static_cast<double>(column[k]);
      }
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// to += factor * from
void add(FieldValues& to, double factor, const FieldValues& from) {
  const auto by = static_cast<float>(factor);
  for_blocks(to.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] += by * from[i];
  });
}

class Solver {
 public:
  Solver(const Projections& projections, const grid::Grid& grid, const IterativeParameters& parameters,
         const std::function<void(const Iterate&)>& show, const jobs::Progress& progress)
      : measured_(projections),
        projector_(projections.geometry, grid),
        parameters_(parameters),
        show_(show),
        progress_(progress),
        volume_(projector_.counts()) {
    if (parameters.iterations < 1) throw Error("At least one iteration is needed.");
    if (!(parameters.relaxation > 0 && parameters.relaxation < 2))
      throw Error("The relaxation has to lie between 0 and 2, or the iteration diverges.");
    measured_norm_ = std::sqrt(norm(measured_));
  }

  ColumnVolume run() {
    if (measured_norm_ == 0) return volume_;
    parameters_.method == IterativeMethod::cgls ? run_cgls() : run_os_sirt();
    return std::move(volume_);
  }

 private:
  double norm(const Projections& of) const { return squared_norm(of.values, of.stride, of.geometry.rows); }
  double norm(const ColumnVolume& of) const { return squared_norm(of.values, of.stride, of.counts[2]); }
  void show(int iteration, double squared_residual) const {
    if (show_) show_({iteration, std::sqrt(squared_residual) / measured_norm_, volume_});
  }
  jobs::Progress part(int iteration, double from, double to) const {
    return progress_.part((iteration + from) / parameters_.iterations,
                          (iteration + to) / parameters_.iterations);
  }

  void run_os_sirt() {
    const auto subsets =
        ordered_subsets(static_cast<int>(measured_.geometry.views.size()), parameters_.subsets);
    // Each subset keeps its sums of columns.
    dispatch::require_memory("OS-SIRT",
                             (3.0 + static_cast<double>(subsets.size())) *
                                 static_cast<double>(volume_.values.size() * sizeof(float)),
                             "Choose fewer voxels or fewer subsets.");
    ColumnVolume ones(volume_.counts), step(volume_.counts);
    std::fill(ones.values.begin(), ones.values.end(), 1.F);
    Projections sums(measured_.geometry), residual(measured_.geometry);
    std::vector<int> all(measured_.geometry.views.size());
    std::iota(all.begin(), all.end(), 0);
    projector_.forward(ones, all, sums, progress_.part(0, 0));
    const std::size_t view_size = sums.column_index(1, 0);
    // Rays that touch a corner alone would have large factors.
    const float least = 1e-3F * *std::ranges::max_element(sums.values);
    std::vector<FieldValues> factors(subsets.size());
    for (int iteration = 0; iteration < parameters_.iterations; ++iteration) {
      double squared = 0;
      for (std::size_t s = 0; s < subsets.size(); ++s) {
        const double at = static_cast<double>(s) / static_cast<double>(subsets.size()),
                     each = 1 / static_cast<double>(subsets.size());
        if (factors[s].empty()) {
          for (const int view : subsets[s]) std::fill_n(residual.column(view, 0), view_size, 1.F);
          projector_.adjoint(residual, subsets[s], step, progress_.part(0, 0));
          const float smallest = 1e-3F * *std::ranges::max_element(step.values);
          factors[s].resize(step.values.size());
          std::ranges::transform(step.values, factors[s].begin(),
                                 [smallest](float sum) { return sum > smallest ? 1 / sum : 0.F; });
        }
        projector_.forward(volume_, subsets[s], residual, part(iteration, at, at + each / 2));
        std::vector<double> view_sums(subsets[s].size(), 0.0);
        handover::parallel_for(tbb::blocked_range<std::size_t>(0, subsets[s].size()), [&](const auto& views) {
          for (std::size_t i = views.begin(); i != views.end(); ++i) {
            for (int u = 0; u < measured_.geometry.columns; ++u) {
              const float *wanted = measured_.column(subsets[s][i], u), *sum = sums.column(subsets[s][i], u);
              float* to = residual.column(subsets[s][i], u);
              for (int v = 0; v < measured_.geometry.rows; ++v) {
                const float difference = wanted[v] - to[v];
                view_sums[i] += static_cast<double>(difference) * static_cast<double>(difference);
                to[v] = sum[v] > least ? difference / sum[v] : 0.F;
              }
            }
          }
        });
        squared = std::accumulate(view_sums.begin(), view_sums.end(), squared);
        projector_.adjoint(residual, subsets[s], step, part(iteration, at + each / 2, at + each));
        const auto relaxation = static_cast<float>(parameters_.relaxation);
        for_blocks(volume_.values.size(), [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = begin; i < end; ++i) {
            const float value = volume_.values[i] + relaxation * factors[s][i] * step.values[i];
            volume_.values[i] = parameters_.is_positive && value < 0 ? 0.F : value;
          }
        });
      }
      show(iteration + 1, squared);
    }
  }

  void run_cgls() {
    std::vector<int> all(measured_.geometry.views.size());
    std::iota(all.begin(), all.end(), 0);
    Projections residual = measured_, image(measured_.geometry);
    ColumnVolume gradient(volume_.counts);
    projector_.adjoint(residual, all, gradient, progress_.part(0, 0));
    ColumnVolume direction = gradient;
    double squared = norm(gradient);
    for (int iteration = 0; iteration < parameters_.iterations && squared > 0; ++iteration) {
      projector_.forward(direction, all, image, part(iteration, 0, 0.4));
      const double step = squared / norm(image);
      if (!std::isfinite(step)) break;
      add(volume_.values, step, direction.values);
      add(residual.values, -step, image.values);
      show(iteration + 1, norm(residual));
      projector_.adjoint(residual, all, gradient, part(iteration, 0.4, 1));
      const double next = norm(gradient), factor = next / squared;
      squared = next;
      for_blocks(direction.values.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
          direction.values[i] = gradient.values[i] + static_cast<float>(factor) * direction.values[i];
      });
    }
  }

  const Projections& measured_;
  Projector projector_;
  const IterativeParameters parameters_;
  const std::function<void(const Iterate&)>& show_;
  const jobs::Progress& progress_;
  ColumnVolume volume_;
  double measured_norm_ = 0;
};

}  // namespace

std::vector<std::vector<int>> ordered_subsets(int views, int subsets) {
  subsets = std::clamp(subsets, 1, views);
  std::vector<std::vector<int>> all(static_cast<std::size_t>(subsets));
  // Subsets follow each other by steps of about the golden section of their number, without a common divisor.
  int step = std::max(1, static_cast<int>(std::lround(subsets * 0.381966)));
  while (std::gcd(step, subsets) != 1) ++step;
  for (int s = 0; s < subsets; ++s) {
    const int first = static_cast<int>(static_cast<std::int64_t>(s) * step % subsets);
    for (int view = first; view < views; view += subsets) all[static_cast<std::size_t>(s)].push_back(view);
  }
  return all;
}

ColumnVolume reconstruct_iteratively(const Projections& projections, const grid::Grid& grid,
                                     const IterativeParameters& parameters,
                                     const std::function<void(const Iterate&)>& show,
                                     const jobs::Progress& progress) {
  return Solver(projections, grid, parameters, show, progress).run();
}

}  // namespace isolume::tomography
