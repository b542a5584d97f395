#include "core/images/volume.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"
#include "core/images/colours.h"

namespace isolume::images {

std::size_t bytes_of(PixelType type) {
  return visit_pixel_type(type, [](auto pixel) { return sizeof(pixel); });
}

std::string name_of(PixelType type) {
  switch (type) {
    case PixelType::int8:
      return "int8";
    case PixelType::uint8:
      return "uint8";
    case PixelType::int16:
      return "int16";
    case PixelType::uint16:
      return "uint16";
    case PixelType::int32:
      return "int32";
    case PixelType::uint32:
      return "uint32";
    case PixelType::float32:
      return "float32";
    case PixelType::float64:
      return "float64";
  }
  throw std::logic_error("no such pixel type");
}

double Volume::value(int i, int j, int k) const {
  const auto width = static_cast<std::size_t>(geometry.dimensions[0]),
             height = static_cast<std::size_t>(geometry.dimensions[1]);
  const std::size_t at = (static_cast<std::size_t>(k) * height + static_cast<std::size_t>(j)) * width +
                         static_cast<std::size_t>(i);
  return visit_pixel_type(type, [&](auto pixel) {
    return slope * static_cast<double>(pixels<decltype(pixel)>()[at]) + intercept;
  });
}

std::shared_ptr<std::byte> allocate_voxels(const Geometry& geometry, PixelType type) {
  return allocate_bytes(geometry.point_count() * bytes_of(type));
}

std::uint8_t* add_colours(Volume& volume, double full) {
  const std::shared_ptr<std::byte> memory = allocate_bytes(3 * volume.geometry.point_count());
  auto* colours = reinterpret_cast<std::uint8_t*>(memory.get());
  volume.colours = {memory, colours};
  volume.full_colour = full;
  return colours;
}

std::shared_ptr<std::byte> allocate_bytes(std::size_t bytes) {
  dispatch::require_memory("The image", bytes,
                           "Close other programs, or cut the image to the part you need.");
  constexpr std::align_val_t alignment{64};
  return {static_cast<std::byte*>(::operator new(bytes, alignment)),
          [](std::byte* memory) { ::operator delete(memory, alignment); }};
}

grid::ScalarField field_of(const Volume& volume) {
  const std::size_t count = volume.geometry.point_count();
  dispatch::require_memory("The image's values", count * sizeof(float),
                           "Close other programs, or cut the image to the part you need.");
  grid::ScalarField field{
      .grid = volume.geometry, .values = FieldValues(count), .name = {}, .unit = volume.unit};
  float* const values = field.values.data();
  visit_pixel_type(volume.type, [&](auto pixel) {
    const auto* stored = volume.pixels<decltype(pixel)>();
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1 << 16), [&](const auto& range) {
      for (std::size_t at = range.begin(); at != range.end(); ++at)
        values[at] = static_cast<float>(volume.slope * static_cast<double>(stored[at]) + volume.intercept);
    });
  });
  require_readable(volume);
  return field;
}

Volume volume_of(const std::shared_ptr<const grid::ScalarField>& field) {
  Volume volume;
  static_cast<grid::Grid&>(volume.geometry) = field->grid;
  volume.type = PixelType::float32;
  volume.unit = field->unit;
  volume.storage = {field, reinterpret_cast<const std::byte*>(field->values.data())};
  return volume;
}

namespace {

ValueRange joined(const ValueRange& a, const ValueRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// In the pixels' own type, which the compiler can vectorise. {infinity, -infinity} if there is none.
template <class Pixel>
ValueRange range_of(const Pixel* first, const Pixel* last) {
  using Limits = std::numeric_limits<Pixel>;
  Pixel low = Limits::max(), high = Limits::lowest();
  bool any = false;
  for (const Pixel* at = first; at != last; ++at) {
    if constexpr (std::is_floating_point_v<Pixel>) {
      if (!(std::abs(*at) <= Limits::max())) continue;  // NaN or infinite
    }
    any = true;
    low = std::min(low, *at);
    high = std::max(high, *at);
  }
  if (!any) return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  return {static_cast<double>(low), static_cast<double>(high)};
}

}  // namespace

void require_slice(const Volume& volume, SliceId slice) {
  const auto& size = volume.geometry.dimensions;
  if (slice.axis < 0 || slice.axis > 2 || slice.index < 0 ||
      slice.index >= size[static_cast<std::size_t>(slice.axis)]) {
    throw Error(fmt::format("There is no slice {} along axis {} in an image of {} × {} × {} voxels.",
                            slice.index, slice.axis, size[0], size[1], size[2]));
  }
}

void require_readable(const Volume& volume) {
  if (volume.file == nullptr || !volume.file->damaged()) return;
  throw InputError(volume.file->path(), 0,
                   "part of it can no longer be read: another program has cut it short, or the disk fails",
                   "Restore the file, then open it again.");
}

Volume copy_slice(const Volume& volume, SliceId slice, const jobs::Progress& progress) {
  require_slice(volume, slice);
  Volume copy = volume;
  copy.file.reset();
  copy.colours.reset();
  copy.geometry.origin = slice_plane(volume.geometry, slice).corner;
  copy.geometry.dimensions[static_cast<std::size_t>(slice.axis)] = 1;
  const auto memory = allocate_voxels(copy.geometry, copy.type);
  const auto& [width, height, depth] = copy.geometry.dimensions;
  std::array<int, 3> first{};
  first[static_cast<std::size_t>(slice.axis)] = slice.index;
  const auto row_of = [](const Geometry& geometry, int j, int k) {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(geometry.dimensions[1]) +
            static_cast<std::size_t>(j)) *
           static_cast<std::size_t>(geometry.dimensions[0]);
  };
  const std::size_t voxel = bytes_of(volume.type);
  for (int k = 0; k < depth; ++k) {
    progress.check();
    progress.report(static_cast<double>(k) / depth, "reading the slice");
    for (int j = 0; j < height; ++j) {
      const std::size_t from =
          row_of(volume.geometry, j + first[1], k + first[2]) + static_cast<std::size_t>(first[0]);
      std::copy_n(volume.storage.get() + from * voxel, static_cast<std::size_t>(width) * voxel,
                  memory.get() + row_of(copy.geometry, j, k) * voxel);
    }
  }
  require_readable(volume);
  copy.storage = memory;
  return copy;
}

SliceImage extract_slice(const Volume& volume, SliceId slice) {
  require_slice(volume, slice);
  const auto& size = volume.geometry.dimensions;
  SliceImage image{.plane = slice_plane(volume.geometry, slice), .values = {}};
  const auto width = static_cast<std::size_t>(image.plane.columns),
             height = static_cast<std::size_t>(image.plane.rows);
  image.values.resize(width * height);
  const std::array<std::size_t, 3> stride{
      1, static_cast<std::size_t>(size[0]),
      static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1])};
  const std::size_t x_stride = slice.axis == 0 ? stride[1] : stride[0];
  const std::size_t y_stride = slice.axis == 2 ? stride[1] : stride[2];
  const std::size_t first =
      static_cast<std::size_t>(slice.index) * stride[static_cast<std::size_t>(slice.axis)];
  visit_pixel_type(volume.type, [&](auto pixel) {
    const auto* stored = volume.pixels<decltype(pixel)>() + first;
    const auto copy_row = [&](std::size_t y) {
      for (std::size_t x = 0; x < width; ++x) {
        image.values[y * width + x] = static_cast<float>(
            volume.slope * static_cast<double>(stored[y * y_stride + x * x_stride]) + volume.intercept);
      }
    };
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, height, 16), [&](const auto& rows) {
      for (std::size_t y = rows.begin(); y != rows.end(); ++y) copy_row(y);
    });
  });
  require_readable(volume);
  return image;
}

std::size_t count_not_finite(const Volume& volume) {
  const std::size_t count = visit_pixel_type(volume.type, [&](auto pixel) -> std::size_t {
    using Pixel = decltype(pixel);
    if constexpr (std::is_integral_v<Pixel>) {
      return 0;
    } else {
      const Pixel* pixels = volume.pixels<Pixel>();
      return handover::parallel_reduce(
          tbb::blocked_range<std::size_t>(0, volume.geometry.point_count(), 1 << 16), std::size_t{0},
          [=](const tbb::blocked_range<std::size_t>& range, std::size_t before) {
            return before +
                   static_cast<std::size_t>(std::count_if(pixels + range.begin(), pixels + range.end(),
                                                          [](Pixel value) { return !std::isfinite(value); }));
          },
          std::plus<>());
    }
  });
  require_readable(volume);
  return count;
}

ValueRange value_range(const Volume& volume) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const ValueRange nothing{infinity, -infinity};
  const ValueRange stored = visit_pixel_type(volume.type, [&](auto pixel) {
    using Pixel = decltype(pixel);
    const Pixel* pixels = volume.pixels<Pixel>();
    return handover::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, volume.geometry.point_count(), 1 << 16), nothing,
        [=](const tbb::blocked_range<std::size_t>& range, const ValueRange& before) {
          return joined(before, range_of(pixels + range.begin(), pixels + range.end()));
        },
        joined);
  });
  require_readable(volume);
  if (stored.low > stored.high) return {0, 0};
  const double low = volume.slope * stored.low + volume.intercept;
  const double high = volume.slope * stored.high + volume.intercept;
  return {std::min(low, high), std::max(low, high)};
}

}  // namespace isolume::images
