#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/images/dicom_file.h"
#include "core/images/dicom_frames.h"
#include "core/images/frame_reader.h"
#include "core/images/readers.h"
#include "core/images/transfer_syntax.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;

Series chosen_series(const fs::path& folder, const ReadOptions& options, Remarks& remarks,
                     const jobs::Progress& progress) {
  auto [all, found] = look_through(folder, progress);
  remarks = std::move(found);
  const auto wanted = std::ranges::find(all, options.series_uid, &Series::uid);
  if (wanted != all.end()) return *wanted;
  if (options.series_uid.empty() && all.size() == 1) return all.front();
  std::string listed;
  for (const Series& series : all) {
    listed += fmt::format("{}{} ({} {}, {} files)", listed.empty() ? "" : "; ", series.uid, series.modality,
                          isolume::quoted(series.description), series.files);
  }
  if (options.series_uid.empty()) {
    throw Error(
        fmt::format("{}: holds {} series. Choose one by its UID: {}.", folder.string(), all.size(), listed));
  }
  throw Error(fmt::format("{}: there is no series {}. There are: {}.", folder.string(),
                          isolume::quoted(options.series_uid, 64), listed));
}

struct Headers {
  std::vector<fs::path> files;
  std::vector<FileFrames> contents;  ///< one for each file
  PixelLayout layout;                ///< what most files have
  std::vector<Frame> frames;         ///< of the files of this layout
  Remarks remarks;
};

void keep_most_frequent_layout(Headers& headers) {
  const auto with_layout_of = [&](const FileFrames& one) {
    return std::ranges::count(headers.contents, one.layout, &FileFrames::layout);
  };
  const auto most = std::ranges::max_element(headers.contents, {}, with_layout_of);
  headers.layout = most->layout;
  const auto left_out = std::ssize(headers.files) - with_layout_of(*most);
  if (left_out == 0) return;
  headers.remarks.dropped(fmt::format("{} of {} files are left out: their size or pixel type differs.",
                                      left_out, headers.files.size()),
                          static_cast<std::size_t>(left_out));
}

Headers read_headers(const std::vector<fs::path>& files, const jobs::Progress& progress) {
  Headers headers;
  std::vector<std::string> damaged;
  for (const fs::path& file : files) {
    progress.check();
    progress.report(static_cast<double>(headers.files.size()) / static_cast<double>(files.size()),
                    "reading headers");
    try {
      const auto format = open_dicom(file);
      require_readable_packing(file, *format);
      headers.contents.push_back(frames_of(file, *format->getDataset()));
      headers.files.push_back(file);
    } catch (const InputError& error) {
      damaged.emplace_back(error.what());
      if (damaged.size() == files.size()) throw;
    }
  }
  if (!damaged.empty()) {
    headers.remarks.dropped(sentence_of_unreadable(damaged, files.size()), damaged.size());
  }
  keep_most_frequent_layout(headers);
  for (std::size_t file = 0; file < headers.files.size(); ++file) {
    const FileFrames& contents = headers.contents[file];
    if (contents.layout != headers.layout) continue;
    headers.remarks.add(contents.remarks);  // most files of a series say the same
    for (Frame frame : contents.frames) {
      frame.file = file;
      headers.frames.push_back(std::move(frame));
    }
  }
  return headers;
}

/// Where slices have slopes or intercepts of their own: the type that holds what they mean.
PixelType type_of_meaning(const std::vector<Frame>& frames, const PixelLayout& layout) {
  const double values = std::exp2(layout.bits_stored);
  const double lowest = layout.is_signed ? -values / 2 : 0, highest = lowest + values - 1;
  double low = 0, high = 0;
  bool is_whole = !layout.is_float && layout.is_grey();
  for (const Frame& frame : frames) {
    is_whole =
        is_whole && std::trunc(frame.slope) == frame.slope && std::trunc(frame.intercept) == frame.intercept;
    for (const double end : {lowest, highest}) {
      low = std::min(low, frame.slope * end + frame.intercept);
      high = std::max(high, frame.slope * end + frame.intercept);
    }
  }
  const auto fits = [&]<class Integer>(Integer) {
    return low >= std::numeric_limits<Integer>::min() && high <= std::numeric_limits<Integer>::max();
  };
  if (is_whole && fits(std::int16_t{})) return PixelType::int16;
  if (is_whole && fits(std::int32_t{})) return PixelType::int32;
  return PixelType::float32;
}

void rescale(const std::byte* stored, PixelType stored_type, const Frame& frame, std::byte* target,
             PixelType type, std::size_t count) {
  visit_pixel_type(stored_type, [&](auto from) {
    visit_pixel_type(type, [&](auto to) {
      const auto* numbers = reinterpret_cast<const decltype(from)*>(stored);
      auto* values = reinterpret_cast<decltype(to)*>(target);
      for (std::size_t at = 0; at < count; ++at) {
        values[at] =
            static_cast<decltype(to)>(frame.slope * static_cast<double>(numbers[at]) + frame.intercept);
      }
    });
  });
}

/// Reads slices of a volume, for one thread.
class SliceReader {
 public:
  SliceReader(const Headers& headers, const std::vector<Frame>& slices, PixelType type, bool rescales)
      : headers_(headers), slices_(slices), type_(type), rescales_(rescales) {}

  void read(std::size_t slice, std::byte* memory) {
    const Frame& frame = slices_[slice];
    const fs::path& file = headers_.files[frame.file];
    if (!reader_ || reader_->file() != file) reader_.emplace(file, headers_.layout);
    const std::size_t pixels = headers_.layout.pixels();
    std::byte* target = memory + slice * pixels * bytes_of(type_);
    if (!rescales_) {
      reader_->read(frame.number, target);
    } else {
      const PixelType stored_type = pixel_type_of(headers_.layout);
      stored_.resize(pixels * bytes_of(stored_type));
      reader_->read(frame.number, stored_.data());
      rescale(stored_.data(), stored_type, frame, target, type_, pixels);
    }
    remarks_.add(reader_->remarks());
  }
  const Remarks& remarks() const { return remarks_; }

 private:
  const Headers& headers_;
  const std::vector<Frame>& slices_;
  PixelType type_;
  bool rescales_;
  std::optional<FrameReader> reader_;
  std::vector<std::byte> stored_;
  Remarks remarks_;
};

/// Returns what the slices' pixels told.
Remarks read_slices(Volume& volume, const Headers& headers, const std::vector<Frame>& slices, bool rescales,
                    const jobs::Progress& progress) {
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, volume.type);
  std::atomic<std::size_t> done{0};
  std::mutex mutex;
  Remarks remarks;
  const auto read = [&](const tbb::blocked_range<std::size_t>& range) {
    SliceReader reader(headers, slices, volume.type, rescales);
    for (std::size_t slice = range.begin(); slice != range.end(); ++slice) {
      progress.check();
      reader.read(slice, memory.get());
      progress.report(static_cast<double>(++done) / static_cast<double>(slices.size()), "reading slices");
    }
    const std::scoped_lock lock(mutex);
    remarks.add(reader.remarks());
  };
  // Each range of a file with many frames parses its header again.
  const std::size_t grain = headers.files.size() > 1 ? 4 : slices.size() / 8 + 1;
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, slices.size(), grain), read);
  volume.storage = memory;
  return remarks;
}

std::string unit_of(DcmItem& dataset, const std::string& modality) {
  std::string unit = text_of(dataset, DCM_RescaleType);
  DcmItem* shared = item_of(dataset, DCM_SharedFunctionalGroupsSequence);
  DcmItem* transformation =
      shared != nullptr ? item_of(*shared, DCM_PixelValueTransformationSequence) : nullptr;
  if (unit.empty() && transformation != nullptr) unit = text_of(*transformation, DCM_RescaleType);
  if (unit == "US") unit.clear();  // unspecified
  if (unit.empty() && modality == "CT") return "HU";
  if (unit.empty() && modality == "PT") unit = text_of(dataset, DCM_Units);
  if (unit.empty() && modality == "RTDOSE") unit = text_of(dataset, DCM_DoseUnits);
  if (unit == "BQML") return "Bq/ml";
  if (unit == "GY") return "Gy";
  return unit;
}

DicomSource source_of(DcmItem& dataset) {
  const auto text = [&](const DcmTagKey& tag) { return text_of(dataset, tag); };
  DicomSource source;
  source.patient_name = text(DCM_PatientName);
  source.patient_id = text(DCM_PatientID);
  source.patient_birth_date = text(DCM_PatientBirthDate);
  source.patient_sex = text(DCM_PatientSex);
  source.study_uid = text(DCM_StudyInstanceUID);
  source.study_date = text(DCM_StudyDate);
  source.study_time = text(DCM_StudyTime);
  source.study_id = text(DCM_StudyID);
  source.accession_number = text(DCM_AccessionNumber);
  source.referring_physician = text(DCM_ReferringPhysicianName);
  source.study_description = text(DCM_StudyDescription);
  source.series_uid = text(DCM_SeriesInstanceUID);
  source.series_number = text(DCM_SeriesNumber);
  source.series_description = text(DCM_SeriesDescription);
  source.modality = text(DCM_Modality);
  source.body_part = text(DCM_BodyPartExamined);
  source.frame_of_reference_uid = text(DCM_FrameOfReferenceUID);
  source.position_reference_indicator = text(DCM_PositionReferenceIndicator);
  source.manufacturer = text(DCM_Manufacturer);
  source.manufacturer_model = text(DCM_ManufacturerModelName);
  return source;
}

std::vector<DicomSource::Slice> slices_of(const Headers& headers, const Stack& stack) {
  std::vector<DicomSource::Slice> slices;
  for (const Frame& frame : stack.frames) {
    const auto k = static_cast<double>(slices.size());
    const FileFrames& file = headers.contents[frame.file];
    slices.push_back(
        {.file = headers.files[frame.file],
         .sop_class_uid = file.sop_class_uid,
         .sop_instance_uid = file.sop_instance_uid,
         .frame = file.is_multi_frame ? frame.number + 1 : 0,
         .position_mm = frame.place ? frame.place->position_mm : stack.geometry.position_mm({0, 0, k})});
  }
  return slices;
}

std::string title_of(const DicomSource& source, std::size_t slices) {
  std::string title = source.modality;
  for (const std::string& part : {source.series_description, source.body_part}) {
    if (part.empty()) continue;
    title += (title.empty() ? "" : " ") + part;
    break;
  }
  return fmt::format("{}, {} slice{}", title.empty() ? "DICOM" : title, slices, slices == 1 ? "" : "s");
}

bool have_one_rescale(const std::vector<Frame>& frames) {
  return std::ranges::all_of(frames, [&](const Frame& frame) {
    return frame.slope == frames.front().slope && frame.intercept == frames.front().intercept;
  });
}

/// The volume without its voxels.
Volume describe_volume(const Stack& stack, const PixelLayout& layout) {
  Volume volume;
  volume.geometry = stack.geometry;
  if (!have_one_rescale(stack.frames)) {
    volume.type = type_of_meaning(stack.frames, layout);
    return volume;
  }
  volume.type = pixel_type_of(layout);
  if (!layout.is_grey()) return volume;
  volume.slope = stack.frames.front().slope;
  volume.intercept = stack.frames.front().intercept;
  return volume;
}

}  // namespace

Document read_dicom(const fs::path& path, const ReadOptions& options, const jobs::Progress& progress) {
  std::error_code failed;
  // A DICOMDIR lists what lies beside it.
  const bool is_directory_file = path.filename() == "DICOMDIR" && !fs::is_directory(path, failed);
  const fs::path folder = is_directory_file ? path.parent_path() : path;
  Series series;
  series.paths = {path};
  Document document;
  document.path = path;
  if (fs::is_directory(folder, failed))
    series = chosen_series(folder, options, document.remarks, progress.part(0, 0.2));
  const Headers headers = read_headers(series.paths, progress.part(0.2, 0.4));
  document.remarks.add(headers.remarks);
  const Stack stack = stack_frames(headers.frames, headers.layout, document.remarks);
  const Frame& middle = stack.frames[stack.frames.size() / 2];
  document.windows = middle.windows;

  const fs::path& file_of_middle = headers.files[middle.file];
  require_grid(file_of_middle, stack.geometry);
  const auto format = open_dicom(file_of_middle);
  DcmDataset& dataset = *format->getDataset();
  dataset.convertToUTF8();
  document.dicom = source_of(dataset);
  if (!document.dicom->series_uid.empty())
    document.dicom->series_key = series.uid.empty() ? document.dicom->series_uid : series.uid;
  document.dicom->is_placed = middle.place.has_value();
  document.dicom->slices = slices_of(headers, stack);
  document.title = title_of(*document.dicom, stack.frames.size());

  document.volume = describe_volume(stack, headers.layout);
  if (headers.layout.is_grey()) document.volume.unit = unit_of(dataset, document.dicom->modality);
  document.remarks.add(read_slices(document.volume, headers, stack.frames, !have_one_rescale(stack.frames),
                                   progress.part(0.4, 1)));
  return document;
}

}  // namespace isolume::images
