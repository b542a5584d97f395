#include "core/images/document.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/images/readers.h"
#include "core/images/window.h"

namespace isolume::images {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const Document& image) {
  std::vector<fs::path> files{image.path};
  files.insert(files.end(), image.data_files.begin(), image.data_files.end());
  if (image.dicom) {
    for (const auto& slice : image.dicom->slices) files.push_back(slice.file);
  }
  return files;
}

double factor_of(const Document& image, ValueScale values) {
  if (values == ValueScale::stored) return 1;
  if (!image.uptake) {
    throw Error(fmt::format("{}: standardised uptake values (SUV) are those of PET images in DICOM files.",
                            image.path.string()));
  }
  const UptakeScale& uptake = *image.uptake;
  const bool is_lean = values == ValueScale::suv_lean_body_mass;
  const auto& [relative, missing] = values == ValueScale::suv_body_weight ? RelativeUptake{1, {}}
                                    : is_lean                             ? uptake.lean
                                                                          : uptake.surface;
  if (uptake.per_value > 0 && relative > 0) return uptake.per_value * relative;
  throw Error(fmt::format("{}: no standardised uptake values (SUV){}. {}", image.path.string(),
                          values == ValueScale::suv_body_weight ? ""
                          : is_lean                             ? " by lean body mass"
                                                                : " by body surface area",
                          uptake.per_value > 0 ? missing : uptake.missing));
}

Document in_scale(Document image, ValueScale values) {
  if (values == ValueScale::stored) return image;
  const double factor = factor_of(image, values);
  image.volume.slope *= factor;
  image.volume.intercept *= factor;
  for (Window& window : image.windows) {
    window.centre *= factor;
    window.width *= factor;
  }
  image.volume.unit = values == ValueScale::suv_body_weight      ? "g/ml SUVbw"
                      : values == ValueScale::suv_lean_body_mass ? "g/ml SUVlbm(Janma)"
                                                                 : "cm²/ml SUVbsa";
  image.values = values;
  return image;
}

bool differ_in_values_alone(const Document& one, const Document& other) {
  return one.path == other.path && one.volume.geometry.dimensions == other.volume.geometry.dimensions &&
         (one.time.index != other.time.index || one.values != other.values);
}

bool is_image(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return format_of(path) != ImageFormat::none;
  for (fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, failed), end;
       !failed && at != end; at.increment(failed)) {
    if (format_of(at->path()) == ImageFormat::dicom) return true;
  }
  return false;
}

}  // namespace isolume::images
