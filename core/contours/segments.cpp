#include "core/contours/segments.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "core/contours/outside.h"
#include "core/contours/transfer.h"
#include "core/images/segmented_nrrd.h"

namespace isolume::contours {
namespace {

using images::SegmentedNrrd;

/// The set of occupied voxels of an image.
class Occupied {
 public:
  explicit Occupied(const images::Geometry& geometry)
      : size_(geometry.dimensions), taken_(geometry.point_count()) {}

  bool overlaps(const LabelMask& mask) const {
    bool found = false;
    visit(mask, [&](std::size_t at) { found = found || taken_[at]; });
    return found;
  }
  void add(const LabelMask& mask) {
    visit(mask, [&](std::size_t at) { taken_[at] = true; });
  }

 private:
  template <class Visitor>
  void visit(const LabelMask& mask, const Visitor& visitor) const {
    for (int k = 0; k < mask.size[2]; ++k) {
      for (int j = 0; j < mask.size[1]; ++j) {
        const std::size_t row =
            (static_cast<std::size_t>(mask.low[2] + k) * static_cast<std::size_t>(size_[1]) +
             static_cast<std::size_t>(mask.low[1] + j)) *
                static_cast<std::size_t>(size_[0]) +
            static_cast<std::size_t>(mask.low[0]);
        for (int i = 0; i < mask.size[0]; ++i)
          if (mask.row(j, k)[i] != 0) visitor(row + static_cast<std::size_t>(i));
      }
    }
  }

  std::array<int, 3> size_;
  std::vector<bool> taken_;
};

/// The labels of each layer: each in the first where it overlaps none.
std::vector<std::vector<int>> layers_of(const ContourSet& set, const images::Geometry& geometry,
                                        const jobs::Progress& progress) {
  std::vector<std::vector<int>> layers;
  std::vector<Occupied> occupied;
  const auto count = static_cast<double>(set.labels().size());
  for (std::size_t i = 0; i < set.labels().size(); ++i) {
    const auto part = progress.part(static_cast<double>(i) / count, static_cast<double>(i + 1) / count);
    const auto mask = mask_of_label(set, set.labels()[i].value, geometry, part);
    std::size_t layer = 0;
    while (layer < layers.size() && occupied[layer].overlaps(mask)) ++layer;
    if (layer == layers.size()) {
      layers.emplace_back();
      occupied.emplace_back(geometry);
    }
    layers[layer].push_back(set.labels()[i].value);
    occupied[layer].add(mask);
  }
  return layers;
}

ContourSet of_labels(const ContourSet& set, const std::vector<int>& labels) {
  ContourSet some = set;
  for (const Label& label : set.labels()) {
    if (std::ranges::find(labels, label.value) == labels.end()) some.remove_label(label.value);
  }
  return some;
}

}  // namespace

void write_segments(const ContourSet& set, const images::Geometry& geometry,
                    const std::filesystem::path& path, const jobs::Progress& progress) {
  const auto layers = layers_of(set, geometry, progress.part(0, 0.5));
  SegmentedNrrd segmentation;
  const bool is_small =
      std::ranges::all_of(set.labels(), [](const Label& label) { return label.value < 256; });
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    const auto some = of_labels(set, layers[layer]);
    auto map = label_map(
        some, geometry,
        progress.part(0.5 + 0.5 * static_cast<double>(layer) / static_cast<double>(layers.size()), 1));
    if (!is_small && map.type == images::PixelType::uint8) {
      const auto wide = images::allocate_voxels(geometry, images::PixelType::uint16);
      std::copy_n(map.pixels<std::uint8_t>(), geometry.point_count(),
                  reinterpret_cast<std::uint16_t*>(wide.get()));
      map.storage = wide;
      map.type = images::PixelType::uint16;
    }
    segmentation.layers.push_back(std::move(map));
    for (const Label& label : some.labels())
      segmentation.segments.push_back({.name = label.name,
                                       .colour = label.colour,
                                       .value = label.value,
                                       .layer = static_cast<int>(layer)});
  }
  if (segmentation.layers.empty()) throw Error(fmt::format("{}: there is no label to write.", path.string()));
  images::write_segmented_nrrd(segmentation, path);
}

std::optional<ContourSet> read_segments(const std::filesystem::path& path, const images::Geometry& geometry,
                                        Remarks& remarks, const jobs::Progress& progress,
                                        const SliceAt& slice_at) {
  const auto segmentation = images::read_segmented_nrrd(path, progress.part(0, 0.3));
  if (!segmentation) return std::nullopt;
  remarks.add(segmentation->remarks);
  std::vector<std::map<int, std::string>> names(segmentation->layers.size());
  for (const auto& segment : segmentation->segments)
    names[static_cast<std::size_t>(segment.layer)].emplace(segment.value, segment.name);
  std::vector<ContourSet> layers;
  for (const auto& layer : segmentation->layers) {
    layers.push_back(contours_on(geometry, layer, path, remarks, progress.part(0.3, 0.9), slice_at,
                                 &names[layers.size()]));
  }
  ContourSet set;
  std::vector<std::set<int>> named(layers.size());
  std::vector<std::string> empty;
  for (const auto& segment : segmentation->segments) {
    const auto& layer = layers[static_cast<std::size_t>(segment.layer)];
    const int value = set.label(segment.value) == nullptr ? segment.value : set.unused_label_value();
    const auto count = static_cast<int>(set.labels().size());
    set.put_label({.value = value,
                   .name = segment.name,
                   .colour = segment.colour.empty() ? label_colour(count) : segment.colour});
    named[static_cast<std::size_t>(segment.layer)].insert(segment.value);
    if (layer.label(segment.value) == nullptr) empty.push_back(segment.name);
    for (const auto& each : layer.contours()) {
      if (each->label != segment.value) continue;
      Contour contour = *each;
      contour.label = value;
      contour.name.clear();
      set.add(std::move(contour));
    }
  }
  if (!empty.empty())
    remarks.warn(fmt::format("Segments without a voxel in the file: {}.", first_names(empty)));
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    for (const Label& label : layers[layer].labels()) {
      if (named[layer].contains(label.value)) continue;
      remarks.dropped(fmt::format("Voxels of value {} belong to no segment, and are left out.", label.value));
    }
  }
  if (set.contours().empty()) remarks.warn(no_contour_remark);
  return set;
}

}  // namespace isolume::contours
