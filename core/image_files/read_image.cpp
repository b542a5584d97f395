#include "core/image_files/read_image.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dicom/frames/read_dicom.h"
#include "core/images/readers.h"
#include "core/images/window.h"

namespace isolume::images {

namespace fs = std::filesystem;

namespace {

Document read_as(ImageFormat format, const fs::path& path, const ReadOptions& options,
                 const jobs::Progress& progress) {
  const bool may_have_several =
      format != ImageFormat::tiff && format != ImageFormat::png && format != ImageFormat::jpeg;
  if (!may_have_several) grid::require_time_point(path, options.time_point, 1);
  const bool may_be_packed = format == ImageFormat::dicom || format == ImageFormat::nifti;
  if (format != ImageFormat::none && !may_be_packed && is_gzip(path)) {
    throw InputError(path, 0,
                     "the file as a whole is packed with gzip, which is read of DICOM and NIfTI alone",
                     "Unpack it with gunzip.");
  }
  switch (format) {
    case ImageFormat::dicom:
      return dicom::read_dicom(path, options, progress);
    case ImageFormat::nifti:
      return read_nifti(path, options, progress);
    case ImageFormat::nrrd:
      return read_nrrd(path, options, progress);
    case ImageFormat::metaimage:
      return read_metaimage(path, options, progress);
    case ImageFormat::tiff:
      return read_tiff(path, progress);
    case ImageFormat::png:
      return read_png(path, progress);
    case ImageFormat::jpeg:
      return read_jpeg(path, progress);
    case ImageFormat::none:
      break;
  }
  throw InputError(path, 0, "this is not an image that can be read",
                   "Choose a DICOM file or folder, NIfTI, NRRD, MetaImage, PNG, TIFF or JPEG.");
}

/// A mapped file would have to be read whole: the voxels that its first window is found from stand for the others.
void tell_of_not_finite_samples(Document& document) {
  if (document.volume.type != PixelType::float32 && document.volume.type != PixelType::float64) return;
  const SampledValues sampled = sampled_values(document.volume);
  const std::size_t samples = sampled.finite.size() + sampled.not_finite;
  constexpr const char* rest =
      "the file is larger than memory, and others are counted only where contours are measured";
  if (sampled.not_finite == 0) {
    document.remarks.assumed(
        fmt::format("All of {} sampled voxels of the middle slice are finite: {}.", samples, rest));
    return;
  }
  document.remarks.add(
      RemarkKind::warning,
      fmt::format(
          "{} of {} sampled voxels of the middle slice are not finite (NaN or infinite): {}. Measures and "
          "statistics leave them out.",
          sampled.not_finite, samples, rest),
      sampled.not_finite);
}

void tell_of_not_finite(Document& document) {
  if (document.volume.file != nullptr) return tell_of_not_finite_samples(document);
  const std::size_t count = count_not_finite(document.volume);
  if (count == 0) return;
  document.remarks.add(
      RemarkKind::warning,
      fmt::format("{} of {} voxels are not finite (NaN or infinite): measures and statistics leave them out.",
                  count, document.volume.geometry.point_count()),
      count);
}

}  // namespace

Document read_image(const fs::path& path, const ReadOptions& options, const jobs::Progress& progress) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) throw InputError(path, 0, "no such file", "Check the name.");
  const bool is_folder = fs::is_directory(status);
  if (!is_folder && !fs::is_regular_file(status)) {
    throw InputError(path, 0, "this is neither a file nor a folder", "Choose another.");
  }
  Document document = read_as(is_folder ? ImageFormat::dicom : format_of(path), path, options, progress);
  // Avoids waiting for the disk when it is shown.
  if (document.volume.file != nullptr && document.windows.empty()) {
    document.windows.push_back(first_window(document));
    require_readable(document.volume);
  }
  if (options.mentions_not_finite) tell_of_not_finite(document);
  return in_scale(std::move(document), options.values);
}

}  // namespace isolume::images
