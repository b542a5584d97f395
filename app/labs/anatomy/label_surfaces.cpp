#include "app/labs/anatomy/label_surfaces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkUnsignedCharArray.h>

namespace isolume::labs::anatomy {
namespace {

/// The voxels of each label of a map, by number of colour.
std::vector<contours::LabelMask> boxes_of(const slices::LabelMap& map) {
  std::vector<contours::LabelMask> boxes(map.colours.size());
  const auto& n = map.counts;
  std::size_t at = 0;
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x, ++at) {
        if (std::isnan(map.numbers[at])) continue;
        auto& [low, size, values] = boxes[static_cast<std::size_t>(map.numbers[at])];
        const std::array<int, 3> place{x, y, z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          if (size[axis] == 0) low[axis] = place[axis];
          const int end = std::max(low[axis] + size[axis], place[axis] + 1);
          low[axis] = std::min(low[axis], place[axis]);
          size[axis] = end - low[axis];
        }
      }
    }
  }
  return boxes;
}

void fill(contours::LabelMask& mask, const slices::LabelMap& map, std::size_t number) {
  const auto& [low, size, values] = mask;
  const auto width = static_cast<std::size_t>(map.counts[0]),
             height = static_cast<std::size_t>(map.counts[1]);
  for (int z = low[2]; z < low[2] + size[2]; ++z) {
    for (int y = low[1]; y < low[1] + size[1]; ++y) {
      const float* row = map.numbers.data() +
                         (static_cast<std::size_t>(z) * height + static_cast<std::size_t>(y)) * width +
                         low[0];
      for (int x = 0; x < size[0]; ++x) mask.values.push_back(row[x] == static_cast<float>(number) ? 1 : 0);
    }
  }
}

/// 0xffRRGGBB.
std::array<unsigned char, 3> bytes_of(std::uint32_t colour) {
  return {static_cast<unsigned char>(colour >> 16 & 0xff), static_cast<unsigned char>(colour >> 8 & 0xff),
          static_cast<unsigned char>(colour & 0xff)};
}

}  // namespace

std::shared_ptr<const LabelSurfaces> label_surfaces(const LabelSurfaceInputs& inputs,
                                                    const jobs::Progress& progress) {
  auto result = std::make_shared<LabelSurfaces>();
  vtkNew<vtkUnsignedCharArray> colours;
  colours->SetName("colour");
  colours->SetNumberOfComponents(3);
  const auto map_count = static_cast<double>(inputs.maps.size());
  for (std::size_t m = 0; m < inputs.maps.size(); ++m) {
    const auto& [map, labels, only] = inputs.maps[m];
    const auto of_map =
        progress.part(static_cast<double>(m) / map_count, static_cast<double>(m + 1) / map_count);
    std::vector<contours::LabelMask> masks = boxes_of(*map);
    const auto count = static_cast<double>(labels.size());
    for (std::size_t number = 0; number < labels.size(); ++number) {
      contours::LabelMask mask = std::move(masks[number]);
      if ((only && *only != number) || mask.size[0] == 0) continue;
      fill(mask, *map, number);
      auto mesh = scene::surface_of_label(
          mask, inputs.grid,
          of_map.part(static_cast<double>(number) / count, static_cast<double>(number + 1) / count));
      const auto colour = bytes_of(map->colours[number]);
      for (vtkIdType i = 0; i < mesh->GetNumberOfPoints(); ++i) colours->InsertNextTypedTuple(colour.data());
      result->meshes.push_back({labels[number], std::move(mesh)});
    }
  }
  result->coloured = scene::joined(result->meshes);
  result->coloured->GetPointData()->SetScalars(colours);
  return result;
}

}  // namespace isolume::labs::anatomy
