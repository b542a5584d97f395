#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <itkFlatStructuringElement.h>
#include <itkGrayscaleDilateImageFilter.h>
#include <itkGrayscaleErodeImageFilter.h>
#include <itkHistogramMatchingImageFilter.h>

#include "core/base/error.h"
#include "core/filters/declare.h"
#include "core/filters/itk_image.h"
#include "core/image_files/read_image.h"

namespace isolume::filters {
namespace {

enum class Shape { ball, box };

struct MorphologyParameters {
  double radius_mm = 1;
  Shape shape = Shape::ball;
};

const Schema<MorphologyParameters>& morphology_schema() {
  using P = MorphologyParameters;
  static const Schema<P> schema({
      field("radius", &P::radius_mm, "Radius")
          .unit("mm")
          .range(0, 1000)
          .usual(0, 20)
          .help("Radius of the structuring element, rounded to whole voxels along each axis."),
      field("shape", &P::shape, "Shape", {{"ball", "Ball"}, {"box", "Box"}})
          .help("Shape of the structuring element."),
  });
  return schema;
}

using Element = itk::FlatStructuringElement<3>;
using Erosion = itk::GrayscaleErodeImageFilter<ItkImage, ItkImage, Element>;
using Dilation = itk::GrayscaleDilateImageFilter<ItkImage, ItkImage, Element>;

template <class Step>
ItkImage::Pointer step(const ItkImage::Pointer& image, const Element& element, std::string_view name,
                       const jobs::Progress& progress) {
  const auto filter = make_itk<Step>();
  filter->SetInput(image);
  filter->SetKernel(element);
  run(*filter, name, progress);
  return filter->GetOutput();
}

/// One or two steps; voxels beyond the border have no effect.
template <class First, class Second = void>
Filtered apply_morphology(const grid::ScalarField& image, const MorphologyParameters& parameters,
                          const jobs::Progress& progress) {
  const auto radius = radius_in_voxels(image.grid, parameters.radius_mm, "radius");
  Element::RadiusType size;
  for (unsigned axis = 0; axis < 3; ++axis) size[axis] = static_cast<itk::SizeValueType>(radius[axis]);
  const Element element = parameters.shape == Shape::ball ? Element::Ball(size) : Element::Box(size);
  constexpr bool is_double = !std::is_void_v<Second>;
  ItkImage::Pointer result =
      step<First>(view_of(image), element, "morphology", progress.part(0, is_double ? 0.5 : 1));
  if constexpr (is_double) result = step<Second>(result, element, "morphology", progress.part(0.5, 1));
  Filtered filtered = like(image, values_of(*result));
  filtered.report["radius_voxels"] = radius;
  return filtered;
}

struct HistogramParameters {
  std::string reference;
  int levels = 256;
  int points = 15;
  bool foreground = true;
};

const Schema<HistogramParameters>& histogram_schema() {
  using P = HistogramParameters;
  static const Schema<P> schema({
      field("reference", &P::reference, "Reference").help("File of the image whose values are matched."),
      field("levels", &P::levels, "Bins").range(2, 65536).usual(64, 1024).help("Bins of the histograms."),
      field("points", &P::points, "Quantiles")
          .range(1, 10000)
          .usual(1, 50)
          .help("Quantiles that are matched."),
      field("foreground", &P::foreground, "Foreground alone")
          .help("Matches the quantiles of values above the mean of each image, without the background."),
  });
  return schema;
}

Filtered apply_histogram(const grid::ScalarField& image, const HistogramParameters& parameters,
                         const jobs::Progress& progress) {
  if (parameters.reference.empty())
    throw Error("match-histogram: there is no reference image. Give reference=FILE.");
  const images::Document document = images::read_image(parameters.reference, {}, progress.part(0, 0.3));
  const grid::ScalarField reference = images::field_of(document.volume);
  if (!std::ranges::all_of(reference.values, [](float each) { return std::isfinite(each); })) {
    throw InputError(parameters.reference, 0, "some of its values are not finite (NaN or infinite)",
                     "Choose another reference image.");
  }
  const auto matching = make_itk<itk::HistogramMatchingImageFilter<ItkImage, ItkImage>>();
  matching->SetSourceImage(view_of(image));
  matching->SetReferenceImage(view_of(reference));
  matching->SetNumberOfHistogramLevels(static_cast<itk::SizeValueType>(parameters.levels));
  matching->SetNumberOfMatchPoints(static_cast<itk::SizeValueType>(parameters.points));
  matching->SetThresholdAtMeanIntensity(parameters.foreground);
  run(*matching, "match-histogram", progress.part(0.3, 1));
  Filtered result = like(image, values_of(*matching->GetOutput()));
  result.image.unit = reference.unit;
  for (const Remark& each : document.remarks)
    result.remarks.add(each.kind, fmt::format("{}: {}", parameters.reference, each.text), each.count);
  return result;
}

}  // namespace

FilterKind erosion_filter() {
  return declare("erode", "Erosion", "Takes the least value within the structuring element, by ITK.",
                 morphology_schema(), apply_morphology<Erosion>);
}

FilterKind dilation_filter() {
  return declare("dilate", "Dilation", "Takes the greatest value within the structuring element, by ITK.",
                 morphology_schema(), apply_morphology<Dilation>);
}

FilterKind opening_filter() {
  return declare("open", "Opening",
                 "An erosion, then a dilation: removes bright structures that are smaller, by ITK.",
                 morphology_schema(), apply_morphology<Erosion, Dilation>);
}

FilterKind closing_filter() {
  return declare("close", "Closing",
                 "A dilation, then an erosion: fills dark structures that are smaller, by ITK.",
                 morphology_schema(), apply_morphology<Dilation, Erosion>);
}

FilterKind histogram_filter() {
  FilterKind kind = declare("match-histogram", "Histogram matching",
                            "Maps values so that their quantiles are those of a reference image, by ITK.",
                            histogram_schema(), apply_histogram);
  kind.needs_right_angles = false;
  return kind;
}

}  // namespace isolume::filters
