#include "app/scene/colour_map.h"

#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <vtkColorTransferFunction.h>
#include <vtkNew.h>

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

constexpr std::array<double, 3> steps{1, 2, 5};
constexpr double rounding = 1e-9;  // 0.2 written as 2 * 10^-1 must still count as round

}  // namespace

vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              double reach) {
  return table_of(std::array{negative, middle, positive}, -reach, reach);
}

vtkSmartPointer<vtkLookupTable> sequential_map(double reach) {
  static const std::array viridis{colour_of("#440154"), colour_of("#482475"), colour_of("#414487"),
                                  colour_of("#355f8d"), colour_of("#2a788e"), colour_of("#21918c"),
                                  colour_of("#22a884"), colour_of("#44bf70"), colour_of("#7ad151"),
                                  colour_of("#bddf26"), colour_of("#fde725")};
  return table_of(viridis, 0, reach);
}

double rounded_up(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  for (const double step : steps) {
    if (step * decade >= value * (1 - rounding)) return step * decade;
  }
  return 10 * decade;
}

double rounded_down(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value) + rounding));
  double found = decade;
  for (const double step : steps) {
    if (step * decade <= value * (1 + rounding)) found = step * decade;
  }
  return found;
}

std::vector<double> round_levels(double reach) {
  std::vector<double> levels;
  if (!(reach > 0) || !std::isfinite(reach)) return levels;
  constexpr double span = 60;
  for (double level = rounded_up(reach / span); level <= reach * (1 + rounding);
       level = rounded_up(level * 1.5)) {
    levels.push_back(level);
  }
  return levels;
}

}  // namespace isolume::scene
