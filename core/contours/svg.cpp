#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/contours/files.h"
#include "core/contours/polygon.h"

namespace isolume::contours {
namespace {

/// As text of an XML 1.0 element or attribute, which cannot contain control characters at all.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += static_cast<unsigned char>(letter) < 0x20 ? ' ' : letter;
    }
  }
  return result;
}

/// From the upper left corner of the first pixel, in mm.
std::string path_of(const Polyline& outline, bool closed, const Eigen::Matrix2d& to_mm) {
  std::string path;
  for (const auto& point : outline) {
    const Eigen::Vector2d at_mm = to_mm * (point.array() + 0.5).matrix();
    path += fmt::format("{}{:.7g},{:.7g}", path.empty() ? "M" : " L", at_mm.x(), at_mm.y());
  }
  return closed ? path + " Z" : path;
}

struct Path {
  const Contour* contour;
  Polyline outline;
  std::string d;                ///< including its holes
  std::vector<Polyline> holes;  ///< holes inside it that do not meet each other
  std::string cuts;             ///< paths of the other areas subtracted from it
};

/// A hole becomes a further part of the path by the even-odd rule; if it met the outline or another hole, the overlap
/// would be filled instead of cut out.
bool is_hole(const Path& path, const Polyline& outline) {
  if (!contains(path.outline, outline.front()) || touch(path.outline, outline)) return false;
  return std::ranges::none_of(path.holes, [&](const Polyline& hole) {
    return touch(hole, outline) || contains(hole, outline.front()) || contains(outline, hole.front());
  });
}

std::vector<Path> paths_of(const ContourSet& set, images::SliceId slice, const Eigen::Matrix2d& to_mm) {
  std::vector<Path> paths;
  for (const auto& contour : set.on_slice(slice)) {
    Polyline outline = contour->outline();
    if (contour->suggestion || outline.empty()) continue;
    std::string d = path_of(outline, contour->closed, to_mm);
    if (!contour->closed || contour->combination == Combination::add) {
      paths.push_back({contour.get(), std::move(outline), std::move(d), {}, {}});
      continue;
    }
    for (auto& path : paths) {
      if (!path.contour->closed || path.contour->label != contour->label) continue;
      if (is_hole(path, outline)) {
        path.d += ' ' + d;
        path.holes.push_back(outline);
      } else if (touch(path.outline, outline) || contains(path.outline, outline.front()) ||
                 contains(outline, path.outline.front())) {
        path.cuts += (path.cuts.empty() ? "" : " ") + d;
      }
    }
  }
  return paths;
}

}  // namespace

void write_svg(const ContourDocument& document, images::SliceId slice, const std::filesystem::path& path) {
  const auto plane = images::slice_plane(document.image.geometry, slice);
  const Eigen::Matrix2d to_mm = plane.metric();
  // A sheared slice is a parallelogram, which may lean to either side.
  const double by_shear_mm = plane.rows * to_mm(0, 1);
  const double lean_mm =
      std::abs(by_shear_mm) > 1e-6 * to_mm(0, 0) ? by_shear_mm : 0;  // smaller values are rounding
  const double left_mm = lean_mm < 0 ? lean_mm : 0;
  const double width_mm = plane.columns * to_mm(0, 0) + std::abs(lean_mm),
               height_mm = plane.rows * to_mm(1, 1);
  AtomicFile file(path);
  file.stream() << fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.7g}mm\" height=\"{1:.7g}mm\" "
      "viewBox=\"{5:.7g} 0 {0:.7g} {1:.7g}\">\n"
      "<title>{2}, slice {3} along axis {4}</title>\n",
      width_mm, height_mm, escaped(std::filesystem::path(document.image.path).filename().string()),
      slice.index, slice.axis, left_mm);
  int masks = 0;
  for (const auto& path_in_mm : paths_of(document.set, slice, to_mm)) {
    const Contour& contour = *path_in_mm.contour;
    const std::string colour = document.set.colour_of(contour);
    const std::string fill = contour.closed ? colour : "none";
    std::string mask;
    if (!path_in_mm.cuts.empty()) {
      mask = fmt::format(" mask=\"url(#cut{})\"", ++masks);
      file.stream() << fmt::format(
          "<mask id=\"cut{0}\" maskUnits=\"userSpaceOnUse\" x=\"{1:.7g}\" y=\"0\" width=\"{2:.7g}\" "
          "height=\"{3:.7g}\"><rect x=\"{1:.7g}\" y=\"0\" width=\"{2:.7g}\" height=\"{3:.7g}\" "
          "fill=\"white\"/><path d=\"{4}\" fill=\"black\"/></mask>\n",
          masks, left_mm, width_mm, height_mm, path_in_mm.cuts);
    }
    file.stream() << fmt::format(
        "<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.25\" fill-rule=\"evenodd\" stroke=\"{}\" "
        "stroke-width=\"{:.7g}\"{}><title>{}</title></path>\n",
        path_in_mm.d, fill, colour, plane.spacing().minCoeff() / 2, mask, escaped(contour.name));
  }
  file.stream() << "</svg>\n";
  file.commit();
}

}  // namespace isolume::contours
