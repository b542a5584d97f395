#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <itkConnectedComponentImageFilter.h>
#include <itkMorphologicalWatershedImageFilter.h>
#include <itkRelabelComponentImageFilter.h>

#include "core/base/error.h"
#include "core/filters/declare.h"
#include "core/filters/itk_image.h"

namespace isolume::filters {
namespace {

constexpr std::uint32_t most_labels = 1U << 24U;  ///< that floats count

enum class Connectivity { faces, full };

constexpr const char* connectivity_help =
    "Neighbours of a voxel: those that share a face, or all 26 (8 in a slice).";

struct ComponentsParameters {
  Connectivity connectivity = Connectivity::faces;
  double least_volume_mm3 = 0;
};

const Schema<ComponentsParameters>& components_schema() {
  using P = ComponentsParameters;
  static const Schema<P> schema({
      field("connectivity", &P::connectivity, "Connectivity",
            {{"faces", "Faces"}, {"full", "Faces, edges, corners"}})
          .help(connectivity_help),
      field("least-volume", &P::least_volume_mm3, "Least volume")
          .unit("mm^3")
          .range(0, 1e12)
          .usual(0, 1e5)
          .help("Components of a smaller volume become background."),
  });
  return schema;
}

void require_labels(std::size_t count, const char* name) {
  if (count > most_labels) {
    throw Error(fmt::format("{}: there are {} labels, and an image holds at most {}. Smooth the image first.",
                            name, count, most_labels));
  }
}

Filtered apply_components(const grid::ScalarField& image, const ComponentsParameters& parameters,
                          const jobs::Progress& progress) {
  const auto components = make_itk<itk::ConnectedComponentImageFilter<ItkMask, ItkLabels>>();
  components->SetInput(
      copy_of<ItkMask>(image, [](float value) { return static_cast<std::uint8_t>(value != 0 ? 1 : 0); }));
  components->SetFullyConnected(parameters.connectivity == Connectivity::full);
  run(*components, "components", progress.part(0, 0.5));
  const auto sorted = make_itk<itk::RelabelComponentImageFilter<ItkLabels, ItkLabels>>();
  sorted->SetInput(components->GetOutput());
  const double voxel_mm3 = image.grid.cell_volume();
  sorted->SetMinimumObjectSize(
      static_cast<itk::SizeValueType>(std::ceil(parameters.least_volume_mm3 / voxel_mm3)));
  run(*sorted, "components", progress.part(0.5, 1));
  const std::size_t count = sorted->GetNumberOfObjects(), all = sorted->GetOriginalNumberOfObjects();
  require_labels(count, "components");
  Filtered result = like(image, values_of(*sorted->GetOutput()));
  result.image.unit.clear();
  constexpr std::size_t most_listed = 20;
  auto volumes = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < std::min(count, most_listed); ++i)
    volumes.push_back(static_cast<double>(sorted->GetSizeOfObjectsInPixels()[i]) * voxel_mm3);
  result.report = {
      {"components", count}, {"smaller_components", all - count}, {"volumes_mm3", std::move(volumes)}};
  return result;
}

struct WatershedParameters {
  double level = 0;
  bool lines = false;
  Connectivity connectivity = Connectivity::faces;
};

const Schema<WatershedParameters>& watershed_schema() {
  using P = WatershedParameters;
  static const Schema<P> schema({
      field("level", &P::level, "Level")
          .range(0, 1e9)
          .usual(0, 1000)
          .help("Basins that are shallower than this are joined, in the unit of the image."),
      field("lines", &P::lines, "Lines").help("Sets the voxels between two basins to 0."),
      field("connectivity", &P::connectivity, "Connectivity",
            {{"faces", "Faces"}, {"full", "Faces, edges, corners"}})
          .help(connectivity_help),
  });
  return schema;
}

Filtered apply_watershed(const grid::ScalarField& image, const WatershedParameters& parameters,
                         const jobs::Progress& progress) {
  const auto watershed = make_itk<itk::MorphologicalWatershedImageFilter<ItkImage, ItkLabels>>();
  watershed->SetInput(view_of(image));
  watershed->SetLevel(static_cast<float>(parameters.level));
  watershed->SetMarkWatershedLine(parameters.lines);
  watershed->SetFullyConnected(parameters.connectivity == Connectivity::full);
  run(*watershed, "watershed", progress);
  const ItkLabels& labels = *watershed->GetOutput();
  const std::uint32_t* begin = labels.GetBufferPointer();
  const std::uint32_t count = *std::max_element(begin, begin + image.values.size());
  require_labels(count, "watershed");
  Filtered result = like(image, values_of(labels));
  result.image.unit.clear();
  result.report["basins"] = count;
  return result;
}

}  // namespace

FilterKind components_filter() {
  FilterKind kind =
      declare("components", "Connected components",
              "Numbers the connected regions of voxels that are not 0, the largest one first, by ITK.",
              components_schema(), apply_components);
  kind.needs_right_angles = false;
  return kind;
}

FilterKind watershed_filter() {
  FilterKind kind =
      declare("watershed", "Watershed",
              "Divides the image into basins around its minima, best of a gradient magnitude, by ITK.",
              watershed_schema(), apply_watershed);
  kind.needs_right_angles = false;
  return kind;
}

}  // namespace isolume::filters
