#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/images/file_format.h"
#include "core/images/nifti_layout.h"
#include "core/images/readers.h"
#include "core/images/stored_volume.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

class NiftiHeader {
 public:
  explicit NiftiHeader(const fs::path& path) : path_(path) {
    require_regular_file(path);
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(path.c_str(), "rb"), gzclose);
    if (!stream) throw InputError(path, 0, "cannot be opened", "Check its permissions.");
    size_ = gzread(stream.get(), bytes_.data(), static_cast<unsigned>(bytes_.size()));
    if (size_ < 0) refuse("damaged gzip data");
    is_packed = gzdirect(stream.get()) == 0;
    for (const NiftiLayout* layout : {&nifti_1, &nifti_2}) {
      for (const bool swapped : {false, true}) {
        is_swapped = swapped;
        layout_ = layout;
        if (number<std::int32_t>(0) == static_cast<std::int32_t>(layout->header_bytes)) {
          take_kind();
          return;
        }
      }
    }
    refuse("its first number is neither 348 nor 540, the length of a NIfTI header");
  }

  bool is_packed = false, is_swapped = false, is_pair = false;

  std::int64_t whole(std::size_t offset) const {
    return is_version_2() ? number<std::int64_t>(offset) : number<std::int16_t>(offset);
  }
  std::int64_t dim(std::size_t axis) const { return whole(layout_->dim + axis * (is_version_2() ? 8 : 2)); }
  std::int64_t datatype() const { return number<std::int16_t>(layout_->datatype); }
  double pixdim(std::size_t axis) const { return real(layout_->pixdim, axis); }
  double slope() const { return real(layout_->slope, 0); }
  double intercept() const { return real(layout_->intercept, 0); }
  double quaternion(std::size_t at) const { return real(layout_->quaternion, at); }
  double offset(std::size_t axis) const { return real(layout_->offset, axis); }
  double sform(std::size_t row, std::size_t column) const { return real(layout_->sform, 4 * row + column); }
  NiftiIntent intent() const {
    const char* name = reinterpret_cast<const char*>(bytes_.data() + layout_->intent_name);
    return {.code = code(layout_->intent_code), .name = std::string(name, ::strnlen(name, 16))};
  }
  int qform_code() const { return code(layout_->qform_code); }
  int sform_code() const { return code(layout_->sform_code); }
  int units() const {
    return std::to_integer<int>(bytes_[layout_->units + (is_version_2() && is_swapped ? 3 : 0)]);
  }
  /// -1 if it is not a valid offset.
  std::int64_t vox_offset() const {
    if (is_version_2()) return number<std::int64_t>(layout_->vox_offset);
    const float offset = number<float>(layout_->vox_offset);
    return offset >= 0 && offset < 0x1p62F ? static_cast<std::int64_t>(offset) : -1;
  }
  std::size_t header_bytes() const { return layout_->header_bytes; }
  [[noreturn]] void refuse(std::string_view problem) const {
    throw InputError(path_, 0, problem, "The file is damaged: copy or export it again.");
  }

 private:
  bool is_version_2() const { return layout_ == &nifti_2; }
  template <class Number>
  Number number(std::size_t offset) const {
    std::array<std::byte, sizeof(Number)> bytes;
    std::copy_n(bytes_.data() + offset, bytes.size(), bytes.data());
    if (is_swapped) std::ranges::reverse(bytes);
    Number result;
    std::memcpy(&result, bytes.data(), bytes.size());
    return result;
  }
  double real(std::size_t offset, std::size_t at) const {
    return is_version_2() ? number<double>(offset + 8 * at)
                          : static_cast<double>(number<float>(offset + 4 * at));
  }
  int code(std::size_t offset) const {
    return is_version_2() ? number<std::int32_t>(offset) : number<std::int16_t>(offset);
  }
  void take_kind() {
    if (size_ < static_cast<int>(layout_->header_bytes)) refuse("it ends within its header");
    const std::byte* magic = bytes_.data() + layout_->magic;
    is_pair = std::memcmp(magic, is_version_2() ? "ni2" : "ni1", 4) == 0;
    if (is_pair || std::memcmp(magic, is_version_2() ? "n+2" : "n+1", 4) == 0) return;
    throw InputError(path_, 0,
                     "this is not a NIfTI but an Analyze 7.5 header, which does not say which side is left",
                     "Convert it to NIfTI with the program that wrote it.");
  }

  fs::path path_;
  std::array<std::byte, 540> bytes_{};
  int size_ = 0;
  const NiftiLayout* layout_ = nullptr;
};

void take_type(StoredVolume& stored, const NiftiHeader& header) {
  using Meaning = StoredVolume::Meaning;
  const auto is = [&](NumberType type, Meaning meaning = Meaning::value, std::uint64_t components = 1) {
    stored.type = type;
    stored.meaning = meaning;
    stored.components = components;
  };
  switch (header.datatype()) {
    case 2:
      return is(NumberType::uint8);
    case 4:
      return is(NumberType::int16);
    case 8:
      return is(NumberType::int32);
    case 16:
      return is(NumberType::float32);
    case 32:
      return is(NumberType::float32, Meaning::complex, 2);
    case 64:
      return is(NumberType::float64);
    case 128:
      return is(NumberType::uint8, Meaning::colour, 3);
    case 256:
      return is(NumberType::int8);
    case 512:
      return is(NumberType::uint16);
    case 768:
      return is(NumberType::uint32);
    case 1024:
      return is(NumberType::int64);
    case 1280:
      return is(NumberType::uint64);
    case 1792:
      return is(NumberType::float64, Meaning::complex, 2);
    case 2304:
      return is(NumberType::uint8, Meaning::colour, 4);
    default:
      throw InputError(
          stored.file, 0,
          fmt::format("its numbers are of NIfTI's type {}, which is not read", header.datatype()),
          "Convert it to 16-bit integers or to float32.");
  }
}

/// mm in NIfTI's axes: x to the right, y to the front, z to the head.
struct Placement {
  Eigen::Matrix3d steps = Eigen::Matrix3d::Identity();  ///< columns: from a voxel to the next along i, j, k
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
};

/// Spacings along the image's axes; missing ones are 1 mm.
Eigen::Vector3d spacing_of(const NiftiHeader& header, const Geometry& geometry, Remarks& remarks) {
  Eigen::Vector3d spacing;
  bool is_said = true, is_negative = false;
  for (int axis = 0; axis < 3; ++axis) {
    const double pixdim = header.pixdim(static_cast<std::size_t>(axis) + 1);
    const bool is_usable = std::isfinite(pixdim) && pixdim != 0;
    if (!is_usable && geometry.dimensions[static_cast<std::size_t>(axis)] > 1) is_said = false;
    if (is_usable && pixdim < 0) is_negative = true;
    spacing[axis] = is_usable ? std::abs(pixdim) : 1;
  }
  if (!is_said) {
    remarks.assumed(fmt::format("Its pixdim is {}, {}, {}: 1 mm is assumed where that is not a spacing.",
                                header.pixdim(1), header.pixdim(2), header.pixdim(3)));
  }
  if (is_negative) {
    remarks.corrected(fmt::format("Its pixdim is {}, {}, {}: negative spacings are taken as positive.",
                                  header.pixdim(1), header.pixdim(2), header.pixdim(3)));
  }
  return spacing;
}

Placement qform_of(const NiftiHeader& header, const Eigen::Vector3d& spacing) {
  const double b = header.quaternion(0), c = header.quaternion(1), d = header.quaternion(2);
  Eigen::Quaterniond turn(std::sqrt(std::max(0.0, 1 - b * b - c * c - d * d)), b, c, d);
  turn.normalize();
  Placement placement;
  placement.steps = turn.toRotationMatrix() * spacing.asDiagonal();
  if (header.pixdim(0) < 0) placement.steps.col(2) *= -1;
  placement.origin = {header.offset(0), header.offset(1), header.offset(2)};
  return placement;
}

Placement sform_of(const NiftiHeader& header, const Geometry& geometry) {
  Placement placement;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column) {
      placement.steps(row, column) =
          header.sform(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
    }
    placement.origin[row] = header.sform(static_cast<std::size_t>(row), 3);
  }
  // Pictures may omit the step to a next slice.
  if (geometry.dimensions[2] == 1 && placement.steps.col(2).isZero()) {
    placement.steps.col(2) = placement.steps.col(0).cross(placement.steps.col(1)).normalized();
  }
  return placement;
}

/// The largest distance between corresponding corners of the volume.
double distance_of(const Placement& a, const Placement& b, const Geometry& geometry) {
  double longest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Eigen::Vector3d index;
    for (int axis = 0; axis < 3; ++axis) {
      index[axis] = (corner >> axis & 1) * (geometry.dimensions[static_cast<std::size_t>(axis)] - 1);
    }
    const double distance = (a.steps * index + a.origin - b.steps * index - b.origin).norm();
    if (!(distance <= longest)) longest = distance;
  }
  return longest;
}

double mm_of_units(const NiftiHeader& header) {
  switch (header.units() & 7) {
    case 1:
      return 1000;
    case 3:
      return 0.001;
    default:
      return 1;
  }
}

void tell_of_difference(const NiftiHeader& header, const Placement& sform, const Geometry& geometry,
                        Remarks& remarks) {
  Remarks ignored;
  const Eigen::Vector3d spacing = spacing_of(header, geometry, ignored);
  const double unit_mm = mm_of_units(header);
  if (header.qform_code() > 0) {
    const double distance = distance_of(sform, qform_of(header, spacing), geometry);
    double diagonal = 0;
    for (int axis = 0; axis < 3; ++axis) {
      diagonal += sform.steps.col(axis).norm() * geometry.dimensions[static_cast<std::size_t>(axis)];
    }
    // The quaternion's three floats are only accurate to 7e-4 of a turn near half a turn.
    if (!(distance <= std::max(0.1 * sform.steps.colwise().norm().minCoeff(), 1e-3 * diagonal))) {
      remarks.warn(
          fmt::format("Its qform and sform place it differently, by up to {:.4g} mm: the sform is taken.",
                      distance * unit_mm));
    }
    return;
  }
  for (int axis = 0; axis < 3; ++axis) {
    const double step = sform.steps.col(axis).norm();
    const double pixdim = header.pixdim(static_cast<std::size_t>(axis) + 1);
    if (geometry.dimensions[static_cast<std::size_t>(axis)] < 2 || std::abs(pixdim - step) <= 0.01 * step)
      continue;
    remarks.warn(fmt::format(
        "Its pixdim is {}, {}, {}, but its sform's steps are {:.6g}, {:.6g}, {:.6g}: these are taken.",
        header.pixdim(1), header.pixdim(2), header.pixdim(3), sform.steps.col(0).norm(),
        sform.steps.col(1).norm(), sform.steps.col(2).norm()));
    return;
  }
}

void take_placement(StoredVolume& stored, const NiftiHeader& header) {
  Geometry& geometry = stored.geometry;
  Placement placement;
  if (header.sform_code() > 0) {
    placement = sform_of(header, geometry);
    tell_of_difference(header, placement, geometry, stored.remarks);
  } else {
    const Eigen::Vector3d spacing = spacing_of(header, geometry, stored.remarks);
    geometry.has_thickness =
        geometry.dimensions[2] > 1 || (std::isfinite(header.pixdim(3)) && header.pixdim(3) != 0);
    if (header.qform_code() > 0) {
      placement = qform_of(header, spacing);
    } else {
      // As most programs do; the sides are unknown.
      placement.steps = Eigen::Vector3d(-spacing.x(), -spacing.y(), spacing.z()).asDiagonal();
      geometry.frame = grid::Frame::own;
      stored.remarks.assumed(
          "The file does not say where it lies in the patient: x to the left and y to the back are assumed.");
    }
  }
  if ((header.units() & 7) == 0) stored.remarks.assumed("Its unit of length is not given: mm is assumed.");
  const double unit_mm = mm_of_units(header);
  const Eigen::Vector3d to_lps(-1, -1, 1);
  geometry.origin = unit_mm * to_lps.cwiseProduct(placement.origin);
  geometry.step = unit_mm * to_lps.asDiagonal() * placement.steps;
}

/// For all axes. Some programs leave the number of axes at 0, or the sizes of missing axes.
std::vector<std::uint64_t> sizes_of(const NiftiHeader& header, Remarks& remarks) {
  std::int64_t axes = header.dim(0);
  if (axes < 0 || axes > 7) header.refuse(fmt::format("it has {} axes, where NIfTI has 1 to 7", axes));
  if (axes == 0) {
    while (axes < 7 && header.dim(static_cast<std::size_t>(axes) + 1) > 0) ++axes;
    if (axes == 0) header.refuse("it has no axes");
    remarks.corrected(
        fmt::format("Its number of axes (dim[0]) is 0: the {} that have a size are read.", axes));
  }
  std::vector<std::uint64_t> sizes;
  for (std::size_t axis = 1; axis <= static_cast<std::size_t>(axes); ++axis) {
    const std::int64_t size = header.dim(axis);
    if (size < 0 || (size == 0 && axis == 1)) header.refuse(fmt::format("its dim[{}] is {}", axis, size));
    if (size == 0) remarks.corrected(fmt::format("Its dim[{}] is 0, which is read as 1.", axis));
    sizes.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1)));
  }
  return sizes;
}

/// A scl_slope of 0 means no scaling (nifti1.h), as do NaN and infinity by nibabel; an intercept needs a slope. The
/// standard applies neither to colours.
void take_scale(StoredVolume& stored, const NiftiHeader& header) {
  const double slope = header.slope(), intercept = header.intercept();
  const bool is_colour = stored.meaning == StoredVolume::Meaning::colour;
  if (slope == 0 || !std::isfinite(slope) || is_colour) {
    const bool is_unset = slope == 0 ? intercept == 0 : is_colour && slope == 1 && intercept == 0;
    if (is_unset) return;
    stored.remarks.dropped(fmt::format(
        "Its scl_slope is {} and its scl_inter is {}, which is no scale{}: values are shown as stored.",
        slope, intercept, is_colour ? " of colours" : ""));
    return;
  }
  if (!std::isfinite(intercept)) {
    throw InputError(
        stored.file, 0,
        fmt::format("its scl_inter is {}, with a scl_slope of {}: its values are unknown", intercept, slope),
        "Correct the header, or export it again.");
  }
  stored.slope = slope;
  stored.intercept = intercept;
}

/// For a pair of files, which is given by its header.
fs::path data_file_of(const fs::path& header) {
  const std::string suffix = ends_with_suffix(header, ".hdr.gz") ? ".hdr.gz" : ".hdr";
  if (!ends_with_suffix(header, suffix)) {
    throw InputError(header, 0, "this is the header of a pair of files, but its name does not end with .hdr",
                     "Name it .hdr and its data .img.");
  }
  const std::string name = header.string();
  const std::string stem = name.substr(0, name.size() - suffix.size());
  for (const char* ending : {".img", ".img.gz", ".IMG"}) {
    std::error_code failed;
    if (fs::exists(stem + ending, failed)) return stem + ending;
  }
  throw InputError(stem + ".img", 0, "the voxels cannot be read (no such file)",
                   "Copy the data file next to its header.");
}

void take_body(StoredVolume& stored, const NiftiHeader& header) {
  const std::int64_t offset = header.vox_offset();
  // Four bytes that announce extensions follow the header of a single file.
  const auto least = header.is_pair ? std::int64_t{0} : static_cast<std::int64_t>(header.header_bytes()) + 4;
  if (offset < least || offset >> 48 != 0) {
    header.refuse(fmt::format("its voxels cannot begin at byte {} (vox_offset): the header takes {} bytes",
                              offset, least));
  }
  VoxelBody& body = stored.body;
  body.files = {header.is_pair ? data_file_of(stored.file) : stored.file};
  body.swapped = header.is_swapped;
  const bool is_packed = header.is_pair ? is_gzip(body.files.front()) : header.is_packed;
  if (is_packed) body.packing = VoxelBody::Packing::deflate;
  (is_packed ? body.bytes_before : body.offset) = static_cast<std::uint64_t>(offset);
}

/// Where the fourth axis is one of time: echoes and b-values have no unit of time.
std::optional<double> time_step_s(const NiftiHeader& header) {
  const double step = header.pixdim(4);
  if (!std::isfinite(step) || step <= 0) return std::nullopt;
  switch (header.units() & 0x38) {
    case 8:
      return step;
    case 16:
      return step * 1e-3;
    case 24:
      return step * 1e-6;
    default:
      return std::nullopt;
  }
}

}  // namespace

StoredVolume stored_nifti(const fs::path& file) {
  const NiftiHeader header(file);
  StoredVolume stored;
  stored.file = file;
  take_type(stored, header);
  std::vector<std::uint64_t> sizes = sizes_of(header, stored.remarks);
  require_sizes(file, sizes);
  sizes.resize(7, 1);
  stored.promised = stored.components;
  for (const std::uint64_t size : sizes) stored.promised *= size;
  std::uint64_t stride = stored.components;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    stored.geometry.dimensions[axis] = static_cast<int>(sizes[axis]);
    stored.strides[axis] = stride;
    stride *= sizes[axis];
  }
  if (sizes[3] > 1) stored.time_step_s = time_step_s(header);
  take_scale(stored, header);
  take_placement(stored, header);
  take_body(stored, header);
  stored.intent = header.intent();
  return stored;
}

Document read_nifti(const fs::path& file, const ReadOptions& options, const jobs::Progress& progress) {
  return read_stored(stored_nifti(file), options, progress);
}

}  // namespace isolume::images
