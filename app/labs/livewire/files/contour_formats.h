#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/contours/files.h"
#include "core/images/document.h"
#include "core/jobs/progress.h"

namespace isolume::labs::livewire {

/// What is written.
struct Drawing {
  std::shared_ptr<const images::Document> image;
  contours::ContourSet set;
  images::SliceId slice;  ///< of formats that hold one
};
contours::ImageReference reference_of(const images::Document& image);

/// Told what a file does not hold.
using Tell = std::function<void(const Remarks& remarks)>;

/// A kind of file that contours are exported as, by window and batch alike.
struct ContourFormat {
  std::string_view suffix;
  bool areas_alone = false;  ///< open contours are left out
  bool needs_dicom = false;  ///< the image must be
  bool needs_grid = false;   ///< slices must be equally spaced
  bool holds_suggestions = false;
  bool holds_rulers = false;
  bool holds_positions = false;  ///< in mm, which readers take to be a patient's
  void (*write)(const Drawing& drawing, const std::filesystem::path& path, const Tell& tell,
                const jobs::Progress& progress) = nullptr;
};
/// Longer suffixes first.
const std::vector<ContourFormat>& contour_formats();
/// By the suffix, in small letters or capitals. Throws Error that lists all suffixes.
const ContourFormat& contour_format_of(const std::filesystem::path& path);

/// Tells what the format leaves out of the drawing, then writes the file whole or not at all. Throws Error.
void write_drawing(const Drawing& drawing, const std::filesystem::path& path, const Tell& tell,
                   const jobs::Progress& progress = {});

/// Surfaces; none where the program is built without pictures.
std::vector<ContourFormat> surface_formats();

}  // namespace isolume::labs::livewire
