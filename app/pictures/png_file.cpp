#include "app/pictures/png_file.h"

#include <vector>

#include <fmt/format.h>
#include <png.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::pictures {

void write_png(std::span<const std::uint8_t> rgb, int width, int height, FirstRow first,
               const std::filesystem::path& path) {
  AtomicFile file(path);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  const int row_length = first == FirstRow::bottom ? -3 * width : 3 * width;
  if (png_image_write_get_memory_size(image, size, 0, rgb.data(), row_length, nullptr) == 0)
    throw Error(fmt::format("{}: the picture cannot be packed: {}.", path.string(), image.message));
  std::vector<char> packed(size);
  if (png_image_write_to_memory(&image, packed.data(), &size, 0, rgb.data(), row_length, nullptr) == 0)
    throw Error(fmt::format("{}: the picture cannot be packed: {}.", path.string(), image.message));
  file.stream().write(packed.data(), static_cast<std::streamsize>(size));
  file.commit();
}

}  // namespace isolume::pictures
