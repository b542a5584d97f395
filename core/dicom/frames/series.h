#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// One DICOM series of a folder.
struct Series {
  std::string uid;  ///< `without_uid`, with a number from the second on, for files of one study without one
  std::string description, modality, patient_name, study_date;
  int files = 0, columns = 0, rows = 0;
  std::vector<std::filesystem::path> paths;
};
inline constexpr const char* without_uid = "without-uid";
/// The image series in a folder (also through a DICOMDIR, and in sub-folders), most files first. Files that are not
/// DICOM are skipped, as are segmentations and structure sets, which are drawn over images. Throws InputError if
/// there is none.
std::vector<Series> list_series(const std::filesystem::path& folder, const jobs::Progress& progress = {});

/// The series that a DICOM file belongs to, with its files in the same folder; nullopt if it is the only one or not
/// an image of a series.
std::optional<Series> series_around(const std::filesystem::path& file, const jobs::Progress& progress = {});

/// Content of a folder relevant to an image reader.
struct FolderContents {
  std::vector<std::filesystem::path> overlays;  ///< segmentations and structure sets
  std::vector<Series> series;                   ///< as `list_series`
  Remarks remarks;                              ///< about unreadable files, and what can be drawn over images
};
FolderContents look_through(const std::filesystem::path& folder, const jobs::Progress& progress);
/// "2 of 30 files cannot be read and are left out. The first: ..."
std::string sentence_of_unreadable(const std::vector<std::string>& errors, std::size_t files);

}  // namespace isolume::dicom
