#include "app/scene/fields/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <vtkMath.h>
#include <vtkUniforms.h>

#include "core/base/round_numbers.h"
#include "core/base/viridis.h"

namespace isolume::scene {
namespace {

constexpr int entries = 256;

/// A colour at a position from 0 to 1 along a table.
struct ColourAt {
  double part;
  Rgb colour;
};

/// From 0 to 1 with a slope of 0 at 1: where values go beyond the end of a map, its last colour begins without an edge.
double softly(double part) {
  constexpr double straight = 0.8, slope = 2 / (1 + straight);
  const double left = 1 - part;
  return part <= straight ? slope * part : 1 - slope * left * left / (2 * (1 - straight));
}

/// Interpolates in CIELAB. `place`: of a part of the table along the colours.
template <class Place>
vtkSmartPointer<vtkLookupTable> table_of(std::span<const ColourAt> colours, const ColourSpan& span,
                                         Place place) {
  std::vector<Eigen::Vector3d> in_lab(colours.size());
  for (std::size_t i = 0; i < colours.size(); ++i)
    vtkMath::RGBToLab(colours[i].colour.data(), in_lab[i].data());
  auto table = vtkSmartPointer<vtkLookupTable>::New();
  table->SetNumberOfTableValues(entries);
  for (int i = 0; i < entries; ++i) {
    const double part = place(i / (entries - 1.0));
    const auto next = static_cast<std::size_t>(
        std::ranges::lower_bound(colours.subspan(1, colours.size() - 2), part, {}, &ColourAt::part) -
        colours.begin());
    const ColourAt &before = colours[next - 1], &after = colours[next];
    const double share = std::clamp((part - before.part) / (after.part - before.part), 0.0, 1.0);
    Eigen::Vector3d lab = (1 - share) * in_lab[next - 1] + share * in_lab[next];
    Rgb colour{};
    vtkMath::LabToRGB(lab.data(), colour.data());
    table->SetTableValue(i, colour[0], colour[1], colour[2], 1);
  }
  table->SetNanColor(0.5, 0.5, 0.5, 1);
  table->SetRange(span.low, span.high);
  return table;
}

std::array<ColourAt, viridis.size()> viridis_colours() {
  std::array<ColourAt, viridis.size()> colours{};
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::uint32_t colour = viridis[i];
    colours[i] = {static_cast<double>(i) / static_cast<double>(colours.size() - 1),
                  {(colour >> 16) / 255.0, (colour >> 8 & 0xffU) / 255.0, (colour & 0xffU) / 255.0}};
  }
  return colours;
}

}  // namespace

vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              const ColourSpan& span) {
  const double neutral = std::clamp(-span.low / (span.high - span.low), 0.0, 1.0);
  std::vector<ColourAt> colours;
  if (neutral > 0) colours.push_back({0, negative});
  colours.push_back({neutral, middle});
  if (neutral < 1) colours.push_back({1, positive});
  return table_of(colours, span, [neutral](double part) {
    if (part > neutral) return neutral + (1 - neutral) * softly((part - neutral) / (1 - neutral));
    return neutral > 0 ? neutral * (1 - softly((neutral - part) / neutral)) : 0.0;
  });
}

vtkSmartPointer<vtkLookupTable> diverging_map(const Rgb& negative, const Rgb& middle, const Rgb& positive,
                                              double reach) {
  return diverging_map(negative, middle, positive, ColourSpan{-reach, reach});
}

vtkSmartPointer<vtkLookupTable> logarithmic_map(double low, double high) {
  auto table = table_of(viridis_colours(), {low, high}, std::identity());
  table->SetScaleToLog10();
  return table;
}

vtkSmartPointer<vtkLookupTable> sequential_map(const ColourSpan& span) {
  return table_of(viridis_colours(), span, std::identity());
}

vtkSmartPointer<vtkLookupTable> sequential_map(double reach) {
  return sequential_map(ColourSpan{0, reach});
}

vtkSmartPointer<vtkLookupTable> colour_map(const ColourMapChoice& choice) {
  using enum ColourMapChoice::Kind;
  if (choice.kind == diverging)
    return diverging_map(choice.negative, choice.middle, choice.positive, choice.span);
  if (choice.kind == logarithmic) return logarithmic_map(choice.span.low, choice.span.high);
  return sequential_map(choice.span);
}

const vtkSmartPointer<vtkLookupTable>& KeptColourMap::table_for(const ColourMapChoice& choice) {
  if (table_ != nullptr && choice == choice_) return table_;
  choice_ = choice;
  table_ = colour_map(choice);
  return table_;
}

double colour_reach(const grid::ScalarField& field, bool both_signs) {
  constexpr std::size_t most_samples = 30000;
  std::vector<double> sizes;
  for (const float value : grid::every(field, field.values.size() / most_samples + 1)) {
    if (std::isfinite(value)) sizes.push_back(std::abs(value));
  }
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  const auto density = [&](double size) { return both_signs ? size * size : size; };
  double total = 0;
  for (const double size : sizes) total += density(size);
  double above = 0;
  for (const double size : sizes) {
    above += density(size);
    if (above >= 0.15 * total && size > 0) return rounded_up(size);
  }
  return 1;
}

void set_shader_colours(vtkUniforms& uniforms, vtkLookupTable& table) {
  constexpr int count = 65;
  float colours[count][3];
  for (int i = 0; i < count; ++i) {
    const double* colour = table.GetTableValue(i * (table.GetNumberOfTableValues() - 1) / (count - 1));
    for (int c = 0; c < 3; ++c) colours[i][c] = static_cast<float>(colour[c]);
  }
  uniforms.SetUniform3fv("fieldColours", count, colours);
  const std::array range{static_cast<float>(table.GetRange()[0]), static_cast<float>(table.GetRange()[1])};
  uniforms.SetUniform2f("fieldRange", range.data());
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
