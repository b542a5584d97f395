#include "core/dicom/frames/series.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/dicom/data/dicom_file.h"
#include "core/images/document.h"
#include "core/images/file_format.h"
#include "core/images/readers.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

/// Reason why a file or folder cannot be read; empty if it can.
std::string trouble_with(const fs::directory_entry& entry) {
  std::error_code failed;
  const bool is_folder = entry.is_directory(failed);
  if (::access(entry.path().c_str(), is_folder ? R_OK | X_OK : R_OK) != 0) return std::strerror(errno);
  return !is_folder && entry.is_regular_file(failed) && entry.file_size(failed) == 0 ? "it is empty" : "";
}

/// Files in a folder and its sub-folders.
struct Files {
  std::vector<fs::path> readable;
  std::vector<std::string> unreadable;  ///< sentences
};

/// Whether a name comes before another where digits count as numbers: IM2 before IM10.
bool comes_before(const fs::path& a, const fs::path& b) {
  const std::string one = a.string(), other = b.string();
  const auto number_at = [](const std::string& text, std::size_t at) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    const std::size_t begin = std::min(text.find_first_not_of('0', at), end);
    return std::tuple(end - begin, text.substr(begin, end - begin), end);
  };
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    const auto [digits, number, end] = number_at(one, i);
    const auto [other_digits, other_number, other_end] = number_at(other, j);
    if (end > i && other_end > j) {
      if (number != other_number) return std::tie(digits, number) < std::tie(other_digits, other_number);
      i = end, j = other_end;
    } else {
      if (one[i] != other[j]) break;
      ++i, ++j;
    }
  }
  return one < other;
}

Files files_in(const fs::path& folder, const jobs::Progress& progress) {
  Files files;
  std::error_code failed;
  const auto options = fs::directory_options::skip_permission_denied;
  fs::recursive_directory_iterator at(folder, options, failed);
  if (failed) {
    throw InputError(folder, 0, fmt::format("the folder cannot be read ({})", failed.message()),
                     "Check its permissions.");
  }
  for (const fs::recursive_directory_iterator end; at != end; at.increment(failed)) {
    progress.check();
    if (failed) break;
    std::error_code ignored;
    const std::string trouble = trouble_with(*at);
    if (!trouble.empty()) {
      files.unreadable.push_back(fmt::format("{}: {}.", at->path().string(), trouble));
    } else if (at->is_regular_file(ignored)) {
      files.readable.push_back(at->path());
    }
  }
  if (failed) files.unreadable.push_back(fmt::format("{}: {}.", folder.string(), failed.message()));
  std::ranges::sort(files.readable, comes_before);
  std::ranges::sort(files.unreadable);
  return files;
}

struct Found {
  std::map<std::string, Series> series;
  int nameless = 0;  ///< series of files without a UID
  std::vector<fs::path> overlays;
};

/// Objects that are drawn over images.
bool is_overlay(const std::string& sop_class) {
  static constexpr std::string_view label_map_segmentation = "1.2.840.10008.5.1.4.1.1.66.7";
  return sop_class == UID_SegmentationStorage || sop_class == label_map_segmentation ||
         sop_class == UID_RTStructureSetStorage;
}

/// Adds an image file to its series, and objects drawn over images to the overlays; other DICOM files are skipped.
/// Throws InputError for damaged files.
void add(Found& all, const fs::path& file) {
  // The data needed for a series precede the pixels' description.
  const auto format = open_dicom(file, DCM_BitsAllocated);
  DcmDataset& dataset = *format->getDataset();
  const std::string sop_class = text_of(dataset, DCM_SOPClassUID);
  if (is_overlay(sop_class)) {
    all.overlays.push_back(file);
    return;
  }
  const int columns = whole_number_of(dataset, DCM_Columns), rows = whole_number_of(dataset, DCM_Rows);
  if (columns < 1 || rows < 1) {
    if (!dcmIsImageStorageSOPClassUID(sop_class.c_str())) return;
    throw InputError(file, 0, "its header does not say how large the image is", "Copy or export it again.");
  }
  std::string uid = text_of(dataset, DCM_SeriesInstanceUID);
  // Without one, only files of the same patient and study may belong together.
  const std::string key = uid.empty()
                              ? fmt::format("{}\\{}\\{}", without_uid, text_of(dataset, DCM_PatientID),
                                            text_of(dataset, DCM_StudyInstanceUID))
                              : uid;
  if (uid.empty() && !all.series.contains(key)) {
    uid = without_uid;
    if (const int others = ++all.nameless; others > 1) uid += fmt::format("-{}", others);
  }
  Series& its = all.series[key];
  its.paths.push_back(file);
  if (its.files++ > 0) return;
  dataset.convertToUTF8();
  its.uid = uid;
  its.description = text_of(dataset, DCM_SeriesDescription);
  its.modality = text_of(dataset, DCM_Modality);
  its.patient_name = text_of(dataset, DCM_PatientName);
  its.study_date = text_of(dataset, DCM_StudyDate);
  its.columns = columns;
  its.rows = rows;
}

/// Mentions files that are not images, but can be imported.
std::string sentence_of_overlays(const std::vector<fs::path>& files) {
  std::vector<std::string> names;
  for (const fs::path& file : files) names.push_back(file.filename().string());
  return fmt::format(
      "Beside the images are segmentations or structure sets ({}): import their contours to see them.",
      first_names(names));
}

}  // namespace

std::string sentence_of_unreadable(const std::vector<std::string>& errors, std::size_t files) {
  return fmt::format("{} of {} files cannot be read and are left out. The first: {}", errors.size(), files,
                     errors.front());
}

FolderContents look_through(const fs::path& folder, const jobs::Progress& progress) {
  auto [files, unreadable] = files_in(folder, progress);
  const std::size_t count = files.size() + unreadable.size();
  Found found;
  for (std::size_t at = 0; at < files.size(); ++at) {
    progress.check();
    progress.report(static_cast<double>(at) / static_cast<double>(files.size()), "looking for DICOM series");
    try {
      if (images::format_of(files[at]) == images::ImageFormat::dicom) add(found, files[at]);
    } catch (const InputError& error) {
      unreadable.emplace_back(error.what());
    }
  }
  FolderContents contents;
  if (!unreadable.empty())
    contents.remarks.dropped(sentence_of_unreadable(unreadable, count), unreadable.size());
  if (!found.overlays.empty())
    contents.remarks.dropped(sentence_of_overlays(found.overlays), found.overlays.size());
  if (found.series.empty()) {
    throw InputError(folder, 0, fmt::format("no DICOM images among {} files", count),
                     fmt::format("Choose another folder.{}{}", contents.remarks.empty() ? "" : " ",
                                 contents.remarks.text()));
  }
  for (auto& [uid, series] : found.series) contents.series.push_back(std::move(series));
  contents.overlays = std::move(found.overlays);
  std::ranges::stable_sort(contents.series, std::ranges::greater{}, &Series::files);
  return contents;
}

std::vector<Series> list_series(const fs::path& folder, const jobs::Progress& progress) {
  return look_through(folder, progress).series;
}

std::optional<Series> series_around(const fs::path& file, const jobs::Progress& progress) {
  Found found;
  std::error_code failed;
  for (fs::directory_iterator at(fs::absolute(file).parent_path(), failed), end; !failed && at != end;
       at.increment(failed)) {
    progress.check();
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    try {
      if (images::format_of(at->path()) == images::ImageFormat::dicom) add(found, at->path());
    } catch (const InputError&) {
      // Irrelevant to the open file.
    }
  }
  for (auto& [uid, series] : found.series) {
    if (uid.starts_with(without_uid)) continue;  // possibly of many patients
    const auto same = [&](const fs::path& other) { return fs::equivalent(other, file, failed); };
    if (series.files > 1 && std::ranges::any_of(series.paths, same)) return std::move(series);
  }
  return std::nullopt;
}

}  // namespace isolume::dicom
