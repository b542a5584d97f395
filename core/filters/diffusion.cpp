#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/stencil_kernels.h"

namespace isolume::filters {
namespace {

struct DiffusionParameters {
  double edge = 50;
  int iterations = 10;
  double time_step_mm2 = 0;
  Conductance conductance = Conductance::exponential;
};

const Schema<DiffusionParameters>& diffusion_schema() {
  using P = DiffusionParameters;
  static const Schema<P> schema({
      field("edge", &P::edge, "Edge strength")
          .unit("1/mm")
          .logarithmic()
          .range(1e-6, 1e9)
          .usual(1, 1000)
          .help("Gradient k, in the unit of the image per mm, above which an edge is kept rather than "
                "smoothed."),
      field("iterations", &P::iterations, "Iterations")
          .range(1, 10000)
          .usual(1, 100)
          .help("Time steps. The effect grows with their number times their length."),
      field("time-step", &P::time_step_mm2, "Time step")
          .unit("mm^2")
          .range(0, 1e6)
          .special(0, "Longest stable one")
          .help("Length of a step. Flat regions are smoothed as by a Gaussian of the variance 2 x time."),
      field("conductance", &P::conductance, "Conductance",
            {{"exponential", "exp(-(g/k)^2)"}, {"rational", "1/(1 + (g/k)^2)"}})
          .help("How smoothing falls with the gradient g. The exponential one prefers high edges, the "
                "rational one wide regions."),
  });
  return schema;
}

/// The longest explicit step for which each new value is a weighted mean of old ones (maximum principle).
double longest_step(const grid::Grid& grid) {
  double sum = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double spacing = grid.spacing(static_cast<int>(axis));
    if (grid.dimensions[axis] > 1) sum += 2 / (spacing * spacing);
  }
  return sum > 0 ? 1 / sum : 1;
}

/// One step of I <- I + dt div(c(|dI|) dI), with fluxes between neighbours, which keeps the sum of all values; no flux
/// through the border.
class DiffusionStep {
 public:
  DiffusionStep(const grid::Grid& grid, const DiffusionParameters& parameters, double time_step)
      : counts_(grid.dimensions), conductance_(parameters.conductance) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double spacing = grid.spacing(static_cast<int>(axis));
      scales_[axis] = static_cast<float>(1 / (spacing * parameters.edge));
      factors_[axis] = static_cast<float>(time_step / (spacing * spacing));
    }
  }

  void run(const float* image, float* result, const jobs::Progress& progress) const {
    // Blocks of rows and planes: the fluxes into the next plane stay in a cache.
    constexpr int rows = 16, planes = 16;
    const int across = (counts_[1] + rows - 1) / rows, deep = (counts_[2] + planes - 1) / planes;
    in_parallel(across * deep, progress, [&](int i) {
      const int y = i % across * rows, z = i / across * planes;
      run_block(image, {y, std::min(y + rows, counts_[1])}, {z, std::min(z + planes, counts_[2])}, result);
    });
  }

 private:
  using Range = std::array<int, 2>;

  void run_block(const float* image, Range ys, Range zs, float* result) const {
    const auto width = static_cast<std::size_t>(counts_[0]);
    thread_local FieldValues memory;
    memory.resize(std::max(memory.size(), width * (static_cast<std::size_t>(ys[1] - ys[0]) + 4) + 1));
    float* along_x = memory.data();
    std::array<float*, 2> along_y{along_x + width + 1, along_x + 2 * width + 1};
    float* new_z = along_y[1] + width;
    float* old_z = new_z + width;  // one for each row
    const auto at = [&](int y, int z) {
      return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts_[1]) +
              static_cast<std::size_t>(y)) *
             width;
    };
    const auto flux_between = [&](std::size_t axis, std::size_t from, std::size_t to, float* fluxes) {
      flux(conductance_, image + from, image + to, scales_[axis], factors_[axis], counts_[0], fluxes);
    };
    for (int y = ys[0]; y < ys[1]; ++y) {
      float* row = old_z + static_cast<std::size_t>(y - ys[0]) * width;
      if (zs[0] == 0) {
        std::fill_n(row, width, 0.F);
      } else {
        flux_between(2, at(y, zs[0] - 1), at(y, zs[0]), row);
      }
    }
    for (int z = zs[0]; z < zs[1]; ++z) {
      if (ys[0] == 0) {
        std::fill_n(along_y[0], width, 0.F);
      } else {
        flux_between(1, at(ys[0] - 1, z), at(ys[0], z), along_y[0]);
      }
      for (int y = ys[0]; y < ys[1]; ++y) {
        const std::size_t here = at(y, z);
        along_x[0] = along_x[width] = 0;
        flux(conductance_, image + here, image + here + 1, scales_[0], factors_[0], counts_[0] - 1,
             along_x + 1);
        if (y + 1 == counts_[1]) {
          std::fill_n(along_y[1], width, 0.F);
        } else {
          flux_between(1, here, at(y + 1, z), along_y[1]);
        }
        if (z + 1 == counts_[2]) {
          std::fill_n(new_z, width, 0.F);
        } else {
          flux_between(2, here, at(y, z + 1), new_z);
        }
        float* before = old_z + static_cast<std::size_t>(y - ys[0]) * width;
        add_divergence(image + here, along_x, {along_y[0], along_y[1]}, {before, new_z}, counts_[0],
                       result + here);
        std::copy_n(new_z, width, before);
        std::swap(along_y[0], along_y[1]);
      }
    }
  }

  std::array<int, 3> counts_;
  Conductance conductance_;
  std::array<float, 3> scales_{}, factors_{};
};

Filtered apply_diffusion(const grid::ScalarField& image, const DiffusionParameters& parameters,
                         const jobs::Progress& progress) {
  const double longest = longest_step(image.grid);
  const double time_step = parameters.time_step_mm2 > 0 ? parameters.time_step_mm2 : longest;
  if (time_step > longest * (1 + 1e-9)) {
    throw Error(fmt::format(
        "time-step: {} mm^2 is unstable on voxels of {:.4g} x {:.4g} x {:.4g} mm. Give at most {:.6g}.",
        time_step, image.grid.spacing(0), image.grid.spacing(1), image.grid.spacing(2), longest));
  }
  const DiffusionStep step(image.grid, parameters, time_step);
  FieldValues now = copy_in_parallel(image.values.host()), next(now.size());
  for (int i = 0; i < parameters.iterations; ++i) {
    step.run(now.data(), next.data(),
             progress.part(static_cast<double>(i) / parameters.iterations,
                           static_cast<double>(i + 1) / parameters.iterations));
    now.swap(next);
  }
  Filtered result = like(image, std::move(now));
  const double time = time_step * parameters.iterations;
  result.report = {{"time_step_mm2", time_step},
                   {"longest_time_step_mm2", longest},
                   {"time_mm2", time},
                   {"gaussian_sigma_mm", std::sqrt(2 * time)}};
  return result;
}

}  // namespace

FilterKind diffusion_filter() {
  return declare("diffusion", "Anisotropic diffusion",
                 "Smooths regions and keeps the edges between them (P. Perona, J. Malik, IEEE Trans. Pattern "
                 "Anal. Mach. Intell. 12, 629, 1990). The mean value stays.",
                 diffusion_schema(), apply_diffusion);
}

}  // namespace isolume::filters
