#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <itkBSplineControlPointImageFilter.h>
#include <itkN4BiasFieldCorrectionImageFilter.h>
#include <itkOtsuThresholdImageFilter.h>
#include <itkShrinkImageFilter.h>

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

ItkMask::Pointer mask_of(const grid::ScalarField& image, const ItkImage& itk_image, BiasMask mask,
                         Filtered& result) {
  double threshold = 0;
  if (mask == BiasMask::otsu) {
    const auto otsu = make_itk<itk::OtsuThresholdImageFilter<ItkImage, ItkMask>>();
    otsu->SetInput(&itk_image);
    run(*otsu, "bias", {});
    // Logarithms are taken of values above 0 alone.
    threshold = std::max(0.0, static_cast<double>(otsu->GetThreshold()));
  }
  result.report["mask_above"] = threshold;
  std::size_t inside = 0;
  auto chosen = copy_of<ItkMask>(image, [&](float value) {
    const bool is_inside = static_cast<double>(value) > threshold;
    inside += is_inside ? 1 : 0;
    return static_cast<std::uint8_t>(is_inside ? 1 : 0);
  });
  constexpr std::size_t fewest = 64;
  if (inside < fewest) {
    throw Error(fmt::format(
        "bias: {} of {} voxels are above {:.4g}, too few to fit a bias field to. Choose another mask, "
        "or an image of values above 0.",
        inside, image.values.size(), threshold));
  }
  return chosen;
}

template <class Image>
typename Image::Pointer shrunk(const typename Image::Pointer& image, int factor) {
  const auto shrink = make_itk<itk::ShrinkImageFilter<Image, Image>>();
  shrink->SetInput(image);
  const auto size = image->GetLargestPossibleRegion().GetSize();
  constexpr unsigned least = 8;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto most = static_cast<unsigned>(size[axis] / least);
    shrink->SetShrinkFactor(axis, std::clamp(most, 1U, static_cast<unsigned>(factor)));
  }
  run(*shrink, "bias", {});
  return shrink->GetOutput();
}

Filtered apply_bias(const grid::ScalarField& image, const BiasParameters& parameters,
                    const jobs::Progress& progress) {
  if (image.grid.dimensions[0] < 2 || image.grid.dimensions[1] < 2) {
    throw Error(
        "bias: at least two voxels are needed along the first and the second axis. Reorder the axes of a "
        "single slice.");
  }
  const grid::ScalarField deep = with_depth(image);
  const auto whole = view_of(deep);
  Filtered result = like(image, {});
  const auto mask = mask_of(deep, *whole, parameters.mask, result);
  const auto correction = make_itk<Correction>();
  correction->SetInput(shrunk<ItkImage>(whole, parameters.shrink));
  correction->SetMaskImage(shrunk<ItkMask>(mask, parameters.shrink));
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
  result.image.values = std::move(corrected);
  result.report["bias"] = {{"least", std::exp(low)}, {"greatest", std::exp(high)}};
  result.report["convergence"] = correction->GetCurrentConvergenceMeasurement();
  return result;
}

}  // namespace

FilterKind bias_filter() {
  return declare("bias", "Bias field correction (N4)",
                 "Removes the slow change of brightness across MR images (N. J. Tustison et al., IEEE Trans. "
                 "Med. Imaging "
                 "29, 1310, 2010), by ITK.",
                 bias_schema(), apply_bias);
}

}  // namespace isolume::filters
