#include "core/images/pixel_size.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/letter_case.h"
#include "core/base/units.h"

namespace isolume::images {
namespace {

/// Spellings in UTF-8 and Latin-1, by ImageJ and in XML.
constexpr std::array micro_signs{"\xc2\xb5", "\xce\xbc", "\xb5",   "\\u00b5", "\\u03bc",
                                 "&#181;",   "&#956;",   "&#xb5;", "&#x3bc;", "&micro;"};
constexpr std::array angstrom_signs{"\xc3\x85", "\xe2\x84\xab", "\xc5", "\\u00c5", "&#197;", "&#xc5;"};

constexpr std::array<std::pair<std::string_view, double>, 27> units_mm{{
    {"pm", 1e-9},         {"angstrom", 1e-7},  {"nm", 1e-6},
    {"nanometer", 1e-6},  {"nanometre", 1e-6}, {"um", 1e-3},
    {"micron", 1e-3},     {"microns", 1e-3},   {"micrometer", 1e-3},
    {"micrometre", 1e-3}, {"mm", 1},           {"millimeter", 1},
    {"millimetre", 1},    {"cm", 10},          {"centimeter", 10},
    {"centimetre", 10},   {"dm", 100},         {"m", 1e3},
    {"meter", 1e3},       {"metre", 1e3},      {"in", inch_mm},
    {"inch", inch_mm},    {"inches", inch_mm}, {"thou", 0.0254},
    {"mil", 0.0254},      {"ft", 304.8},       {"bohr", 1e-7 * units::angstrom_per_bohr},
}};

void replace(std::string& text, std::string_view sign, std::string_view by) {
  const std::size_t at = text.find(sign);
  if (at != std::string::npos) text.replace(at, sign.size(), by);
}

bool is_of_screens(double dpi) {
  constexpr double rounding = 0.05;  // 2834 or 2835 pixels per metre are 72 dpi
  return std::abs(dpi - 72) < rounding || std::abs(dpi - 96) < rounding;
}

/// Sets the spacing within the plane.
Remark remark_on(const Resolution& resolution, Eigen::Vector3d& spacing) {
  const auto& [x, y, unit_mm] = resolution;
  constexpr double finest = 1e-3, coarsest = 1e9;
  const bool is_told = x >= finest && y >= finest && x <= coarsest && y <= coarsest;
  constexpr const char* not_told = "The file does not say how large a pixel is: 1 mm is assumed.";
  if (!is_told) return {RemarkKind::assumed, not_told};
  const bool is_square = std::abs(x / y - 1) < 1e-3;
  const bool are_placeholders = x == 1 && y == 1;
  if (is_square && (unit_mm == 0 || are_placeholders)) return {RemarkKind::assumed, not_told};
  if (unit_mm == 0) {
    spacing.y() = x / y;
    return {
        RemarkKind::assumed,
        fmt::format(
            "The file gives the aspect ratio of a pixel, but not its size: a width of 1 mm and a height of "
            "{:.4g} mm are assumed.",
            spacing.y())};
  }
  const double dpi_x = x * inch_mm / unit_mm, dpi_y = y * inch_mm / unit_mm;
  if (is_square && is_of_screens(dpi_x)) {
    return {RemarkKind::assumed, fmt::format("The file does not say how large a pixel is: 1 mm is assumed. "
                                             "Its resolution tag of {:.0f} dpi is "
                                             "that of a screen, not a measurement.",
                                             dpi_x)};
  }
  spacing.x() = unit_mm / x;
  spacing.y() = unit_mm / y;
  const std::string dpi =
      is_square ? fmt::format("{:.4g} dpi", dpi_x) : fmt::format("{:.4g} × {:.4g} dpi", dpi_x, dpi_y);
  return {RemarkKind::warning, fmt::format("Pixels of {:.4g} × {:.4g} mm are those of the resolution tag "
                                           "({}), which many programs write without having measured: check "
                                           "it before you measure.",
                                           spacing.x(), spacing.y(), dpi)};
}

}  // namespace

void set_pixel_size(Document& document, const Resolution& resolution) {
  Eigen::Vector3d spacing = document.volume.geometry.spacing();
  const Remark remark = remark_on(resolution, spacing);
  document.volume.geometry.set_spacing(spacing);
  document.remarks.add(remark.kind, remark.text);
}

std::optional<double> mm_of_unit(std::string_view name) {
  std::string unit = name.size() > 2 ? lower_case(name) : std::string(name);
  for (const char* sign : micro_signs) replace(unit, sign, "u");
  for (const char* sign : angstrom_signs) replace(unit, sign, "angstrom");
  const auto found =
      std::find_if(units_mm.begin(), units_mm.end(), [&](const auto& known) { return known.first == unit; });
  if (found == units_mm.end()) return std::nullopt;
  return found->second;
}

}  // namespace isolume::images
