#include "core/images/stored_volume.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/images/colours.h"
#include "core/images/picture.h"
#include "core/images/pixel_type_of.h"
#include "core/images/readers.h"

namespace isolume::images {
namespace {

/// Whether the voxels are stored as in a volume.
bool is_plain(const StoredVolume& stored) {
  const auto width = static_cast<std::uint64_t>(stored.geometry.dimensions[0]),
             height = static_cast<std::uint64_t>(stored.geometry.dimensions[1]);
  const bool lies_so = stored.strides == std::array<std::uint64_t, 3>{1, width, width * height};
  return lies_so && stored.component.value_or(0) == 0 && stored.meaning != StoredVolume::Meaning::colour &&
         !(stored.type == NumberType::int64 || stored.type == NumberType::uint64);
}

PixelType plain_type(NumberType type) {
  return visit_number_type(type, []<class Number>(Number) {
    if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
      return PixelType::float64;
    } else {
      return pixel_type_of<Number>();
    }
  });
}

/// Number of values from the start of the file that must be read for the volume's voxels.
std::uint64_t wanted_numbers(const StoredVolume& stored) {
  std::uint64_t last = stored.meaning == StoredVolume::Meaning::colour ? 2 * stored.component_stride : 0;
  if (stored.component) last = *stored.component * stored.component_stride;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    last += stored.strides[axis] * static_cast<std::uint64_t>(stored.geometry.dimensions[axis] - 1);
  }
  return last + 1;
}

std::uint64_t numbers_of_volume(const StoredVolume& stored) {
  return stored.geometry.point_count() * stored.components;
}

/// Calls `visitor` with the index of each voxel's first number, in the order of a volume's voxels.
template <class Visitor>
void visit_voxels(const StoredVolume& stored, const jobs::Progress& progress, Visitor visitor) {
  const auto& [width, height, depth] = stored.geometry.dimensions;
  const std::uint64_t first = stored.component.value_or(0) * stored.component_stride;
  for (int k = 0; k < depth; ++k) {
    progress.check();
    for (int j = 0; j < height; ++j) {
      const std::uint64_t row = first + stored.strides[2] * static_cast<std::uint64_t>(k) +
                                stored.strides[1] * static_cast<std::uint64_t>(j);
      for (int i = 0; i < width; ++i) visitor(row + stored.strides[0] * static_cast<std::uint64_t>(i));
    }
  }
}

/// Creates a volume of another type or order, each voxel computed from the index of its first number.
template <class To, class Convert>
void convert(Volume& volume, const StoredVolume& stored, const jobs::Progress& progress, Convert convert_at) {
  volume.type = pixel_type_of<To>();
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, volume.type);
  To* to = reinterpret_cast<To*>(memory.get());
  visit_voxels(stored, progress, [&](std::uint64_t at) { *to++ = convert_at(at); });
  volume.storage = memory;
}

/// 64-bit integers, as in label maps from NumPy, are converted to 32-bit ones if all fit.
template <class Wide>
void narrow(Document& document, const StoredVolume& stored, const Wide* wide,
            const jobs::Progress& progress) {
  bool fits = true;
  visit_voxels(stored, progress, [&](std::uint64_t at) { fits &= std::in_range<std::int32_t>(wide[at]); });
  if (fits) {
    convert<std::int32_t>(document.volume, stored, progress,
                          [&](std::uint64_t at) { return static_cast<std::int32_t>(wide[at]); });
    return;
  }
  document.remarks.converted("Its 64-bit integers are kept as float64, exact up to 53 bits.");
  convert<double>(document.volume, stored, progress,
                  [&](std::uint64_t at) { return static_cast<double>(wide[at]); });
}

/// Colours of unsigned numbers are kept; others have no defined scale.
template <class Number>
void take_colours(Document& document, const StoredVolume& stored, const Number* numbers,
                  const jobs::Progress& progress) {
  Volume& volume = document.volume;
  volume.type = PixelType::float32;
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, volume.type);
  const double full = full_scale(8 * static_cast<int>(sizeof(Number)));
  constexpr bool has_scale = std::is_unsigned_v<Number> && sizeof(Number) <= 4;
  if (!has_scale)
    document.remarks.converted("Its colours are not unsigned whole numbers, and are shown as grey.");
  const ColourTarget target(reinterpret_cast<float*>(memory.get()),
                            has_scale ? add_colours(volume, full) : nullptr, full);
  std::size_t voxel = 0;
  visit_voxels(stored, progress, [&](std::uint64_t at) {
    target.put(voxel++, static_cast<double>(numbers[at]),
               static_cast<double>(numbers[at + stored.component_stride]),
               static_cast<double>(numbers[at + 2 * stored.component_stride]));
  });
  volume.storage = memory;
}

/// For numbers that are not stored as a volume's.
void take_numbers(Document& document, const StoredVolume& stored, const std::byte* bytes,
                  const jobs::Progress& progress) {
  visit_number_type(stored.type, [&]<class Number>(Number) {
    const auto* numbers = reinterpret_cast<const Number*>(bytes);
    if (stored.meaning == StoredVolume::Meaning::colour && !stored.component) {
      take_colours(document, stored, numbers, progress);
    } else if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
      narrow(document, stored, numbers, progress);
    } else {
      convert<Number>(document.volume, stored, progress, [&](std::uint64_t at) { return numbers[at]; });
    }
  });
}

void tell_of_surplus(Document& document, std::uint64_t bytes, bool is_all) {
  if (bytes == 0) return;
  document.remarks.dropped(
      fmt::format("{}{} more than its header promises follow the voxels, and are not read.",
                  is_all ? "" : "At least ", format_bytes(bytes)));
}

void tell_what_is_left_out(Document& document, const StoredVolume& stored) {
  if (stored.component) return;
  if (stored.meaning == StoredVolume::Meaning::complex) {
    document.remarks.dropped("Each voxel is a complex number; its real part is shown.");
  }
  if (stored.meaning == StoredVolume::Meaning::colour && stored.components > 3)
    document.remarks.dropped(opacity_remark);
  if (stored.meaning == StoredVolume::Meaning::vector) {
    document.remarks.dropped(fmt::format("Each voxel has {} numbers; the first is shown.", stored.components),
                             stored.components - 1);
  }
}

/// Names the volumes of the file, and reports which is shown. Throws Error if it does not exist.
void choose_volume(Document& document, const StoredVolume& stored, const ReadOptions& options) {
  const std::uint64_t volumes = stored.promised / numbers_of_volume(stored);
  // Volumes whose voxels are interleaved in the file are not separated.
  const bool are_apart = wanted_numbers(stored) <= numbers_of_volume(stored);
  const int count = static_cast<int>(std::min<std::uint64_t>(volumes, std::numeric_limits<int>::max()));
  grid::require_time_point(stored.file, options.time_point, are_apart ? count : 1);
  if (volumes < 2) return;
  if (options.mentions_others || !are_apart) {
    document.remarks.dropped(
        fmt::format(
            "The file has {} volumes; {}.", volumes,
            are_apart
                ? "one is shown at a time, the first unless the parameter \"Time point\" chooses another "
                  "one"
                : "the first is shown"),
        volumes - 1);
  }
  if (!are_apart) return;
  document.time = {
      .names = grid::numbered("volume", count), .index = options.time_point, .step_s = stored.time_step_s};
}

}  // namespace

Document read_stored(const StoredVolume& stored, const ReadOptions& options, const jobs::Progress& progress) {
  progress.check();
  require_grid(stored.file, stored.geometry);
  const auto skipped =
      static_cast<std::uint64_t>(std::max(options.time_point, 0)) * numbers_of_volume(stored);
  const BodyExtent extent{
      .type = stored.type, .promised = stored.promised, .skipped = skipped, .wanted = wanted_numbers(stored)};
  const std::uint64_t surplus = require_body(stored.body, extent);
  Document document;
  document.path = stored.file;
  document.data_files = stored.body.files;
  document.title = title_of(stored.file, stored.geometry);
  document.remarks = stored.remarks;
  Volume& volume = document.volume;
  volume.geometry = stored.geometry;
  volume.slope = stored.slope;
  volume.unit = stored.unit;
  volume.intercept = stored.intercept;
  tell_of_surplus(document, surplus, true);
  tell_what_is_left_out(document, stored);
  choose_volume(document, stored, options);
  const std::size_t bytes = extent.wanted * bytes_of(stored.type);
  if (is_plain(stored)) {
    volume.type = plain_type(stored.type);
    if (bytes > dispatch::available_memory_bytes() && can_be_mapped(stored.body, extent)) {
      volume.file = map_body(stored.body, extent);
      volume.storage = {volume.file, volume.file->bytes()};
      return document;
    }
  }
  const std::shared_ptr<std::byte> memory = allocate_bytes(bytes);
  const std::uint64_t packed = read_body(stored.body, extent, memory.get(), progress);
  tell_of_surplus(document, packed, packed < most_surplus);
  if (is_plain(stored)) {
    volume.storage = memory;
  } else {
    take_numbers(document, stored, memory.get(), progress);
  }
  return document;
}

StoredVectors read_stored_vectors(const StoredVolume& stored, const jobs::Progress& progress) {
  using Meaning = StoredVolume::Meaning;
  progress.check();
  require_grid(stored.file, stored.geometry);
  const std::size_t points = stored.geometry.point_count();
  if (stored.meaning == Meaning::colour || stored.meaning == Meaning::complex) {
    throw InputError(stored.file, 0, "its numbers are colours or complex numbers, and not vectors",
                     "Choose a field of displacements.");
  }
  constexpr std::uint64_t needed = 3;
  if (stored.promised != needed * points || (stored.components != 1 && stored.components != needed)) {
    throw InputError(stored.file, 0,
                     fmt::format("it has {} in each voxel, and a vector has three",
                                 counted(stored.promised / std::max<std::uint64_t>(points, 1), "number")),
                     "Choose a field of displacements.");
  }
  const BodyExtent extent{
      .type = stored.type, .promised = stored.promised, .skipped = 0, .wanted = stored.promised};
  Document document;
  document.remarks = stored.remarks;
  tell_of_surplus(document, require_body(stored.body, extent), true);
  const std::shared_ptr<std::byte> memory = allocate_bytes(extent.wanted * bytes_of(stored.type));
  const std::uint64_t packed = read_body(stored.body, extent, memory.get(), progress);
  tell_of_surplus(document, packed, packed < most_surplus);
  StoredVectors vectors{.components = {}, .remarks = std::move(document.remarks)};
  const std::uint64_t stride = stored.components == 1 ? points : stored.component_stride;
  visit_number_type(stored.type, [&]<class Number>(Number) {
    const auto* numbers = reinterpret_cast<const Number*>(memory.get());
    for (std::size_t component = 0; component < needed; ++component) {
      FieldValues& values = vectors.components[component];
      values.reserve(points);
      visit_voxels(stored, progress, [&](std::uint64_t at) {
        const auto number = static_cast<double>(numbers[at + component * stride]);
        values.push_back(static_cast<float>(stored.slope * number + stored.intercept));
      });
    }
  });
  return vectors;
}

}  // namespace isolume::images
