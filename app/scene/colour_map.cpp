#include "app/scene/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <vtkColorTransferFunction.h>
#include <vtkNew.h>

#include "core/base/round_numbers.h"
#include "core/base/viridis.h"

namespace isolume::scene {
namespace {

constexpr int entries = 256;

/// Colours at even distances over [low, high], joined in CIELAB.
vtkSmartPointer<vtkLookupTable> table_of(std::span<const Rgb> colours, double low, double high) {
  vtkNew<vtkColorTransferFunction> joined;
  joined->SetColorSpaceToLab();
  for (std::size_t i = 0; i < colours.size(); ++i) {
    joined->AddRGBPoint(static_cast<double>(i) / static_cast<double>(colours.size() - 1), colours[i][0],
                        colours[i][1], colours[i][2]);
  }
  auto table = vtkSmartPointer<vtkLookupTable>::New();
  table->SetNumberOfTableValues(entries);
  for (int i = 0; i < entries; ++i) {
    Rgb colour{};
    joined->GetColor(i / (entries - 1.0), colour.data());
    table->SetTableValue(i, colour[0], colour[1], colour[2], 1);
  }
  table->SetNanColor(0.5, 0.5, 0.5, 1);
  table->SetRange(low, high);
  return table;
}

}  // namespace

vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              double reach) {
  return table_of(std::array{negative, middle, positive}, -reach, reach);
}

vtkSmartPointer<vtkLookupTable> logarithmic_map(double low, double high) {
  std::array<Rgb, viridis.size()> colours{};
  std::ranges::transform(viridis, colours.begin(), [](std::uint32_t colour) {
    return Rgb{(colour >> 16) / 255.0, (colour >> 8 & 0xffU) / 255.0, (colour & 0xffU) / 255.0};
  });
  auto table = table_of(colours, low, high);
  table->SetScaleToLog10();
  return table;
}

std::vector<double> round_levels(double reach, double span) {
  std::vector<double> levels;
  if (!(reach > 0) || !std::isfinite(reach)) return levels;
  constexpr double rounding = 1e-9;
  for (double level = rounded_up(reach / span); level <= reach * (1 + rounding);
       level = rounded_up(level * 1.5)) {
    levels.push_back(level);
  }
  return levels;
}

}  // namespace isolume::scene
