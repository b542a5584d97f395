#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>
#include <itkTIFFImageIO.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/images/grey.h"
#include "core/images/itk_error.h"
#include "core/images/picture.h"
#include "core/images/pixel_type_of.h"
#include "core/images/raw_body.h"
#include "core/images/readers.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

itk::ImageIOBase::Pointer make_reader(FileFormat format) {
  switch (format) {
    case FileFormat::nifti:
      return itk::NiftiImageIO::New().GetPointer();
    case FileFormat::nrrd:
      return itk::NrrdImageIO::New().GetPointer();
    case FileFormat::metaimage:
      return itk::MetaImageIO::New().GetPointer();
    case FileFormat::tiff:
      return itk::TIFFImageIO::New().GetPointer();
    default:
      throw std::logic_error("not a format of ITK");
  }
}

/// The pixels as the file has them, before they become a volume's.
struct Stored {
  fs::path file;
  itk::IOComponentEnum component;
  itk::IOPixelEnum pixel;
  std::size_t components = 1;  ///< a pixel
  double slope = 1, intercept = 0;
  std::shared_ptr<const std::byte> bytes;
};

/// Calls `visitor` with a value of the component's type.
template <class Visitor>
auto visit_component(const Stored& stored, Visitor visitor) {
  switch (stored.component) {
    case itk::IOComponentEnum::CHAR:
      return visitor(std::int8_t{});
    case itk::IOComponentEnum::UCHAR:
      return visitor(std::uint8_t{});
    case itk::IOComponentEnum::SHORT:
      return visitor(std::int16_t{});
    case itk::IOComponentEnum::USHORT:
      return visitor(std::uint16_t{});
    case itk::IOComponentEnum::INT:
      return visitor(std::int32_t{});
    case itk::IOComponentEnum::UINT:
      return visitor(std::uint32_t{});
    case itk::IOComponentEnum::LONG:
    case itk::IOComponentEnum::LONGLONG:
      return visitor(std::int64_t{});
    case itk::IOComponentEnum::ULONG:
    case itk::IOComponentEnum::ULONGLONG:
      return visitor(std::uint64_t{});
    case itk::IOComponentEnum::FLOAT:
      return visitor(float{});
    case itk::IOComponentEnum::DOUBLE:
      return visitor(double{});
    default:
      throw InputError(stored.file, 0, "its numbers are of a kind that cannot be read",
                       "Convert it to 8- or 16-bit integers or to float.");
  }
}

/// A volume of another type, each voxel computed from the components of a pixel.
template <class To, class From, class Convert>
void convert_pixels(Volume& volume, const Stored& stored, Convert convert) {
  volume.type = pixel_type_of<To>();
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, volume.type);
  const From* from = reinterpret_cast<const From*>(stored.bytes.get());
  To* to = reinterpret_cast<To*>(memory.get());
  for (std::size_t at = 0; at < volume.geometry.voxel_count(); ++at, from += stored.components) {
    to[at] = convert(from);
  }
  volume.storage = memory;
}

/// 64-bit integers, which label maps of NumPy come with, as 32-bit ones where they all are.
template <class Wide>
void narrow(Volume& volume, const Stored& stored, std::vector<std::string>& warnings) {
  const Wide* wide = reinterpret_cast<const Wide*>(stored.bytes.get());
  const std::size_t count = volume.geometry.voxel_count() * stored.components;
  const auto [low, high] = std::minmax_element(wide, wide + count);
  if (std::in_range<std::int32_t>(*low) && std::in_range<std::int32_t>(*high)) {
    convert_pixels<std::int32_t, Wide>(volume, stored,
                                       [](const Wide* from) { return static_cast<std::int32_t>(*from); });
    return;
  }
  warnings.push_back("Its 64-bit integers are kept as float64, exact up to 53 bits.");
  convert_pixels<double, Wide>(volume, stored, [](const Wide* from) { return static_cast<double>(*from); });
}

/// What a volume keeps of the stored pixels: grey for colours, the first number of vectors.
void take_pixels(Volume& volume, const Stored& stored, std::vector<std::string>& warnings) {
  using itk::IOPixelEnum;
  const bool is_colour =
      (stored.pixel == IOPixelEnum::RGB || stored.pixel == IOPixelEnum::RGBA) && stored.components >= 3;
  if (stored.components > 2 && !is_colour) {
    warnings.push_back(fmt::format("Each voxel has {} numbers; the first is shown.", stored.components));
  }
  visit_component(stored, [&](auto component) {
    using Component = decltype(component);
    if (is_colour) {
      convert_pixels<float, Component>(volume, stored, [](const Component* rgb) {
        return grey_of(static_cast<double>(rgb[0]), static_cast<double>(rgb[1]), static_cast<double>(rgb[2]));
      });
    } else if constexpr (std::is_integral_v<Component> && sizeof(Component) == 8) {
      narrow<Component>(volume, stored, warnings);
    } else if (stored.components > 1) {
      convert_pixels<Component, Component>(volume, stored, [](const Component* from) { return *from; });
    } else {
      volume.type = pixel_type_of<Component>();
      volume.storage = stored.bytes;
    }
  });
}

std::vector<std::uint64_t> sizes_of(const itk::ImageIOBase& io) {
  std::vector<std::uint64_t> sizes;
  for (unsigned axis = 0; axis < io.GetNumberOfDimensions(); ++axis) sizes.push_back(io.GetDimensions(axis));
  return sizes;
}

Geometry geometry_of(const itk::ImageIOBase& io, const std::vector<std::uint64_t>& sizes) {
  Geometry geometry;
  const auto axes = static_cast<unsigned>(std::min<std::size_t>(sizes.size(), 3));
  for (unsigned axis = 0; axis < axes; ++axis) {
    geometry.size[axis] = static_cast<int>(sizes[axis]);
    geometry.spacing_mm[axis] = io.GetSpacing(axis);
    geometry.origin_mm[axis] = io.GetOrigin(axis);
    const std::vector<double> direction = io.GetDirection(axis);
    for (unsigned row = 0; row < axes; ++row) geometry.direction(row, axis) = direction[row];
  }
  return geometry;
}

/// The memory for all of a file's pixels (which are more than the volume's where each has several numbers).
std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const int rows = static_cast<int>((bytes + (1U << 20) - 1) >> 20);
  return allocate_voxels({.size = {1 << 20, rows, 1}}, PixelType::uint8);
}

/// Through ITK's own reader, which reads everything at once.
void read_with_itk(itk::ImageIOBase& io, Stored& stored, std::size_t all_bytes) {
  itk::ImageIORegion region(io.GetNumberOfDimensions());
  for (unsigned axis = 0; axis < io.GetNumberOfDimensions(); ++axis) {
    region.SetIndex(axis, 0);
    region.SetSize(axis, io.GetDimensions(axis));
  }
  io.SetIORegion(region);
  const std::shared_ptr<std::byte> memory = allocate(all_bytes);
  io.Read(memory.get());
  stored.bytes = memory;
}

itk::IOComponentEnum component_of(PixelType type) {
  return visit_pixel_type(type,
                          [](auto pixel) { return itk::ImageIOBase::MapPixelType<decltype(pixel)>::CType; });
}

Stored read_pixels(itk::ImageIOBase& io, const fs::path& file, FileFormat format, const Geometry& geometry,
                   const jobs::Progress& progress) {
  Stored stored{.file = file,
                .component = io.GetComponentType(),
                .pixel = io.GetPixelType(),
                .components = std::max(io.GetNumberOfComponents(), 1U),
                .bytes = {}};
  // Several numbers a voxel may be kept in any order: ITK knows it.
  std::optional<RawBody> body;
  if (stored.components == 1) body = find_raw_body(file, format);
  if (!body) {
    std::size_t bytes = stored.components * io.GetComponentSize();
    for (const std::uint64_t size : sizes_of(io)) bytes *= size;
    read_with_itk(io, stored, bytes);
    return stored;
  }
  if (body->rescale) {
    stored.component = component_of(body->rescale->type);
    stored.slope = body->rescale->slope;
    stored.intercept = body->rescale->intercept;
  }
  const std::size_t number_bytes = visit_component(stored, [](auto component) { return sizeof(component); });
  const std::size_t bytes = geometry.voxel_count() * number_bytes;
  require_body(*body, bytes);
  if (bytes > dispatch::available_memory_bytes() && can_be_mapped(*body, number_bytes)) {
    stored.bytes = map_body(*body, bytes);
    return stored;
  }
  const std::shared_ptr<std::byte> memory = allocate(bytes);
  read_body(*body, memory.get(), bytes, number_bytes, progress);
  stored.bytes = memory;
  return stored;
}

}  // namespace

Document read_volume_file(const fs::path& file, FileFormat format, const jobs::Progress& progress) {
  return with_itk(file, [&] {
    itk::Object::GlobalWarningDisplayOff();
    const itk::ImageIOBase::Pointer io = make_reader(format);
    io->SetFileName(file.string());
    io->ReadImageInformation();
    const std::vector<std::uint64_t> sizes = sizes_of(*io);
    require_sizes(file, sizes);
    Document document;
    document.path = file;
    Geometry& geometry = document.volume.geometry;
    geometry = geometry_of(*io, sizes);
    if (format == FileFormat::tiff) {
      geometry.spacing_mm.setOnes();
      geometry.origin_mm.setZero();
      document.warnings.push_back(pixel_size_warning);
    }
    require_grid(file, geometry);
    if (sizes.size() > 3) {
      document.warnings.push_back(fmt::format(
          "The file has {} volumes; the first is shown.",
          std::accumulate(sizes.begin() + 3, sizes.end(), std::uint64_t{1}, std::multiplies<>())));
    }
    const Stored stored = read_pixels(*io, file, format, geometry, progress);
    document.volume.slope = stored.slope;
    document.volume.intercept = stored.intercept;
    take_pixels(document.volume, stored, document.warnings);
    document.title = title_of(file, geometry);
    return document;
  });
}

}  // namespace isolume::images
