#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/images/dicom_file.h"
#include "core/images/dicom_frames.h"
#include "core/images/document.h"
#include "core/images/file_format.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const fs::path& folder, const jobs::Progress& progress) {
  std::vector<fs::path> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, failed);
  if (failed) {
    throw InputError(folder, 0, fmt::format("the folder cannot be read ({})", failed.message()),
                     "Check its permissions.");
  }
  for (const fs::recursive_directory_iterator end; at != end; at.increment(failed)) {
    progress.check();
    if (failed) break;
    std::error_code ignored;
    if (at->is_regular_file(ignored)) files.push_back(at->path());
  }
  std::ranges::sort(files);
  return files;
}

struct FoundSeries {
  Series about;
  std::vector<std::optional<Frame>> frames;  ///< of each file
};

/// Adds an image file to its series; anything else is passed over.
void add(std::map<std::string, FoundSeries>& series, const fs::path& file) {
  // What a series needs comes before the pixels' description.
  const auto format = try_open_dicom(file, DCM_BitsAllocated);
  if (!format) return;
  DcmDataset& dataset = *format->getDataset();
  const int columns = whole_number_of(dataset, DCM_Columns), rows = whole_number_of(dataset, DCM_Rows);
  if (columns < 1 || rows < 1) return;
  FoundSeries& found = series[text_of(dataset, DCM_SeriesInstanceUID)];
  found.frames.push_back(frame_of_header(dataset));
  Series& its = found.about;
  its.paths.push_back(file);
  if (its.files++ > 0) return;
  dataset.convertToUTF8();
  its.uid = text_of(dataset, DCM_SeriesInstanceUID);
  its.description = text_of(dataset, DCM_SeriesDescription);
  its.modality = text_of(dataset, DCM_Modality);
  its.patient_name = text_of(dataset, DCM_PatientName);
  its.study_date = text_of(dataset, DCM_StudyDate);
  its.columns = columns;
  its.rows = rows;
}

/// A series as one, or each of its stacks as a series.
std::vector<Series> stacks_of(const FoundSeries& found) {
  std::vector<Frame> frames;
  for (std::size_t file = 0; file < found.frames.size(); ++file) {
    if (!found.frames[file]) return {found.about};
    frames.push_back(*found.frames[file]);
    frames.back().file = file;
  }
  const std::vector<FrameStack> stacks = split_stacks(std::move(frames));
  if (stacks.size() < 2) return {found.about};
  std::vector<Series> series;
  for (const FrameStack& stack : stacks) {
    Series its = found.about;
    its.uid = fmt::format("{}#{}", found.about.uid, series.size() + 1);
    its.description += (its.description.empty() ? "" : ", ") + stack.name;
    its.files = static_cast<int>(stack.frames.size());
    its.paths.clear();
    for (const Frame& frame : stack.frames) its.paths.push_back(found.about.paths[frame.file]);
    series.push_back(std::move(its));
  }
  return series;
}

}  // namespace

std::vector<Series> list_series(const fs::path& folder, const jobs::Progress& progress) {
  const std::vector<fs::path> files = files_in(folder, progress);
  std::map<std::string, FoundSeries> by_uid;
  for (std::size_t at = 0; at < files.size(); ++at) {
    progress.check();
    progress.report(static_cast<double>(at) / static_cast<double>(files.size()), "looking for DICOM series");
    if (format_of(files[at]) == FileFormat::dicom) add(by_uid, files[at]);
  }
  if (by_uid.empty()) {
    throw InputError(folder, 0, fmt::format("no DICOM images among {} files", files.size()),
                     "Choose another folder.");
  }
  std::vector<Series> series;
  for (const auto& [uid, found] : by_uid) {
    for (Series& its : stacks_of(found)) series.push_back(std::move(its));
  }
  std::ranges::stable_sort(series, std::ranges::greater{}, &Series::files);
  return series;
}

}  // namespace isolume::images
