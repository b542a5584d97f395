#include "core/images/picture.h"

#include <fmt/format.h>

#include "core/images/colours.h"
#include "core/images/readers.h"

namespace isolume::images {

std::shared_ptr<std::byte> allocate_pixels(const DecodedPicture& picture) {
  Geometry numbers;
  numbers.dimensions = {picture.width, picture.height, picture.channels};
  return allocate_voxels(numbers, picture.type);
}

Document document_of(const std::filesystem::path& file, const DecodedPicture& picture) {
  Document document;
  document.path = file;
  Volume& volume = document.volume;
  volume.geometry.dimensions = {picture.width, picture.height, 1};
  volume.geometry.frame = grid::Frame::own;
  document.remarks.assumed(sides_remark);
  volume.geometry.has_thickness = false;
  set_pixel_size(document, picture.resolution);
  document.title = title_of(file, volume.geometry);
  volume.type = picture.type;
  volume.storage = picture.pixels;
  if (picture.channels == 1) return document;
  volume.type = PixelType::float32;
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, volume.type);
  const double full = full_scale(static_cast<int>(8 * bytes_of(picture.type)));
  const ColourTarget target(reinterpret_cast<float*>(memory.get()), add_colours(volume, full), full);
  visit_pixel_type(picture.type, [&](auto number) {
    const auto* rgb = reinterpret_cast<const decltype(number)*>(picture.pixels.get());
    for (std::size_t at = 0; at < volume.geometry.point_count(); ++at, rgb += 3) {
      target.put(at, static_cast<double>(rgb[0]), static_cast<double>(rgb[1]), static_cast<double>(rgb[2]));
    }
  });
  volume.storage = memory;
  return document;
}

void warn_of_orientation(Document& document, unsigned orientation) {
  if (orientation <= 1) return;
  document.remarks.warn(fmt::format(
      "It should be rotated or mirrored for display (orientation {}); it is shown as stored.", orientation));
}

std::string title_of(const std::filesystem::path& file, const Geometry& geometry) {
  const auto& [width, height, depth] = geometry.dimensions;
  return depth > 1 ? fmt::format("{}, {} × {} × {}", file.filename().string(), width, height, depth)
                   : fmt::format("{}, {} × {}", file.filename().string(), width, height);
}

}  // namespace isolume::images
