#include "core/contours/label_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/contours/outlines.h"
#include "core/contours/parallel.h"
#include "core/dispatch/dispatch.h"

namespace isolume::contours {
namespace {

/// Layout of a slice's pixels among the voxels.
struct SliceLayout {
  std::size_t first, x_stride, y_stride;
  int width, height;
};

SliceLayout layout_of(const images::Geometry& geometry, images::SliceId slice) {
  const auto& size = geometry.dimensions;
  const std::array<std::size_t, 3> stride{
      1, static_cast<std::size_t>(size[0]),
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1])};
  const std::size_t axis = static_cast<std::size_t>(slice.axis);
  const std::size_t x = axis == 0 ? 1 : 0, y = axis == 2 ? 1 : 2;
  return {static_cast<std::size_t>(slice.index) * stride[axis], stride[x], stride[y], size[x], size[y]};
}

/// For all axes along which the label has closed contours.
std::vector<images::SliceId> slices_of(const ContourSet& set, int label, const images::Geometry& geometry) {
  std::set<images::SliceId> slices;
  for (const auto& contour : set.contours()) {
    const auto& slice = contour->slice;
    if (contour->label == label && contour->closed && !contour->suggestion && slice.index >= 0 &&
        slice.index < geometry.dimensions[static_cast<std::size_t>(slice.axis)]) {
      slices.insert(slice);
    }
  }
  return {slices.begin(), slices.end()};
}

/// The first and the last voxel of a slice's box.
std::array<std::array<int, 3>, 2> ends_of(const SliceMask& area, images::SliceId slice) {
  const std::size_t axis = static_cast<std::size_t>(slice.axis), x = axis == 0 ? 1 : 0, y = axis == 2 ? 1 : 2;
  std::array<std::array<int, 3>, 2> ends{};
  ends[0][axis] = ends[1][axis] = slice.index;
  ends[0][x] = area.left;
  ends[1][x] = area.left + area.width - 1;
  ends[0][y] = area.top;
  ends[1][y] = area.top + area.height - 1;
  return ends;
}

void add_slice(LabelMask& mask, const SliceMask& area, images::SliceId slice) {
  images::Geometry box;
  box.dimensions = mask.size;
  const auto layout =
      layout_of(box, {slice.axis, slice.index - mask.low[static_cast<std::size_t>(slice.axis)]});
  const std::size_t axis = static_cast<std::size_t>(slice.axis), x = axis == 0 ? 1 : 0, y = axis == 2 ? 1 : 2;
  for (int row = area.top; row < area.top + area.height; ++row) {
    const std::uint8_t* inside = area.row(row);
    std::uint8_t* voxel = mask.values.data() + layout.first +
                          static_cast<std::size_t>(row - mask.low[y]) * layout.y_stride +
                          static_cast<std::size_t>(area.left - mask.low[x]) * layout.x_stride;
    for (int i = 0; i < area.width; ++i, voxel += layout.x_stride) *voxel |= inside[i];
  }
}

/// Number of voxels of a label that were overwritten by another one.
using Losses = std::map<std::pair<int, int>, std::size_t>;

template <class Pixel>
void put_mask(const LabelMask& mask, int label, const images::Geometry& geometry, Pixel* voxels,
              Losses& losses) {
  const auto width = static_cast<std::size_t>(geometry.dimensions[0]),
             height = static_cast<std::size_t>(geometry.dimensions[1]);
  for (int k = 0; k < mask.size[2]; ++k) {
    for (int j = 0; j < mask.size[1]; ++j) {
      const std::uint8_t* inside = mask.row(j, k);
      Pixel* row =
          voxels +
          (static_cast<std::size_t>(mask.low[2] + k) * height + static_cast<std::size_t>(mask.low[1] + j)) *
              width +
          static_cast<std::size_t>(mask.low[0]);
      for (int i = 0; i < mask.size[0]; ++i) {
        if (inside[i] == 0) continue;
        if (row[i] != 0) ++losses[{static_cast<int>(row[i]), label}];
        row[i] = static_cast<Pixel>(label);
      }
    }
  }
}

void tell_losses(const ContourSet& set, const Losses& losses, Remarks& remarks) {
  for (const auto& [labels, voxels] : losses) {
    remarks.dropped(
        fmt::format("A label map has one label per voxel: {} {} lie{} in {} and in {}, and become{} {}.",
                    voxels, voxels == 1 ? "voxel" : "voxels", voxels == 1 ? "s" : "",
                    set.label(labels.first)->name, set.label(labels.second)->name, voxels == 1 ? "s" : "",
                    set.label(labels.second)->name),
        voxels);
  }
}

}  // namespace

LabelMask mask_of_label(const ContourSet& set, int label, const images::Geometry& geometry,
                        const jobs::Progress& progress) {
  const auto slices = slices_of(set, label, geometry);
  std::vector<SliceMask> areas(slices.size());
  in_parallel(slices.size(), progress, "label map", [&](std::size_t i) {
    const auto layout = layout_of(geometry, slices[i]);
    areas[i] = mask_of_label(set, label, slices[i], layout.width, layout.height);
  });
  LabelMask mask;
  std::array<int, 3> low{}, high{};
  bool any = false;
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (areas[i].values.empty()) continue;
    const auto ends = ends_of(areas[i], slices[i]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = any ? std::min(low[axis], ends[0][axis]) : ends[0][axis];
      high[axis] = any ? std::max(high[axis], ends[1][axis]) : ends[1][axis];
    }
    any = true;
  }
  if (!any) return mask;
  mask.low = low;
  std::size_t count = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    mask.size[axis] = high[axis] - low[axis] + 1;
    count *= static_cast<std::size_t>(mask.size[axis]);
  }
  dispatch::require_memory("The label", count,
                           "Close other programs, or cut the image to the part you need.");
  mask.values.resize(count);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    progress.check();
    add_slice(mask, areas[i], slices[i]);
  }
  return mask;
}

images::Volume label_map(const ContourSet& set, const images::Geometry& geometry,
                         const jobs::Progress& progress, Remarks* remarks) {
  const bool small = std::ranges::all_of(set.labels(), [](const Label& label) { return label.value < 256; });
  images::Volume map;
  map.geometry = geometry;
  map.type = small ? images::PixelType::uint8 : images::PixelType::uint16;
  const auto voxels = images::allocate_voxels(geometry, map.type);
  map.storage = voxels;
  std::memset(voxels.get(), 0, map.bytes());
  Losses losses;
  const auto count = static_cast<double>(set.labels().size());
  for (std::size_t i = 0; i < set.labels().size(); ++i) {
    const int label = set.labels()[i].value;
    const auto mask =
        mask_of_label(set, label, geometry,
                      progress.part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count));
    if (small) {
      put_mask(mask, label, geometry, reinterpret_cast<std::uint8_t*>(voxels.get()), losses);
    } else {
      put_mask(mask, label, geometry, reinterpret_cast<std::uint16_t*>(voxels.get()), losses);
    }
  }
  if (remarks != nullptr) tell_losses(set, losses, *remarks);
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

[[noreturn]] void refuse_value(const std::filesystem::path& path, double value, images::SliceId slice, int x,
                               int y) {
  std::vector<int> voxel{x, y};
  voxel.insert(voxel.begin() + slice.axis, slice.index);
  throw InputError(path, 0,
                   fmt::format("this is not a label map: its value at voxel ({}) is {}, and labels are whole "
                               "numbers from 0 to 65535",
                               fmt::join(voxel, ", "), value),
                   "Choose a label map, or convert its values.");
}

SliceLabels slice_of(const images::Volume& map, const std::filesystem::path& path, images::SliceId slice) {
  const auto layout = layout_of(map.geometry, slice);
  SliceLabels result{layout.width, layout.height, {}};
  result.values.reserve(static_cast<std::size_t>(layout.width) * static_cast<std::size_t>(layout.height));
  images::visit_pixel_type(map.type, [&](auto pixel) {
    using Pixel = decltype(pixel);
    const Pixel* voxels = map.pixels<Pixel>() + layout.first;
    for (int y = 0; y < layout.height; ++y) {
      for (int x = 0; x < layout.width; ++x) {
        const Pixel stored = voxels[static_cast<std::size_t>(x) * layout.x_stride +
                                    static_cast<std::size_t>(y) * layout.y_stride];
        const double value = map.slope * static_cast<double>(stored) + map.intercept;
        const bool is_label =
            value >= 0 && value <= std::numeric_limits<std::uint16_t>::max() && value == std::floor(value);
        if (!is_label) refuse_value(path, value, slice, x, y);
        result.values.push_back(static_cast<std::uint16_t>(value));
      }
    }
  });
  return result;
}

/// Follows the pixel borders with the region on the right, from the upper left corner of (x, y) on. Regions are
/// connected by pixel sides. `upper_seen`: pixels whose upper side has been passed.
Outline walk_around(const LabelSlice& slice, int x, int y, std::vector<bool>& upper_seen) {
  static constexpr std::array<std::array<int, 2>, 4> steps{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
  // The pixels to the right and to the left of a step that starts in corner (x, y).
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

}  // namespace

std::vector<Outline> outlines_of(SliceLabels labels, const jobs::Progress& progress) {
  const LabelSlice slice{std::move(labels)};
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

ContourSet contours_of(const images::Volume& map, const std::filesystem::path& path, int axis,
                       const jobs::Progress& progress) {
  if (map.colours != nullptr) {
    throw InputError(path, 0, "this is not a label map but an image of colours",
                     "Choose an image with one number per voxel.");
  }
  std::vector<std::vector<Outline>> outlines(
      static_cast<std::size_t>(map.geometry.dimensions[static_cast<std::size_t>(axis)]));
  in_parallel(outlines.size(), progress, "outlines", [&](std::size_t k) {
    outlines[k] = outlines_of(slice_of(map, path, {axis, static_cast<int>(k)}), progress);
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
