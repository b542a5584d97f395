#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/field_values.h"
#include "core/grid/scalar_field.h"
#include "core/images/geometry.h"
#include "core/images/mapped_file.h"
#include "core/jobs/progress.h"

namespace isolume::images {

/// Storage type of a voxel. Kept as in the file, except for colours, whose grey is stored (float32).
enum class PixelType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::size_t bytes_of(PixelType type);
std::string name_of(PixelType type);  ///< "int16"

/// Calls `visitor` with a value of the stored type, of which only the type is used.
template <class Visitor>
decltype(auto) visit_pixel_type(PixelType type, Visitor&& visitor) {
  switch (type) {
    case PixelType::int8:
      return visitor(std::int8_t{});
    case PixelType::uint8:
      return visitor(std::uint8_t{});
    case PixelType::int16:
      return visitor(std::int16_t{});
    case PixelType::uint16:
      return visitor(std::uint16_t{});
    case PixelType::int32:
      return visitor(std::int32_t{});
    case PixelType::uint32:
      return visitor(std::uint32_t{});
    case PixelType::float32:
      return visitor(float{});
    case PixelType::float64:
      return visitor(double{});
  }
  throw std::logic_error("no such pixel type");
}

/// A scalar image of one to three dimensions (size[2] is 1 for a picture). Immutable, cheap to copy; its memory is
/// its own or a mapped file, owned by `storage`. A stored number represents value = slope * stored + intercept, in
/// `unit`.
struct Volume {
  Geometry geometry;
  PixelType type = PixelType::uint8;
  double slope = 1, intercept = 0;
  std::string unit;            ///< "HU"; empty if the numbers have none
  bool is_low_bright = false;  ///< intended display polarity (MONOCHROME1)
  std::shared_ptr<const std::byte> storage;
  /// For colour images: red, green and blue of every voxel, 8 bits each, for display; `storage` holds their grey, for
  /// computations. Null for grey images.
  std::shared_ptr<const std::uint8_t> colours;
  double full_colour = 255;  ///< the value of a white voxel
  /// Set if the memory is a mapped file: reading a voxel may wait for the disk.
  std::shared_ptr<const MappedFile> file;

  template <class Pixel>
  const Pixel* pixels() const {
    return reinterpret_cast<const Pixel*>(storage.get());
  }
  std::size_t bytes() const { return geometry.point_count() * bytes_of(type); }
  /// Value (slope and intercept applied) of a voxel inside.
  double value(int i, int j, int k) const;
};

/// The image's values, slope and intercept applied, as a field on its grid. Throws as require_readable, ResourceError.
grid::ScalarField field_of(const Volume& volume);
/// A field as an image that shares its memory. Lengths stay in the unit of its grid.
Volume volume_of(const std::shared_ptr<const grid::ScalarField>& field);

/// Uninitialised memory for a volume's voxels. Throws ResourceError if it does not fit.
std::shared_ptr<std::byte> allocate_voxels(const Geometry& geometry, PixelType type);
/// The same for the data that an image is made from.
std::shared_ptr<std::byte> allocate_bytes(std::size_t bytes);

/// Throws Error if the slice lies outside the volume.
void require_slice(const Volume& volume, SliceId slice);

/// Throws InputError if any access so far could not be read from a mapped file.
void require_readable(const Volume& volume);

/// A copy of the slice's voxels, as a volume one voxel thick at the slice's position: slice 0 along the same axis,
/// without colours (which no mapped file has). Throws Error if the slice lies outside, as require_readable,
/// ResourceError.
Volume copy_slice(const Volume& volume, SliceId slice, const jobs::Progress& progress = {});

/// One slice as floats, x fastest, slope and intercept applied. Exact for all integers up to 24 bits with integer
/// slope and intercept.
struct SliceImage {
  SlicePlane plane;
  FieldValues values;  ///< width * height
  float at(int x, int y) const {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(plane.columns) +
                  static_cast<std::size_t>(x)];
  }
};
/// Throws Error if the slice lies outside, and as require_readable.
SliceImage extract_slice(const Volume& volume, SliceId slice);

/// Number of voxels that are NaN or infinite. Throws as require_readable.
std::size_t count_not_finite(const Volume& volume);

/// Smallest and largest meaningful value, without NaN and infinities. Throws as require_readable.
struct ValueRange {
  double low = 0, high = 1;
};
ValueRange value_range(const Volume& volume);

}  // namespace isolume::images
