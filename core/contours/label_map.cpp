#include "core/contours/label_map.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/outlines.h"
#include "core/contours/parallel.h"

namespace isolume::contours {
namespace {

/// How a slice's pixels lie among the voxels.
struct SliceLayout {
  std::size_t first, x_stride, y_stride;
  int width, height;
};

SliceLayout layout_of(const images::Geometry& geometry, images::SliceId slice) {
  const auto& size = geometry.size;
  const std::array<std::size_t, 3> stride{
      1, static_cast<std::size_t>(size[0]),
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1])};
  const std::size_t axis = static_cast<std::size_t>(slice.axis);
  const std::size_t x = axis == 0 ? 1 : 0, y = axis == 2 ? 1 : 2;
  return {static_cast<std::size_t>(slice.index) * stride[axis], stride[x], stride[y], size[x], size[y]};
}

/// Each label's place in the list; 0 for no label.
std::vector<std::uint32_t> ranks_of(const ContourSet& set) {
  std::vector<std::uint32_t> ranks(std::size_t{1} << 16);
  std::uint32_t rank = 0;
  for (const auto& label : set.labels()) ranks[static_cast<std::uint16_t>(label.value)] = ++rank;
  return ranks;
}

template <class Pixel>
void put_slice(const SliceLabels& labels, const SliceLayout& layout, const std::vector<std::uint32_t>& ranks,
               Pixel* voxels) {
  auto value = labels.values.begin();
  for (int y = 0; y < layout.height; ++y) {
    Pixel* voxel = voxels + layout.first + static_cast<std::size_t>(y) * layout.y_stride;
    for (int x = 0; x < layout.width; ++x, ++value, voxel += layout.x_stride) {
      if (ranks[*value] > ranks[*voxel]) *voxel = static_cast<Pixel>(*value);
    }
  }
}

std::vector<images::SliceId> contoured_slices(const ContourSet& set, int axis,
                                              const images::Geometry& geometry) {
  std::set<images::SliceId> slices;
  for (const auto& contour : set.contours()) {
    const auto& slice = contour->slice;
    if (contour->closed && !contour->suggestion && slice.axis == axis && slice.index >= 0 &&
        slice.index < geometry.size[static_cast<std::size_t>(axis)]) {
      slices.insert(slice);
    }
  }
  return {slices.begin(), slices.end()};
}

}  // namespace

images::Volume label_map(const ContourSet& set, const images::Geometry& geometry,
                         const jobs::Progress& progress) {
  const bool small = std::ranges::all_of(set.labels(), [](const Label& label) { return label.value < 256; });
  images::Volume map;
  map.geometry = geometry;
  map.type = small ? images::PixelType::uint8 : images::PixelType::uint16;
  const auto voxels = images::allocate_voxels(geometry, map.type);
  map.storage = voxels;
  std::memset(voxels.get(), 0, map.bytes());
  const auto ranks = ranks_of(set);
  for (int axis = 0; axis < 3; ++axis) {  // one after the other: slices of two axes share voxels
    const auto slices = contoured_slices(set, axis, geometry);
    in_parallel(slices.size(), progress.part(axis / 3.0, (axis + 1) / 3.0), "label map", [&](std::size_t i) {
      const auto layout = layout_of(geometry, slices[i]);
      const auto labels = rasterise(set, slices[i], layout.width, layout.height);
      if (small) {
        put_slice(labels, layout, ranks, reinterpret_cast<std::uint8_t*>(voxels.get()));
      } else {
        put_slice(labels, layout, ranks, reinterpret_cast<std::uint16_t*>(voxels.get()));
      }
    });
  }
  progress.report(1, "label map");
  return map;
}

namespace {

/// A slice of a label map, 0 beyond its rim.
struct LabelSlice {
  SliceLabels labels;

  int at(int x, int y) const {
    if (x < 0 || y < 0 || x >= labels.width || y >= labels.height) return 0;
    return labels.values[static_cast<std::size_t>(y) * static_cast<std::size_t>(labels.width) +
                         static_cast<std::size_t>(x)];
  }
};

LabelSlice slice_of(const images::Volume& map, images::SliceId slice) {
  const auto layout = layout_of(map.geometry, slice);
  LabelSlice result{{layout.width, layout.height, {}}};
  result.labels.values.reserve(static_cast<std::size_t>(layout.width) *
                               static_cast<std::size_t>(layout.height));
  images::visit_pixel_type(map.type, [&](auto pixel) {
    using Pixel = decltype(pixel);
    const Pixel* voxels = map.pixels<Pixel>() + layout.first;
    for (int y = 0; y < layout.height; ++y) {
      for (int x = 0; x < layout.width; ++x) {
        const Pixel value = voxels[static_cast<std::size_t>(x) * layout.x_stride +
                                   static_cast<std::size_t>(y) * layout.y_stride];
        if (value < Pixel{0} || static_cast<double>(value) > std::numeric_limits<std::uint16_t>::max()) {
          throw Error(
              fmt::format("The label map has the value {} at pixel ({}, {}) of slice {} along axis {}: "
                          "labels are 0 to 65535.",
                          value, x, y, slice.index, slice.axis));
        }
        result.labels.values.push_back(static_cast<std::uint16_t>(value));
      }
    }
  });
  return result;
}

/// Walks along the borders of pixels with the region at its right hand, from the upper left corner of (x, y)
/// on. Regions hang together by pixels' sides. `upper_seen`: pixels whose upper side has been passed.
Outline walk_around(const LabelSlice& slice, int x, int y, std::vector<bool>& upper_seen) {
  static constexpr std::array<std::array<int, 2>, 4> steps{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  // Of the pixel at the right hand of a step that starts in corner (x, y), and of the one at its left.
  static constexpr std::array<std::array<int, 2>, 4> right{{{0, 0}, {-1, 0}, {-1, -1}, {0, -1}}};
  static constexpr std::array<std::array<int, 2>, 4> left{{{0, -1}, {0, 0}, {-1, 0}, {-1, -1}}};
  Outline outline;
  outline.label = slice.at(x, y);
  const auto inside = [&](const std::array<int, 2>& offset) {
    return slice.at(x + offset[0], y + offset[1]) == outline.label;
  };
  std::size_t direction = 0;
  while (true) {
    if (direction == 0) {
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(slice.labels.width) +
                             static_cast<std::size_t>(x);
      if (upper_seen[at]) break;
      upper_seen[at] = true;
    }
    x += steps[direction][0];
    y += steps[direction][1];
    const std::size_t before = direction;
    if (!inside(right[direction])) {
      direction = (direction + 1) % 4;
    } else if (inside(left[direction])) {
      direction = (direction + 3) % 4;
    }
    if (direction != before) outline.points.emplace_back(x - 0.5, y - 0.5);
  }
  outline.area_px2 = signed_area_px2(outline.points);
  return outline;
}

std::vector<Outline> outlines_of(const LabelSlice& slice, const jobs::Progress& progress) {
  std::vector<Outline> outlines;
  std::vector<bool> upper_seen(slice.labels.values.size());
  std::size_t at = 0;
  for (int y = 0; y < slice.labels.height; ++y) {
    progress.check();
    for (int x = 0; x < slice.labels.width; ++x, ++at) {
      const int label = slice.labels.values[at];
      if (label == 0 || upper_seen[at] || slice.at(x, y - 1) == label) continue;
      outlines.push_back(walk_around(slice, x, y, upper_seen));
    }
  }
  sort_by_area(outlines);
  return outlines;
}

void require_label_map(const images::Volume& map) {
  if (map.type == images::PixelType::float32 || map.type == images::PixelType::float64) {
    throw Error(fmt::format("An image of {} is not a label map. Choose one with integers.",
                            images::name_of(map.type)));
  }
  if (map.slope != 1 || map.intercept != 0) {
    throw Error(
        fmt::format("The image's numbers are scaled (slope {}, intercept {}), so it is not a label map. "
                    "Choose one without scaling.",
                    map.slope, map.intercept));
  }
}

}  // namespace

ContourSet contours_of(const images::Volume& map, int axis, const jobs::Progress& progress) {
  require_label_map(map);
  std::vector<std::vector<Outline>> outlines(
      static_cast<std::size_t>(map.geometry.size[static_cast<std::size_t>(axis)]));
  in_parallel(outlines.size(), progress, "outlines", [&](std::size_t k) {
    outlines[k] = outlines_of(slice_of(map, {axis, static_cast<int>(k)}), progress);
  });
  std::map<int, int> count_of_label;
  for (const auto& on_slice : outlines) {
    for (const auto& outline : on_slice) count_of_label[outline.label] = 0;
  }
  ContourSet set;
  for (const auto& [value, count] : count_of_label) {
    set.put_label(
        {.value = value, .name = fmt::format("Label {}", value), .colour = label_colour(value - 1)});
  }
  for (std::size_t k = 0; k < outlines.size(); ++k) {
    progress.check();
    for (auto& outline : outlines[k]) {
      auto contour = contour_of(std::move(outline), {axis, static_cast<int>(k)});
      contour.name = fmt::format("Label {} {}", contour.label, ++count_of_label[contour.label]);
      set.add(std::move(contour));
    }
  }
  return set;
}

}  // namespace isolume::contours
