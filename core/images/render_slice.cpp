#include "core/images/render_slice.h"

#include "core/images/resample.h"

namespace isolume::images {
namespace {

std::uint32_t byte_of(float level) {
  return static_cast<std::uint32_t>(
      static_cast<std::int32_t>(std::min(std::max(level, 0.0F), 255.0F) + 0.5F));
}

void shade(const float* grey, int count, std::uint32_t background, std::uint32_t* out) {
  for (int i = 0; i < count; ++i)
    out[i] = grey[i] == grey[i] ? 0xff000000U | (byte_of(grey[i]) * 0x010101U) : background;
}

/// Adds one of red, green and blue; the first one overwrites what was there.
void add_colour(const float* level, int count, int shift, bool is_first, std::uint32_t background,
                std::uint32_t* out) {
  for (int i = 0; i < count; ++i) {
    if (is_first) out[i] = level[i] == level[i] ? 0xff000000U : background;
    if (level[i] == level[i]) out[i] |= byte_of(level[i]) << shift;
  }
}

/// Rows of the slice lie across rows of the picture, so that neighbours on the screen are far apart in memory: drawn
/// in the other direction and transposed block by block, large slices take a quarter of the time.
void render_turned_over(const Volume& volume, SliceId slice, const PictureMap& map, const Window& window,
                        Interpolation interpolation, Canvas picture, std::uint32_t background) {
  const PictureMap along_memory{.width = map.height,
                                .height = map.width,
                                .transposed = !map.transposed,
                                .first_column = map.first_row,
                                .column_step = map.row_step,
                                .first_row = map.first_column,
                                .row_step = map.column_step};
  std::vector<std::uint32_t> drawn(static_cast<std::size_t>(map.width) *
                                   static_cast<std::size_t>(map.height));
  render_slice(volume, slice, along_memory, window, interpolation, {drawn.data(), map.height}, background);
  constexpr int block = 32;
  const auto turn_rows = [&](const tbb::blocked_range<int>& rows) {
    for (int left = 0; left < map.width; left += block) {
      for (int row = rows.begin(); row < rows.end(); ++row) {
        for (int column = left; column < std::min(left + block, map.width); ++column) {
          picture.pixels[row * picture.stride + column] =
              drawn[static_cast<std::size_t>(column) * static_cast<std::size_t>(map.height) +
                    static_cast<std::size_t>(row)];
        }
      }
    }
  };
  handover::parallel_for(tbb::blocked_range<int>(0, map.height, block), turn_rows);
}

}  // namespace

void render_slice(const Volume& volume, SliceId slice, const PictureMap& map, const Window& window,
                  Interpolation interpolation, Canvas picture, std::uint32_t background) {
  require_slice(volume, slice);
  const auto& size = volume.geometry.dimensions;
  const std::array<std::size_t, 3> stride{
      1, static_cast<std::size_t>(size[0]),
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1])};
  std::size_t across = slice.axis == 0 ? 1 : 0, down = slice.axis == 2 ? 1 : 2;
  if (map.transposed) std::swap(across, down);
  if (stride[across] > stride[down]) {
    return render_turned_over(volume, slice, map, window, interpolation, picture, background);
  }
  const double scale = (volume.is_low_bright != window.is_inverted ? -255 : 255) / window.width;
  const std::size_t first =
      static_cast<std::size_t>(slice.index) * stride[static_cast<std::size_t>(slice.axis)];
  if (volume.colours != nullptr) {
    for (const int channel : {0, 1, 2}) {
      const resampling::Source<std::uint8_t> source{volume.colours.get() + 3 * first + channel, size[across],
                                                    size[down], 3 * stride[across], 3 * stride[down]};
      resampling::resample(source, map, interpolation, volume.full_colour / 255 * scale,
                           127.5 - window.centre * scale, 0, [&](int row, int count, const float* level) {
                             for (int i = 0; i < count; ++i) {
                               add_colour(level + static_cast<std::ptrdiff_t>(i) * map.width, map.width,
                                          16 - 8 * channel, channel == 0, background,
                                          picture.pixels + (row + i) * picture.stride);
                             }
                           });
    }
    return;
  }
  visit_pixel_type(volume.type, [&](auto pixel) {
    using Pixel = decltype(pixel);
    const resampling::Source<Pixel> source{volume.pixels<Pixel>() + first, size[across], size[down],
                                           stride[across], stride[down]};
    resampling::resample(source, map, interpolation, volume.slope * scale,
                         (volume.intercept - window.centre) * scale + 127.5, 0,
                         [&](int row, int count, const float* grey) {
                           for (int i = 0; i < count; ++i) {
                             shade(grey + static_cast<std::ptrdiff_t>(i) * map.width, map.width, background,
                                   picture.pixels + (row + i) * picture.stride);
                           }
                         });
  });
}

}  // namespace isolume::images
