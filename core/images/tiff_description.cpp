#include "core/images/tiff_description.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/images/text_header.h"

namespace isolume::images {
namespace {

using Attributes = std::map<std::string, std::string, std::less<>>;

std::optional<double> number_in(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  if (found == attributes.end()) return std::nullopt;
  return parse_finite(found->second);
}
/// An integer of at least `least`; `missing` if there is none.
std::size_t count_in(const Attributes& attributes, std::string_view name, std::size_t least,
                     std::size_t missing) {
  const double number = number_in(attributes, name).value_or(-1);
  constexpr double most = 1e9;
  const bool is_count =
      number >= static_cast<double>(least) && number <= most && number == std::trunc(number);
  return is_count ? static_cast<std::size_t>(number) : missing;
}
std::string text_in(const Attributes& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? std::string{} : found->second;
}

/// Pages are numbered with one axis fastest, then another, then the third.
enum Axis { channel, depth, time, axes };
struct Hyperstack {
  std::array<std::size_t, axes> size{1, 1, 1};
  std::array<Axis, axes> order{channel, depth, time};  ///< fastest first

  bool has_one_axis() const { return size[channel] == 1 && (size[depth] == 1 || size[time] == 1); }
  Axis axis_of_slices() const { return size[depth] == 1 && size[time] > 1 ? time : depth; }
  std::optional<std::size_t> images_within(std::size_t most) const {
    std::size_t images = 1;
    for (const std::size_t length : size) {
      if (length > most / images) return std::nullopt;
      images *= length;
    }
    return images;
  }
  std::array<std::size_t, axes> place_of(std::size_t plane) const {
    std::array<std::size_t, axes> place{};
    for (const Axis axis : order) {
      place[axis] = plane % size[axis];
      plane /= size[axis];
    }
    return place;
  }
  std::size_t plane_at(const std::array<std::size_t, axes>& place) const {
    std::size_t plane = 0, step = 1;
    for (const Axis axis : order) {
      plane += place[axis] * step;
      step *= size[axis];
    }
    return plane;
  }
  /// The slice that a plane represents, if it is one of those shown.
  std::optional<std::size_t> slice_of(std::size_t plane) const {
    const std::array<std::size_t, axes> place = place_of(plane);
    for (const Axis axis : {channel, depth, time}) {
      if (axis != axis_of_slices() && place[axis] != 0) return std::nullopt;
    }
    return place[axis_of_slices()];
  }
};

void tell_what_is_shown(const Hyperstack& stack, TiffDescription& description) {
  const auto count = [&](Axis axis) { return stack.size[axis]; };
  if (count(channel) > 1) {
    description.remarks.dropped(fmt::format("It has {} channels: the first is shown.", count(channel)),
                                count(channel) - 1);
  }
  if (count(time) == 1) return;
  if (count(depth) > 1) {
    description.remarks.dropped(fmt::format("It has {} time points: the first is shown.", count(time)),
                                count(time) - 1);
  } else {
    description.remarks.warn(
        fmt::format("Its {} slices are stacked time points: lengths across them mean nothing.", count(time)));
  }
}

void take_pages_as_slices(const char* writer, std::size_t pages, TiffDescription& description) {
  description.remarks.assumed(fmt::format(
      "What {} says about channels, slices and times does not fit the {} pages of the file: all of them are "
      "taken as slices.",
      writer, pages));
}

/// Lines of "key=value".
Attributes lines_of(std::string_view text) {
  Attributes lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos)
      lines.emplace(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void calibrate_as_imagej(const Attributes& lines, const Resolution& tags, bool is_deep,
                         TiffDescription& description) {
  const std::string unit = text_in(lines, "unit");
  const std::optional<double> unit_mm = mm_of_unit(unit);
  const bool is_told = !unit.empty() && unit != "pixel" && unit != "pixels";
  if (is_told && !unit_mm) {
    description.remarks.dropped(
        fmt::format("ImageJ's unit of length, {}, is not known.", isolume::quoted(unit)));
    description.resolution.unit_mm = 0;
  }
  if (!unit_mm) return;
  description.resolution.unit_mm = *unit_mm;
  const bool is_resolved = std::isfinite(tags.x) && std::isfinite(tags.y) && tags.x > 0 && tags.y > 0;
  // ImageJ's values in inches repeat those written by other programs.
  if (!is_resolved || *unit_mm == inch_mm) return;
  description.is_calibrated = true;
  const double depth_units = std::abs(number_in(lines, "spacing").value_or(0));
  description.spacing_mm = {*unit_mm / tags.x, *unit_mm / tags.y,
                            *unit_mm * (depth_units > 0 ? depth_units : 1)};
  if (is_deep && depth_units == 0) {
    description.remarks.assumed(fmt::format(
        "ImageJ does not say how far apart slices are: 1 {} is assumed, as it does itself.", unit));
  }
}

/// ImageJ's function of grey values, of which straight lines (0) are applied: signed pixels are stored so, too.
void take_function_of_imagej(const Attributes& lines, TiffDescription& description) {
  const std::optional<double> function = number_in(lines, "cf"), c0 = number_in(lines, "c0"),
                              c1 = number_in(lines, "c1");
  if (!lines.contains("cf")) return;
  if (function != 0.0 || !c0 || !c1 || *c1 == 0) {
    description.remarks.dropped(
        fmt::format("ImageJ's calibration function number {} is not applied: stored values are shown.",
                    text_in(lines, "cf")));
    return;
  }
  description.slope = *c1;
  description.intercept = *c0;
  const std::string unit = text_in(lines, "vunit");
  if (lower_case(unit) != "gray value") description.unit = unit;
}

TiffDescription describe_imagej(std::string_view text, const Resolution& tags, std::size_t pages) {
  const Attributes lines = lines_of(text);
  TiffDescription description;
  description.resolution = tags;
  description.images = count_in(lines, "images", 1, 0);
  Hyperstack stack;
  stack.size = {count_in(lines, "channels", 1, 1), count_in(lines, "slices", 1, 1),
                count_in(lines, "frames", 1, 1)};
  const bool has_axes = lines.contains("channels") || lines.contains("slices") || lines.contains("frames");
  if (has_axes && stack.images_within(pages) != pages) {
    if (description.images <= pages) take_pages_as_slices("ImageJ", pages, description);
  } else if (has_axes) {
    tell_what_is_shown(stack, description);
    for (std::size_t page = 0; page < pages && !stack.has_one_axis(); ++page) {
      if (stack.slice_of(page)) description.pages.push_back(page);
    }
  }
  take_function_of_imagej(lines, description);
  calibrate_as_imagej(lines, tags, pages > 1 && (!has_axes || stack.size[depth] > 1), description);
  return description;
}

/// An XML element: its name and attributes.
struct Element {
  std::string_view name;  ///< without its namespace
  bool is_end = false;    ///< "</Pixels>"
  Attributes attributes;
};

/// Takes the next element from the text, without comments. Supports only the subset of XML that OME uses.
std::optional<Element> next_element(std::string_view& text) {
  const auto skip_to = [&](std::string_view what) {
    const std::size_t at = text.find(what);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + what.size());
  };
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  const auto skip_spaces = [&] {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  };
  skip_to("<");
  while (text.starts_with("!--")) {
    skip_to("-->");
    skip_to("<");
  }
  if (text.empty()) return std::nullopt;
  Element element;
  element.is_end = text.front() == '/';
  if (element.is_end) text.remove_prefix(1);
  const std::size_t end = std::min(text.find_first_of(" \t\r\n/>"), text.size());
  element.name = text.substr(0, end);
  text.remove_prefix(end);
  if (const std::size_t colon = element.name.find(':'); colon != std::string_view::npos)
    element.name.remove_prefix(colon + 1);
  for (skip_spaces(); !text.empty() && text.front() != '>'; skip_spaces()) {
    const std::size_t equals = text.find_first_of("=>");
    if (equals == std::string_view::npos) return std::nullopt;
    if (text[equals] == '>') {
      text.remove_prefix(equals);
      return element;
    }
    const std::string_view name = trimmed(text.substr(0, equals));
    text.remove_prefix(equals + 1);
    skip_spaces();
    if (text.empty() || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
    const char quote = text.front();
    text.remove_prefix(1);
    const std::size_t close = text.find(quote);
    if (close == std::string_view::npos) return std::nullopt;
    element.attributes.emplace(name, text.substr(0, close));
    text.remove_prefix(close + 1);
  }
  if (text.empty()) return std::nullopt;
  return element;
}

/// The pages that are slices, by OME's list of planes; nothing if it does not fit the file.
std::optional<std::vector<std::size_t>> pages_of_ome(std::string_view text, const Hyperstack& stack,
                                                     std::size_t pages) {
  const std::optional<std::size_t> images = stack.images_within(pages);
  if (!images) return std::nullopt;
  std::vector<std::size_t> slices(stack.size[stack.axis_of_slices()], pages);
  std::size_t taken = 0;
  const auto take = [&](std::size_t plane, std::size_t page, std::size_t count) {
    if (plane >= *images || count > *images - plane || page >= pages || count > pages - page) return false;
    taken += count;
    if (taken > pages) return false;
    for (std::size_t at = 0; at < count; ++at) {
      if (const auto slice = stack.slice_of(plane + at)) slices[*slice] = page + at;
    }
    return true;
  };
  bool is_listed = false;
  for (std::optional<Element> element = next_element(text);
       element && !(element->is_end && element->name == "Pixels"); element = next_element(text)) {
    if (element->is_end || element->name != "TiffData") continue;
    is_listed = true;
    const Attributes& its = element->attributes;
    const std::array<std::size_t, axes> first{count_in(its, "FirstC", 0, 0), count_in(its, "FirstZ", 0, 0),
                                              count_in(its, "FirstT", 0, 0)};
    for (const Axis axis : {channel, depth, time}) {
      if (first[axis] >= stack.size[axis]) return std::nullopt;
    }
    const std::size_t plane = stack.plane_at(first);
    const std::size_t missing = its.contains("IFD") ? 1 : *images - plane;
    if (!take(plane, count_in(its, "IFD", 0, 0), count_in(its, "PlaneCount", 1, missing)))
      return std::nullopt;
  }
  if (!is_listed && !take(0, 0, *images)) return std::nullopt;
  if (std::find(slices.begin(), slices.end(), pages) != slices.end()) return std::nullopt;
  return slices;
}

Hyperstack hyperstack_of(const Attributes& pixels, std::size_t samples) {
  Hyperstack stack;
  const std::size_t channels = count_in(pixels, "SizeC", 1, 1);
  // Colours of one page are counted as channels.
  stack.size = {channels % samples == 0 ? channels / samples : channels, count_in(pixels, "SizeZ", 1, 1),
                count_in(pixels, "SizeT", 1, 1)};
  const std::string letters = text_in(pixels, "DimensionOrder");
  const std::string_view order = std::string_view(letters).substr(std::min<std::size_t>(2, letters.size()));
  constexpr std::string_view known = "CZT";
  if (std::is_permutation(order.begin(), order.end(), known.begin(), known.end())) {
    for (std::size_t at = 0; at < order.size(); ++at)
      stack.order[at] = static_cast<Axis>(known.find(order[at]));
  }
  return stack;
}

void calibrate_as_ome(const Attributes& pixels, bool is_deep, TiffDescription& description) {
  const auto size_mm = [&](std::string_view name) {
    const double size = number_in(pixels, name).value_or(0);
    const std::string unit = text_in(pixels, std::string(name) + "Unit");
    const std::optional<double> unit_mm = mm_of_unit(unit.empty() ? "um" : unit);  // default of its schema
    if (size > 0 && !unit_mm) {
      description.remarks.dropped(
          fmt::format("OME's unit of length, {}, is not known.", isolume::quoted(unit)));
    }
    return size > 0 ? size * unit_mm.value_or(0) : 0;
  };
  const double x = size_mm("PhysicalSizeX"), y = size_mm("PhysicalSizeY"), z = size_mm("PhysicalSizeZ");
  if (x == 0 || y == 0) return;
  description.is_calibrated = true;
  description.spacing_mm = {x, y, z > 0 ? z : x};
  if (is_deep && z == 0) {
    description.remarks.assumed(
        "The file does not say how far apart slices are: the pixel spacing is assumed.");
  }
}

TiffDescription describe_ome(std::string_view text, const Resolution& tags, std::size_t pages,
                             std::size_t samples) {
  TiffDescription description;
  description.resolution = tags;
  std::optional<Element> pixels = next_element(text);
  while (pixels && (pixels->is_end || pixels->name != "Pixels")) pixels = next_element(text);
  if (!pixels) return description;
  const Hyperstack stack = hyperstack_of(pixels->attributes, samples);
  if (auto slices = pages_of_ome(text, stack, pages)) {
    tell_what_is_shown(stack, description);
    const std::size_t shown = stack.images_within(pages).value_or(pages);
    if (shown < pages) {
      description.remarks.dropped(
          fmt::format("Of its {} pages, {} are of the first image, which is shown.", pages, shown),
          pages - shown);
    }
    description.pages = std::move(*slices);
  } else {
    take_pages_as_slices("OME", pages, description);
  }
  calibrate_as_ome(pixels->attributes, pages > 1 && stack.axis_of_slices() == depth, description);
  return description;
}

}  // namespace

TiffDescription describe_tiff(std::string_view text, const Resolution& tags, std::size_t pages,
                              std::size_t samples) {
  TiffDescription description;
  description.resolution = tags;
  if (text.starts_with("ImageJ=")) {
    description = describe_imagej(text, tags, pages);
  } else if (text.starts_with("<") && text.find("<OME") != std::string_view::npos) {
    description = describe_ome(text, tags, pages, samples);
  }
  constexpr double smallest_mm = 1e-12, largest_mm = 1e6;
  const Eigen::Vector3d& spacing = description.spacing_mm;
  if (spacing.minCoeff() < smallest_mm || spacing.maxCoeff() > largest_mm) {
    description.remarks.dropped(
        fmt::format("Voxels of {:.3g} × {:.3g} × {:.3g} mm are not possible: that is not used.", spacing.x(),
                    spacing.y(), spacing.z()));
    description.is_calibrated = false;
  }
  return description;
}

}  // namespace isolume::images
