#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <itkBSplineControlPointImageFilter.h>
#include <itkN4BiasFieldCorrectionImageFilter.h>

#include "core/base/error.h"
#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/itk_image.h"

namespace isolume::filters {
namespace {

enum class BiasMask { otsu, positive };

struct BiasParameters {
  double spline_distance_mm = 200;
  int levels = 4;
  int iterations = 50;
  int shrink = 4;
  double convergence = 1e-3;
  BiasMask mask = BiasMask::otsu;
};

const Schema<BiasParameters>& bias_schema() {
  using P = BiasParameters;
  static const Schema<P> schema({
      field("spline-distance", &P::spline_distance_mm, "Distance of control points")
          .unit("mm")
          .range(1, 10000)
          .usual(20, 400)
          .help("Distance of the control points of the bias field at the first level; half of it at each "
                "next one."),
      field("levels", &P::levels, "Levels").range(1, 8).help("Resolutions of the bias field."),
      field("iterations", &P::iterations, "Iterations")
          .range(1, 1000)
          .usual(5, 100)
          .help("Most iterations of a level."),
      field("shrink", &P::shrink, "Shrink factor")
          .range(1, 16)
          .help("The field is fitted to every n-th voxel along each axis that has at least 8 n of them."),
      field("convergence", &P::convergence, "Convergence")
          .logarithmic()
          .range(1e-9, 1)
          .help("Ends a level when the bias field changes by less than this (coefficient of variation)."),
      field("mask", &P::mask, "Mask",
            {{"otsu", "Values above Otsu's threshold"}, {"positive", "Values above 0"}})
          .help("Voxels that the field is fitted to. All voxels are corrected."),
  });
  return schema;
}

using Correction = itk::N4BiasFieldCorrectionImageFilter<ItkImage, ItkMask, ItkImage>;

/// The image; a single slice twice, since splines need a length along each axis.
grid::ScalarField with_depth(const grid::ScalarField& image) {
  grid::ScalarField result = image;
  if (image.grid.dimensions[2] > 1) return result;
  result.grid.dimensions[2] = 2;
  FieldValues twice(image.values);
  twice.insert(twice.end(), image.values.begin(), image.values.end());
  result.values = std::move(twice);
  return result;
}

/// Voxels on a coarser grid: one in each cell of `factors` voxels.
struct Sampled {
  std::array<int, 3> factors{1, 1, 1};
  grid::ScalarField image;
};

Sampled sampled(const grid::ScalarField& image, int shrink) {
  constexpr int least = 8;  // voxels that are left along an axis
  Sampled result{.image = {.grid = image.grid, .values = {}, .name = {}, .unit = {}}};
  std::array<int, 3> first{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int count = image.grid.dimensions[axis], factor = std::clamp(count / least, 1, shrink);
    result.factors[axis] = factor;
    result.image.grid.dimensions[axis] = count / factor;
    result.image.grid.set_spacing(static_cast<int>(axis),
                                  image.grid.spacing(static_cast<int>(axis)) * factor);
    first[axis] = factor / 2;
  }
  const auto& counts = result.image.grid.dimensions;
  for (int z = 0; z < counts[2]; ++z) {
    for (int y = 0; y < counts[1]; ++y) {
      for (int x = 0; x < counts[0]; ++x) {
        result.image.values.push_back(image.at(first[0] + x * result.factors[0],
                                               first[1] + y * result.factors[1],
                                               first[2] + z * result.factors[2]));
      }
    }
  }
  return result;
}

/// The threshold that divides the values into two classes of the least variance within (N. Otsu, IEEE Trans. Syst. Man
/// Cybern. 9, 62, 1979), from 256 bins.
double otsu_threshold(std::span<const float> values) {
  constexpr std::size_t bins = 256;
  const auto [low, high] = std::ranges::minmax(values);
  const double width = (static_cast<double>(high) - static_cast<double>(low)) / bins;
  if (!(width > 0)) return static_cast<double>(low);
  std::array<double, bins> counts{};
  for (const float each : values) {
    const auto bin = static_cast<std::size_t>((static_cast<double>(each) - static_cast<double>(low)) / width);
    ++counts[std::min(bin, bins - 1)];
  }
  double total = 0;
  for (std::size_t i = 0; i < bins; ++i) total += counts[i] * static_cast<double>(i);
  const auto all = static_cast<double>(values.size());
  double below = 0, sum_below = 0, best = -1;
  std::size_t best_bin = 0;
  for (std::size_t i = 0; i + 1 < bins; ++i) {
    below += counts[i];
    sum_below += counts[i] * static_cast<double>(i);
    if (below == 0 || below == all) continue;
    const double distance = sum_below / below - (total - sum_below) / (all - below);
    const double between = below * (all - below) * distance * distance;
    if (between > best) {
      best = between;
      best_bin = i;
    }
  }
  return static_cast<double>(low) + static_cast<double>(best_bin + 1) * width;
}

/// Voxels above a threshold.
ItkMask::Pointer mask_above(const grid::ScalarField& image, double threshold) {
  std::size_t inside = 0;
  auto mask = copy_of<ItkMask>(image, [&](float value) {
    const bool is_inside = static_cast<double>(value) > threshold;
    inside += is_inside ? 1 : 0;
    return static_cast<std::uint8_t>(is_inside ? 1 : 0);
  });
  constexpr std::size_t fewest = 64;
  if (inside < fewest) {
    throw Error(fmt::format(
        "bias: {} of {} voxels are above {:.4g}, too few to fit a bias field to. Choose another mask, a "
        "smaller shrink factor, or an image of values above 0.",
        inside, image.values.size(), threshold));
  }
  return mask;
}

Filtered apply_bias(const grid::ScalarField& image, const BiasParameters& parameters,
                    const jobs::Progress& progress) {
  if (image.grid.dimensions[0] < 2 || image.grid.dimensions[1] < 2) {
    throw Error(
        "bias: at least two voxels are needed along the first and the second axis. Reorder the axes of a "
        "single slice.");
  }
  const grid::ScalarField deep = with_depth(image);
  const Sampled samples = sampled(deep, parameters.shrink);
  // Logarithms are taken of values above 0 alone.
  const double threshold =
      parameters.mask == BiasMask::otsu ? std::max(0.0, otsu_threshold(samples.image.values.host())) : 0;
  const auto correction = make_itk<Correction>();
  correction->SetInput(view_of(samples.image));
  correction->SetMaskImage(mask_above(samples.image, threshold));
  Correction::ArrayType control_points, levels;
  levels.Fill(static_cast<unsigned>(parameters.levels));
  for (unsigned axis = 0; axis < 3; ++axis) {
    const double length = deep.grid.spacing(static_cast<int>(axis)) * (deep.grid.dimensions[axis] - 1);
    control_points[axis] =
        static_cast<unsigned>(std::max(1.0, std::ceil(length / parameters.spline_distance_mm))) +
        correction->GetSplineOrder();
  }
  correction->SetNumberOfControlPoints(control_points);
  correction->SetNumberOfFittingLevels(levels);
  Correction::VariableSizeArrayType iterations(static_cast<unsigned>(parameters.levels));
  iterations.Fill(static_cast<unsigned>(parameters.iterations));
  correction->SetMaximumNumberOfIterations(iterations);
  correction->SetConvergenceThreshold(static_cast<float>(parameters.convergence));
  run(*correction, "bias", progress.part(0, 0.8), parameters.levels * parameters.iterations);

  const auto field =
      make_itk<itk::BSplineControlPointImageFilter<Correction::BiasFieldControlPointLatticeType,
                                                   Correction::ScalarImageType>>();
  field->SetInput(correction->GetLogBiasFieldControlPointLattice());
  field->SetSplineOrder(correction->GetSplineOrder());
  const auto whole = on_grid<ItkImage>(deep.grid);
  field->SetSize(whole->GetLargestPossibleRegion().GetSize());
  field->SetSpacing(whole->GetSpacing());
  field->SetOrigin(whole->GetOrigin());
  run(*field, "bias", progress.part(0.8, 1));
  const auto* logarithms = field->GetOutput()->GetBufferPointer();
  const FieldValues& values = image.values;
  FieldValues corrected(values.size());
  float low = logarithms[0][0], high = low;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float logarithm = logarithms[i][0];
    low = std::min(low, logarithm);
    high = std::max(high, logarithm);
    corrected[i] = values[i] / std::exp(logarithm);
  }
  Filtered result = like(image, std::move(corrected));
  result.report["mask_above"] = threshold;
  result.report["fitted_to_every"] = samples.factors;
  result.report["bias"] = {{"least", std::exp(low)}, {"greatest", std::exp(high)}};
  result.report["convergence"] = correction->GetCurrentConvergenceMeasurement();
  return result;
}

}  // namespace

FilterKind bias_filter() {
  return declare("bias", "Bias field correction (N4)",
                 "Removes the slow change of brightness across MR images (N. J. Tustison et al., IEEE Trans. "
                 "Med. Imaging 29, 1310, 2010), by ITK.",
                 bias_schema(), apply_bias);
}

}  // namespace isolume::filters
