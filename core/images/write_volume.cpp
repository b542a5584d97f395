#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <ostream>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/packer.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/images/nifti_layout.h"
#include "core/images/text_header.h"
#include "core/images/vectors.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

template <class From, class To>
std::shared_ptr<const std::byte> rescaled(const Volume& volume, PixelType type) {
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, type);
  const From* from = volume.pixels<From>();
  To* to = reinterpret_cast<To*>(memory.get());
  for (std::size_t at = 0; at < volume.geometry.point_count(); ++at) {
    to[at] = static_cast<To>(volume.slope * static_cast<double>(from[at]) + volume.intercept);
  }
  return memory;
}

/// The smallest type that holds every meaningful value exactly; float32 if slope or intercept are not integers.
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

constexpr bool is_big_endian = std::endian::native == std::endian::big;

/// What a file holds: a volume, whose storage has `components` numbers for each voxel: interleaved, but in NIfTI one
/// array after the other.
struct Content {
  Volume volume;
  std::size_t components = 1;

  const char* data() const { return reinterpret_cast<const char*>(volume.storage.get()); }
  std::size_t bytes() const { return components * volume.bytes(); }
};

void write_packed(const Content& content, std::ostream& out, Packing packing) {
  Packer packer(out, packing);
  packer.put(content.data(), content.bytes());
  packer.finish();
}

/// "1 2 3"; a negative zero is written as 0.
std::string listed(const Eigen::Vector3d& numbers) {
  return fmt::format("{}", fmt::join(Eigen::Vector3d(numbers.array() + 0.0), " "));
}

std::string type_in_nrrd(PixelType type) {
  constexpr std::array names{"signed char", "unsigned char", "short", "unsigned short",
                             "int",         "unsigned int",  "float", "double"};
  return names.at(static_cast<std::size_t>(type));
}

void write_nrrd(const Content& content, std::ostream& out) {
  const Volume& volume = content.volume;
  const Geometry& geometry = volume.geometry;
  const bool is_scalar = content.components == 1;
  out << fmt::format("NRRD0004\ntype: {}\ndimension: {}\nsizes: {}{}\n{}", type_in_nrrd(volume.type),
                     is_scalar ? 3 : 4, is_scalar ? "" : fmt::format("{} ", content.components),
                     fmt::join(geometry.dimensions, " "), nrrd_placement(geometry, is_scalar ? "" : "none "));
  if (!volume.unit.empty()) out << fmt::format("sample units: \"{}\"\n", volume.unit);
  out << fmt::format("kinds: {}domain domain domain\nendian: {}\nencoding: gzip\n\n",
                     is_scalar ? "" : "vector ", is_big_endian ? "big" : "little");
  write_packed(content, out, Packing::gzip);
}

std::string type_in_metaimage(PixelType type) {
  constexpr std::array names{"MET_CHAR", "MET_UCHAR", "MET_SHORT", "MET_USHORT",
                             "MET_INT",  "MET_UINT",  "MET_FLOAT", "MET_DOUBLE"};
  return names.at(static_cast<std::size_t>(type));
}

void write_metaimage(const Content& content, std::ostream& out) {
  const Volume& volume = content.volume;
  const Geometry& geometry = volume.geometry;
  out << fmt::format(
      "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = {}\n"
      "CompressedData = True\nCompressedDataSize = ",
      is_big_endian ? "True" : "False");
  // The number is only known afterwards.
  const std::streampos place_of_size = out.tellp();
  constexpr int digits = 20;
  out << fmt::format("{:{}}\n", "", digits);
  if (geometry.has_sides()) {
    out << fmt::format("TransformMatrix = {} {} {}\n", listed(geometry.direction(0)),
                       listed(geometry.direction(1)), listed(geometry.direction(2)));
  } else {
    out << "AnatomicalOrientation = ???\n";  // as MetaIO writes it where it knows none
  }
  out << fmt::format("Offset = {}\nCenterOfRotation = 0 0 0\nElementSpacing = {}\nDimSize = {}\n",
                     listed(geometry.origin), listed(geometry.spacing()),
                     fmt::join(geometry.dimensions, " "));
  if (content.components > 1) out << fmt::format("ElementNumberOfChannels = {}\n", content.components);
  out << fmt::format("ElementType = {}\nElementDataFile = LOCAL\n", type_in_metaimage(volume.type));
  const std::streampos first = out.tellp();
  write_packed(content, out, Packing::zlib);
  const std::streampos end = out.tellp();
  out.seekp(place_of_size);
  out << fmt::format("{:{}}", static_cast<std::int64_t>(end - first), digits);
  out.seekp(end);
}

/// nifti1.h; datatype codes of its NIFTI_TYPE_....
std::int16_t type_in_nifti(PixelType type) {
  constexpr std::array<std::int16_t, 8> codes{256, 2, 4, 512, 8, 768, 16, 64};
  return codes.at(static_cast<std::size_t>(type));
}

/// Directions that a NIfTI header's quaternion can express: a rotation, and whether k is reversed.
struct Quaternion {
  Eigen::Quaterniond rotation;
  float k_sign = 1;

  Eigen::Matrix3d direction() const {
    Eigen::Matrix3d axes = rotation.toRotationMatrix();
    axes.col(2) *= k_sign;
    return axes;
  }
};

Quaternion nearest_quaternion(const Eigen::Matrix3d& direction) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> parts(direction, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Matrix3d axes = parts.matrixU() * parts.matrixV().transpose();
  Quaternion quaternion;
  quaternion.k_sign = axes.determinant() < 0 ? -1.F : 1.F;
  axes.col(2) *= quaternion.k_sign;
  quaternion.rotation = Eigen::Quaterniond(axes).normalized();
  if (quaternion.rotation.w() < 0) quaternion.rotation.coeffs() *= -1;  // the header omits w
  return quaternion;
}

/// Whether a quaternion's directions place the voxel farthest from the first within a tenth of a voxel of its
/// position.
bool says_the_same(const Eigen::Matrix3d& direction, const Geometry& geometry) {
  const Eigen::Vector3d last(geometry.dimensions[0] - 1, geometry.dimensions[1] - 1,
                             geometry.dimensions[2] - 1);
  const Eigen::Matrix3d difference = geometry.directions() - direction;
  double farthest_mm = 0;
  for (int axis = 0; axis < 3; ++axis)
    farthest_mm += difference.col(axis).norm() * geometry.spacing(axis) * last[axis];
  return farthest_mm <= 0.1 * geometry.spacing().minCoeff();
}

class NiftiFields {
 public:
  explicit NiftiFields(const Content& content) {
    const Volume& volume = content.volume;
    const Geometry& geometry = volume.geometry;
    put(0, static_cast<std::int32_t>(nifti_1.header_bytes));
    put<char>(38, 'r');  // "regular", which Analyze 7.5 wants
    put<std::int16_t>(nifti_1.dim, 3);
    for (std::size_t axis = 0; axis < 7; ++axis)
      put(nifti_1.dim + 2 * (axis + 1), static_cast<std::int16_t>(axis < 3 ? geometry.dimensions[axis] : 1));
    if (content.components > 1) {
      constexpr std::int16_t vector = 1007;  // NIFTI_INTENT_VECTOR, along the fifth axis
      put(nifti_1.intent_code, vector);
      put<std::int16_t>(nifti_1.dim, 5);
      put(nifti_1.dim + 2 * 5, static_cast<std::int16_t>(content.components));
    }
    put(nifti_1.datatype, type_in_nifti(volume.type));
    put(nifti_1.bits_per_voxel, static_cast<std::int16_t>(8 * bytes_of(volume.type)));
    for (int axis = 0; axis < 3; ++axis) put_float(nifti_1.pixdim, axis + 1, geometry.spacing()[axis]);
    put_float(nifti_1.vox_offset, 0, static_cast<double>(bytes_.size()));
    put_float(nifti_1.slope, 0, 1);
    put<char>(nifti_1.units, 2);  // millimetres
    // Both forms' axes are the patient's. Without one, a reader has the voxel sizes alone (method 1 of nifti1.h).
    if (geometry.has_sides()) put_places(geometry);
    std::memcpy(bytes_.data() + nifti_1.magic, "n+1", 4);
  }
  const char* bytes() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  /// Writes positions by the affine matrix of the sform, which can express any grid; also by the quaternion of the
  /// qform if that can express the same: it does not support shear, which tilted gantries have.
  void put_places(const Geometry& geometry) {
    const Eigen::DiagonalMatrix<double, 3> ras_of_lps(-1, -1, 1);
    Geometry ras = geometry;
    ras.step = ras_of_lps * geometry.step;
    ras.origin = ras_of_lps * geometry.origin;
    put<std::int16_t>(nifti_1.sform_code, scanner);
    for (int row = 0; row < 3; ++row) {
      for (int axis = 0; axis < 3; ++axis) put_float(nifti_1.sform, 4 * row + axis, ras.step(row, axis));
      put_float(nifti_1.sform, 4 * row + 3, ras.origin[row]);
      put_float(nifti_1.offset, row, ras.origin[row]);
    }
    const Quaternion quaternion = nearest_quaternion(ras.directions());
    put_float(nifti_1.pixdim, 0, quaternion.k_sign);
    if (!says_the_same(quaternion.direction(), ras)) return;
    put<std::int16_t>(nifti_1.qform_code, scanner);
    for (int axis = 0; axis < 3; ++axis) put_float(nifti_1.quaternion, axis, quaternion.rotation.vec()[axis]);
  }
  template <class Number>
  void put(std::size_t at, Number number) {
    std::memcpy(bytes_.data() + at, &number, sizeof number);
  }
  void put_float(std::size_t field, int index, double number) {
    put(field + 4 * static_cast<std::size_t>(index), static_cast<float>(number + 0.0));
  }

  static constexpr std::int16_t scanner = 1;            // NIFTI_XFORM_SCANNER_ANAT
  std::array<char, nifti_1.header_bytes + 4> bytes_{};  // four for no extension
};

void require_sizes_of_nifti(const Volume& volume, const fs::path& path) {
  constexpr int most = std::numeric_limits<std::int16_t>::max();
  const int largest = std::ranges::max(volume.geometry.dimensions);
  if (largest <= most) return;
  throw Error(fmt::format("{}: NIfTI holds at most {} voxels along an axis, and there are {}. Write .nrrd.",
                          path.string(), most, largest));
}

void write_nifti(const Content& content, std::ostream& out) {
  const NiftiFields header(content);
  out.write(header.bytes(), static_cast<std::streamsize>(header.size()));
  out.write(content.data(), static_cast<std::streamsize>(content.bytes()));
}

void write_packed_nifti(const Content& content, std::ostream& out) {
  const NiftiFields header(content);
  Packer packer(out, Packing::gzip);
  packer.put(header.bytes(), header.size());
  packer.put(content.data(), content.bytes());
  packer.finish();
}

using Write = void (*)(const Content&, std::ostream&);

Write writer_for(const Volume& volume, const fs::path& path) {
  if (ends_with_suffix(path, ".nrrd")) return write_nrrd;
  if (volume.geometry.unit != grid::LengthUnit::millimetre) {
    throw Error(
        fmt::format("{}: its lengths are in {}, and only .nrrd names a unit other than mm. Write .nrrd.",
                    path.string(), to_text(volume.geometry.unit)));
  }
  if (ends_with_suffix(path, ".mha")) return write_metaimage;
  const bool is_packed = ends_with_suffix(path, ".nii.gz");
  if (!is_packed && !ends_with_suffix(path, ".nii")) {
    throw Error(fmt::format("{}: volumes are written as .nrrd, .nii, .nii.gz or .mha. Choose one of these.",
                            path.string()));
  }
  require_sizes_of_nifti(volume, path);
  return is_packed ? write_packed_nifti : write_nifti;
}

/// What the format cannot hold of an image whose file does not say which side is left.
Remarks without_sides(Write write, const Geometry& geometry) {
  Remarks remarks;
  if (geometry.has_sides() || write == write_nrrd) return remarks;
  if (write == write_metaimage) {
    if (!geometry.directions().isIdentity(1e-6)) {
      remarks.dropped(
          "The image does not say which side of the patient is left, and MetaImage has no other directions: "
          "the file gives voxel sizes and an offset, and no directions. Write .nrrd to keep them.");
    }
    return remarks;
  }
  remarks.dropped(
      "The image does not say which side of the patient is left, and the axes of NIfTI always run to the "
      "right, the front and the head: the file gives voxel sizes alone (sform_code and qform_code are 0), no "
      "directions and no origin. Programs that read it choose the sides themselves.");
  return remarks;
}

}  // namespace

Remarks write_volume(const Volume& volume, const fs::path& path) {
  const Write write = writer_for(volume, path);
  AtomicFile file(path);
  write({.volume = with_plain_values(volume)}, file.stream());
  require_readable(volume);
  file.commit();
  return without_sides(write, volume.geometry);
}

void write_vectors(const Geometry& geometry, const std::array<FieldValues, 3>& components,
                   const fs::path& path) {
  constexpr std::size_t count = 3;
  const std::size_t points = geometry.point_count();
  Content content{.volume = {}, .components = count};
  content.volume.geometry = geometry;
  content.volume.geometry.frame = grid::Frame::patient;
  content.volume.type = PixelType::float32;
  const Write write = writer_for(content.volume, path);
  const bool is_planar = write == write_nifti || write == write_packed_nifti;
  const std::shared_ptr<std::byte> memory = allocate_bytes(count * points * sizeof(float));
  auto* numbers = reinterpret_cast<float*>(memory.get());
  for (std::size_t component = 0; component < count; ++component) {
    for (std::size_t i = 0; i < points; ++i)
      numbers[is_planar ? component * points + i : count * i + component] = components[component][i];
  }
  content.volume.storage = memory;
  AtomicFile file(path);
  write(content, file.stream());
  file.commit();
}

}  // namespace isolume::images
