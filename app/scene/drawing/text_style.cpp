#include "app/scene/drawing/text_style.h"

#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <vtkTextProperty.h>

#include "core/base/colour.h"
#include "core/base/error.h"
#include "core/base/font_file.h"

namespace isolume::scene {
namespace {

const std::string& font_path() {
  static const std::string path = font_file();
  return path;
}

std::string with_replacements(std::string text,
                              const std::vector<std::pair<std::string, std::string>>& replacements) {
  for (const auto& [from, to] : replacements) {
    for (auto place = text.find(from); place != std::string::npos;
         place = text.find(from, place + to.size())) {
      text.replace(place, from.size(), to);
    }
  }
  return text;
}

}  // namespace

Rgb colour_of(std::string_view text) {
  if (const auto rgb = rgb_of(text)) {
    const auto [red, green, blue] = *rgb;
    return {red / 255.0, green / 255.0, blue / 255.0};
  }
  throw Error(fmt::format("Expected a colour as #rrggbb, for example #0072b2; found {}.", quoted(text)));
}

double luminance(const Rgb& colour) {
  const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2]);
}

void use_scene_font(vtkTextProperty& text, double points, const Rgb& colour) {
  if (!font_path().empty()) {
    text.SetFontFamily(VTK_FONT_FILE);
    text.SetFontFile(font_path().c_str());
  } else {
    text.SetFontFamilyToArial();
  }
  text.SetFontSize(static_cast<int>(std::lround(points)));
  text.SetColor(colour[0], colour[1], colour[2]);
  text.BoldOff();
  text.ItalicOff();
  text.ShadowOff();
}

void set_backdrop(vtkTextProperty& text) {
  Rgb colour{};
  text.GetColor(colour.data());
  const double behind = luminance(colour) > 0.5 ? 0 : 1;
  text.SetBackgroundColor(behind, behind, behind);
  text.SetBackgroundOpacity(0.6);
}

std::string displayable(std::string_view text) {
  if (!font_path().empty()) return std::string(text);
  auto ascii = with_replacements(std::string(text), {{"Å", "A"},
                                                     {"ψ", "psi"},
                                                     {"ρ", "rho"},
                                                     {"⁻³ᐟ²", "^-3/2"},
                                                     {"⁻³", "^-3"},
                                                     {"⁻²", "^-2"},
                                                     {"³", "^3"},
                                                     {"²", "^2"},
                                                     {"¹⁰", "^10"},
                                                     {"M⊙", "Msun"},
                                                     {"⁻", "-"},
                                                     {"−", "-"},
                                                     {"×", "x"},
                                                     {"ε", "eps"},
                                                     {" ", " "},
                                                     {"α", "alpha"},
                                                     {"β", "beta"}});
  for (char& letter : ascii) {
    if (static_cast<unsigned char>(letter) > 126) letter = '?';
  }
  return ascii;
}

}  // namespace isolume::scene
