#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/images/itk_error.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

itk::ImageIOBase::Pointer make_writer(const fs::path& path) {
  if (ends_with_suffix(path, ".nrrd")) return itk::NrrdImageIO::New().GetPointer();
  if (ends_with_suffix(path, ".nii") || ends_with_suffix(path, ".nii.gz")) {
    return itk::NiftiImageIO::New().GetPointer();
  }
  if (ends_with_suffix(path, ".mha")) return itk::MetaImageIO::New().GetPointer();
  throw Error(fmt::format("{}: volumes are written as .nrrd, .nii, .nii.gz or .mha. Choose one of these.",
                          path.string()));
}

template <class From, class To>
std::shared_ptr<const std::byte> rescaled(const Volume& volume, PixelType type) {
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, type);
  const From* from = volume.pixels<From>();
  To* to = reinterpret_cast<To*>(memory.get());
  for (std::size_t at = 0; at < volume.geometry.voxel_count(); ++at) {
    to[at] = static_cast<To>(volume.slope * static_cast<double>(from[at]) + volume.intercept);
  }
  return memory;
}

/// The smallest type that holds every meaningful value as it is; float32 where slope or intercept are not
/// whole.
PixelType type_of_values(const Volume& volume) {
  const bool is_whole = std::trunc(volume.slope) == volume.slope &&
                        std::trunc(volume.intercept) == volume.intercept &&
                        volume.type != PixelType::float32 && volume.type != PixelType::float64;
  const ValueRange range = value_range(volume);
  const auto holds = [&]<class Integer>(Integer) {
    return range.low >= std::numeric_limits<Integer>::min() &&
           range.high <= std::numeric_limits<Integer>::max();
  };
  if (is_whole && holds(std::int16_t{})) return PixelType::int16;
  if (is_whole && holds(std::uint16_t{})) return PixelType::uint16;
  if (is_whole && holds(std::int32_t{})) return PixelType::int32;
  return volume.type == PixelType::float64 ? PixelType::float64 : PixelType::float32;
}

/// The volume with a slope of 1 and an intercept of 0.
Volume with_plain_values(const Volume& volume) {
  if (volume.slope == 1 && volume.intercept == 0) return volume;
  Volume plain = volume;
  plain.type = type_of_values(volume);
  plain.slope = 1;
  plain.intercept = 0;
  plain.storage = visit_pixel_type(volume.type, [&](auto from) {
    return visit_pixel_type(
        plain.type, [&](auto to) { return rescaled<decltype(from), decltype(to)>(volume, plain.type); });
  });
  return plain;
}

void describe(itk::ImageIOBase& io, const Volume& volume) {
  io.SetNumberOfDimensions(3);
  itk::ImageIORegion region(3);
  for (unsigned axis = 0; axis < 3; ++axis) {
    const auto size = static_cast<unsigned>(volume.geometry.size[axis]);
    io.SetDimensions(axis, size);
    io.SetSpacing(axis, volume.geometry.spacing_mm[axis]);
    io.SetOrigin(axis, volume.geometry.origin_mm[axis]);
    const auto direction = volume.geometry.direction.col(axis);
    io.SetDirection(axis, std::vector<double>{direction.x(), direction.y(), direction.z()});
    region.SetIndex(axis, 0);
    region.SetSize(axis, size);
  }
  io.SetIORegion(region);
  io.SetPixelType(itk::IOPixelEnum::SCALAR);
  io.SetNumberOfComponents(1);
  visit_pixel_type(volume.type, [&](auto pixel) {
    io.SetComponentType(itk::ImageIOBase::MapPixelType<decltype(pixel)>::CType);
  });
}

}  // namespace

void write_volume(const Volume& volume, const fs::path& path) {
  const itk::ImageIOBase::Pointer io = make_writer(path);
  const Volume plain = with_plain_values(volume);
  AtomicFile file(path);
  with_itk(path, [&] {
    describe(*io, plain);
    io->SetFileName(file.temporary().string());
    io->SetUseCompression(!ends_with_suffix(path, ".nii"));
    io->SetCompressionLevel(2);
    io->Write(plain.storage.get());
  });
  file.commit();
}

}  // namespace isolume::images
