#include "core/dicom/frames/read_dicom.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dicom/data/dicom_file.h"
#include "core/dicom/data/transfer_syntax.h"
#include "core/dicom/frames/frame_reader.h"
#include "core/dicom/frames/frames.h"
#include "core/dicom/frames/series.h"
#include "core/images/colours.h"
#include "core/images/readers.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

Series chosen_series(const fs::path& folder, const images::ReadOptions& options, images::Document& document,
                     const jobs::Progress& progress) {
  FolderContents contents = look_through(folder, progress);
  document.remarks = std::move(contents.remarks);
  document.overlays = std::move(contents.overlays);
  const std::vector<Series>& all = contents.series;
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
  std::vector<Frame> frames;         ///< those that can be combined in one volume
  Remarks remarks;

  const PixelLayout& layout_of(const Frame& frame) const { return contents[frame.file].layout; }
  std::string name_of(const Frame& frame) const {
    const std::string file = files[frame.file].filename().string();
    return contents[frame.file].frames.size() > 1 ? fmt::format("{} frame {}", file, frame.number + 1) : file;
  }
};

/// The storage of numbers may differ within a series.
bool share_a_volume(const PixelLayout& a, const PixelLayout& b) {
  return a.columns == b.columns && a.rows == b.rows && a.is_grey() == b.is_grey();
}

void keep_most_frequent_size(Headers& headers) {
  const auto alike = [&](const FileFrames& one) {
    return std::ranges::count_if(
        headers.contents, [&](const FileFrames& other) { return share_a_volume(one.layout, other.layout); });
  };
  const auto most = std::ranges::max_element(headers.contents, {}, alike);
  std::vector<std::string> left_out;
  for (std::size_t file = 0; file < headers.files.size(); ++file) {
    const FileFrames& contents = headers.contents[file];
    if (!share_a_volume(contents.layout, most->layout)) {
      left_out.push_back(headers.files[file].filename().string());
      continue;
    }
    headers.remarks.add(contents.remarks);  // most files of a series have the same remarks
    for (Frame frame : contents.frames) {
      frame.file = file;
      headers.frames.push_back(std::move(frame));
    }
  }
  if (left_out.empty()) return;
  headers.remarks.dropped(
      fmt::format("{} of {} files are left out, as they have another size, or colours: {}.", left_out.size(),
                  headers.files.size(), first_names(left_out)),
      left_out.size());
}

/// An attribute that all files of a volume have in common, and its name. An absent one agrees with any.
struct Common {
  const char* name;
  std::string FileFrames::*text;
};
constexpr std::array commons{
    Common{"patient (Patient ID)", &FileFrames::patient_id},
    Common{"study", &FileFrames::study_uid},
    Common{"kind (SOP Class)", &FileFrames::sop_class_uid},
    Common{"unit", &FileFrames::unit},
    Common{"unit (Rescale Type)", &FileFrames::rescale_type},
    Common{"frame of reference", &FileFrames::frame_of_reference_uid},
};

/// The text of most files.
std::string most_frequent(const std::vector<FileFrames>& contents, std::string FileFrames::*text) {
  std::map<std::string, std::size_t> counts;
  for (const FileFrames& one : contents) {
    if (!(one.*text).empty()) ++counts[one.*text];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return most == counts.end() ? "" : most->first;
}

/// Positions of another frame of reference, values in another unit and slices of another patient do not belong to the
/// volume.
void keep_what_belongs_together(Headers& headers) {
  for (const auto& [name, text] : commons) {
    const std::string kept = most_frequent(headers.contents, text);
    std::vector<fs::path> files;
    std::vector<FileFrames> contents;
    std::vector<std::string> left_out;
    const std::size_t all = headers.files.size();
    for (std::size_t file = 0; file < all; ++file) {
      const std::string& its = headers.contents[file].*text;
      if (!its.empty() && its != kept) {
        left_out.push_back(headers.files[file].filename().string());
        continue;
      }
      files.push_back(headers.files[file]);
      contents.push_back(headers.contents[file]);
    }
    if (left_out.empty()) continue;
    // Some programs that remove names give every file a frame of reference of its own.
    if (text == &FileFrames::frame_of_reference_uid && 2 * files.size() < all) {
      headers.remarks.warn(
          "Its slices have different frames of reference: their positions relative to each other are "
          "doubtful.");
      continue;
    }
    headers.remarks.dropped(fmt::format("{} of {} files are left out, as their {} is not that of most: {}.",
                                        left_out.size(), all, name, first_names(left_out)),
                            left_out.size());
    headers.files = std::move(files);
    headers.contents = std::move(contents);
  }
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
      FileFrames contents = frames_of(file, *format->getDataset());
      // Most files of a series repeat one table, of up to 128 KiB.
      if (!headers.contents.empty() && contents.lut && headers.contents.back().lut &&
          *contents.lut == *headers.contents.back().lut) {
        contents.lut = headers.contents.back().lut;
      }
      headers.contents.push_back(std::move(contents));
      headers.files.push_back(file);
    } catch (const InputError& error) {
      damaged.emplace_back(error.what());
      if (damaged.size() == files.size()) throw;
    }
  }
  if (!damaged.empty()) {
    headers.remarks.dropped(sentence_of_unreadable(damaged, files.size()), damaged.size());
  }
  keep_what_belongs_together(headers);
  keep_most_frequent_size(headers);
  return headers;
}

/// Pixel type of a volume's slices, and the meaning of its numbers.
struct Storage {
  images::PixelType type = images::PixelType::uint8;
  double slope = 1, intercept = 0;
  bool converts = false;  ///< from the slice's stored type
  bool rescales = false;  ///< by the slice's own slope and intercept, or its table
};

/// Range of slice values, rescaled or as stored.
struct Extent {
  double low = 0, high = 0;
  bool is_whole = true;
  bool needs_double = false;

  void include(const PixelLayout& layout, double slope, double intercept) {
    is_whole = is_whole && !layout.is_float && layout.is_grey() && std::trunc(slope) == slope &&
               std::trunc(intercept) == intercept;
    needs_double = needs_double || (layout.is_grey() && layout.bits_stored > 24 &&
                                    !(layout.is_float && layout.bits_allocated == 32));
    const double values = std::exp2(layout.bits_stored);
    const double lowest = layout.is_signed ? -values / 2 : 0, highest = lowest + values - 1;
    for (const double end : {lowest, highest}) {
      low = std::min(low, slope * end + intercept);
      high = std::max(high, slope * end + intercept);
    }
  }
  void include(const ModalityLut& lut) {
    const auto [least, most] = std::ranges::minmax(lut.values);
    low = std::min(low, static_cast<double>(least));
    high = std::max(high, static_cast<double>(most));
  }
  images::PixelType type() const {
    const auto fits = [&]<class Integer>(Integer) {
      return low >= std::numeric_limits<Integer>::min() && high <= std::numeric_limits<Integer>::max();
    };
    if (is_whole && fits(std::int16_t{})) return images::PixelType::int16;
    if (is_whole && fits(std::int32_t{})) return images::PixelType::int32;
    return needs_double ? images::PixelType::float64 : images::PixelType::float32;
  }
};

Storage storage_of(const std::vector<Frame>& frames, const Headers& headers) {
  const Frame& first = frames.front();
  const PixelLayout& layout = headers.layout_of(first);
  Storage storage{.type = pixel_type_of(layout), .slope = first.slope, .intercept = first.intercept};
  for (const Frame& frame : frames) {
    storage.rescales |= frame.slope != first.slope || frame.intercept != first.intercept ||
                        headers.contents[frame.file].lut != nullptr;
    storage.converts |= pixel_type_of(headers.layout_of(frame)) != storage.type;
  }
  storage.converts |= storage.rescales;
  if (storage.converts) {
    Extent extent;
    for (const Frame& frame : frames) {
      if (const auto& lut = headers.contents[frame.file].lut) {
        extent.include(*lut);
        continue;
      }
      extent.include(headers.layout_of(frame), storage.rescales ? frame.slope : 1,
                     storage.rescales ? frame.intercept : 0);
    }
    storage.type = extent.type();
  }
  if (storage.rescales || !layout.is_grey()) storage.slope = 1, storage.intercept = 0;
  return storage;
}

void convert(const std::byte* stored, images::PixelType stored_type, double slope, double intercept,
             std::byte* target, images::PixelType type, std::size_t count) {
  visit_pixel_type(stored_type, [&](auto from) {
    visit_pixel_type(type, [&](auto to) {
      const auto* numbers = reinterpret_cast<const decltype(from)*>(stored);
      auto* values = reinterpret_cast<decltype(to)*>(target);
      for (std::size_t at = 0; at < count; ++at) {
        values[at] = static_cast<decltype(to)>(slope * static_cast<double>(numbers[at]) + intercept);
      }
    });
  });
}

void look_up(const std::byte* stored, images::PixelType stored_type, const ModalityLut& lut,
             std::byte* target, images::PixelType type, std::size_t count) {
  visit_pixel_type(stored_type, [&](auto from) {
    visit_pixel_type(type, [&](auto to) {
      const auto* numbers = reinterpret_cast<const decltype(from)*>(stored);
      auto* values = reinterpret_cast<decltype(to)*>(target);
      for (std::size_t at = 0; at < count; ++at)
        values[at] = static_cast<decltype(to)>(lut.value(static_cast<std::int64_t>(numbers[at])));
    });
  });
}

/// Reads slices of a volume; not thread-safe.
class SliceReader {
 public:
  SliceReader(const Headers& headers, const std::vector<Frame>& slices, const Storage& storage)
      : headers_(headers), slices_(slices), storage_(storage) {}

  /// `colours`: those of the volume; null for grey ones.
  void read(std::size_t slice, std::byte* memory, std::uint8_t* colours) {
    const Frame& frame = slices_[slice];
    const fs::path& file = headers_.files[frame.file];
    const PixelLayout& layout = headers_.layout_of(frame);
    if (!reader_ || reader_->file() != file) open(headers_.contents[frame.file], file);
    const std::size_t pixels = layout.pixels();
    std::byte* target = memory + slice * pixels * bytes_of(storage_.type);
    if (colours != nullptr) colours += 3 * slice * pixels;
    if (!storage_.converts) {
      read_stored(frame, target, colours);
    } else {
      const images::PixelType stored_type = pixel_type_of(layout);
      stored_.resize(pixels * bytes_of(stored_type));
      read_stored(frame, stored_.data(), colours);
      if (const auto& lut = headers_.contents[frame.file].lut) {
        look_up(stored_.data(), stored_type, *lut, target, storage_.type, pixels);
      } else {
        convert(stored_.data(), stored_type, storage_.rescales ? frame.slope : 1,
                storage_.rescales ? frame.intercept : 0, target, storage_.type, pixels);
      }
    }
    remarks_.add(reader_->remarks());
  }
  const Remarks& remarks() const { return remarks_; }

 private:
  void open(const FileFrames& contents, const fs::path& file) {
    PixelLayout picture = contents.layout;
    picture.columns *= contents.tiles_across;
    picture.rows *= contents.tiles_down;
    reader_.emplace(file, picture);
    mosaic_.clear();
  }

  /// The numbers of a frame; for a mosaic, those of its tile.
  void read_stored(const Frame& frame, std::byte* target, std::uint8_t* colours) {
    const FileFrames& contents = headers_.contents[frame.file];
    const PixelLayout& layout = contents.layout;
    const auto across = static_cast<std::size_t>(contents.tiles_across),
               down = static_cast<std::size_t>(contents.tiles_down);
    if (across * down == 1) return reader_->read(frame.number, target, colours);
    const std::size_t pixel = bytes_of(pixel_type_of(layout));
    if (mosaic_.empty()) {
      mosaic_.resize(layout.pixels() * across * down * pixel);
      reader_->read(0, mosaic_.data());
    }
    const auto tile = static_cast<std::size_t>(frame.number), rows = static_cast<std::size_t>(layout.rows);
    const std::size_t row_bytes = static_cast<std::size_t>(layout.columns) * pixel;
    const std::byte* from = mosaic_.data() + ((tile / across) * rows * across + tile % across) * row_bytes;
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(target + row * row_bytes, from + row * across * row_bytes, row_bytes);
  }

  const Headers& headers_;
  const std::vector<Frame>& slices_;
  Storage storage_;
  std::vector<std::byte> mosaic_;  ///< the whole picture, from which tiles are taken
  std::optional<FrameReader> reader_;
  std::vector<std::byte> stored_;
  Remarks remarks_;
};

/// Returns remarks from decoding the slices.
Remarks read_slices(images::Volume& volume, const Headers& headers, const std::vector<Frame>& slices,
                    const Storage& storage, const jobs::Progress& progress) {
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, volume.type);
  const PixelLayout& layout = headers.layout_of(slices.front());
  std::uint8_t* colours = layout.is_grey() ? nullptr : add_colours(volume, full_colour_of(layout));
  std::atomic<std::size_t> done{0};
  std::mutex mutex;
  Remarks remarks;
  const auto read = [&](const tbb::blocked_range<std::size_t>& range) {
    SliceReader reader(headers, slices, storage);
    for (std::size_t slice = range.begin(); slice != range.end(); ++slice) {
      progress.check();
      reader.read(slice, memory.get(), colours);
      progress.report(static_cast<double>(++done) / static_cast<double>(slices.size()), "reading slices");
    }
    const std::scoped_lock lock(mutex);
    remarks.add(reader.remarks());
  };
  // For a file with many frames, each range parses its header again.
  const std::size_t grain = headers.files.size() > 1 ? 4 : slices.size() / 8 + 1;
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, slices.size(), grain), read);
  volume.storage = memory;
  return remarks;
}

images::DicomSource source_of(DcmItem& dataset) {
  const auto text = [&](const DcmTagKey& tag) { return text_of(dataset, tag); };
  images::DicomSource source;
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

std::vector<images::DicomSource::Slice> slices_of(const Headers& headers, const Stack& stack) {
  std::vector<images::DicomSource::Slice> slices;
  for (const Frame& frame : stack.frames) {
    const auto k = static_cast<double>(slices.size());
    const FileFrames& file = headers.contents[frame.file];
    slices.push_back(
        {.file = headers.files[frame.file],
         .sop_class_uid = file.sop_class_uid,
         .sop_instance_uid = file.sop_instance_uid,
         .frame = file.is_multi_frame ? frame.number + 1 : 0,
         .position_mm = frame.place ? frame.place->position_mm : stack.geometry.position({0, 0, k})});
  }
  return slices;
}

std::string title_of(const images::DicomSource& source, std::size_t slices) {
  std::string title = source.modality;
  for (const std::string& part : {source.series_description, source.body_part}) {
    if (part.empty()) continue;
    title += (title.empty() ? "" : " ") + part;
    break;
  }
  return fmt::format("{}, {} slice{}", title.empty() ? "DICOM" : title, slices, slices == 1 ? "" : "s");
}

/// "L", "PF": directions in the patient in which an axis increases, the main one first (PS3.3 C.7.6.1.1.1); nothing
/// for letters used for animals and others.
std::optional<Eigen::Vector3d> direction_of(std::string_view letters) {
  Eigen::Vector3d direction = Eigen::Vector3d::Zero();
  double weight = 1;
  for (const char letter : letters) {
    const auto at = std::string_view("LPHRAF").find(letter);
    if (at == std::string_view::npos) return std::nullopt;
    direction[static_cast<int>(at % 3)] += at < 3 ? weight : -weight;
    weight /= 2;
  }
  if (direction.isZero()) return std::nullopt;
  return direction.normalized();
}

/// For an image without a position, but possibly with the orientation of its rows and columns.
void take_sides(images::Geometry& geometry, DcmItem& dataset) {
  const std::vector<std::string> sides = values_of(text_of(dataset, DCM_PatientOrientation));
  const auto x = sides.size() == 2 ? direction_of(sides[0]) : std::nullopt,
             y = sides.size() == 2 ? direction_of(sides[1]) : std::nullopt;
  if (!(x && y && x->cross(*y).norm() > 0.5)) {
    geometry.frame = grid::Frame::own;
    return;
  }
  const Eigen::Vector3d across = x->cross(*y).normalized();
  geometry.set_direction(0, *x);
  geometry.set_direction(1, across.cross(*x));
  geometry.set_direction(2, across);
}

/// Selects one of the volumes that a series has at its positions. Throws Error if it does not exist.
std::vector<Frame> frames_at(const images::ReadOptions& options, std::vector<Frame> frames,
                             const PixelLayout& layout, images::Document& document) {
  std::vector<FrameStack> stacks = split_stacks(std::move(frames), layout, document.remarks);
  grid::require_time_point(document.path, options.time_point, static_cast<int>(stacks.size()));
  document.time.index = options.time_point;
  if (stacks.size() > 1) {
    for (const FrameStack& stack : stacks) document.time.names.push_back(stack.name);
  }
  if (stacks.size() > 1 && options.mentions_others) {
    document.remarks.dropped(
        fmt::format(
            "There are {} volumes {}; one is shown at a time, the first unless the parameter \"Time point\" "
            "chooses another one.",
            stacks.size(),
            stacks.front().name.starts_with("stack") ? "in this series" : "at the same position"),
        stacks.size() - 1);
  }
  return std::move(stacks[static_cast<std::size_t>(options.time_point)].frames);
}

void remark_on_storage(const std::vector<Frame>& frames, const Headers& headers, Remarks& remarks) {
  const PixelLayout& first = headers.layout_of(frames.front());
  const auto others = static_cast<std::size_t>(std::ranges::count_if(frames, [&](const Frame& frame) {
    const PixelLayout& layout = headers.layout_of(frame);
    return layout.bits_stored != first.bits_stored || layout.high_bit != first.high_bit ||
           layout.bits_allocated != first.bits_allocated || layout.is_signed != first.is_signed;
  }));
  const auto inverted = static_cast<std::size_t>(std::ranges::count_if(
      frames, [&](const Frame& frame) { return headers.layout_of(frame).photometric != first.photometric; }));
  if (first.is_grey() && inverted > 0) {
    remarks.warn(
        fmt::format("{} of {} slices are meant to be drawn the other way round than the first (MONOCHROME1 "
                    "and MONOCHROME2): all are drawn as the first is, with {} values bright.",
                    inverted, frames.size(), first.photometric == "MONOCHROME1" ? "low" : "high"));
  }
  if (others == 0) return;
  remarks.converted(
      fmt::format(
          "{} of {} slices are stored with other bits or another sign than the first: each is read by its "
          "own header.",
          others, frames.size()),
      others);
}

/// The common scale of all slices; in PET each file has its own.
std::optional<images::UptakeScale> uptake_of(const std::vector<Frame>& frames, const Headers& headers) {
  std::optional<images::UptakeScale> first;
  double least = 0, most = 0;
  for (const Frame& frame : frames) {
    const auto& uptake = headers.contents[frame.file].uptake;
    if (!uptake || uptake->per_value == 0) return uptake;
    if (!first) first = uptake, least = most = uptake->per_value;
    least = std::min(least, uptake->per_value);
    most = std::max(most, uptake->per_value);
    for (images::RelativeUptake images::UptakeScale::*relative :
         {&images::UptakeScale::lean, &images::UptakeScale::surface}) {
      if ((*uptake.*relative).factor != (*first.*relative).factor)
        *first.*relative = {.factor = 0, .missing = "The slices' headers give different heights or sexes."};
    }
  }
  // Scan times computed from those of the frames differ by rounding.
  constexpr double rounding = 1e-3;
  if (first && most - least > rounding * least) {
    return images::UptakeScale{
        .per_value = 0,
        .missing = fmt::format("The slices' headers lead to different factors, {:.4g} to "
                               "{:.4g} g/ml per stored unit.",
                               least, most)};
  }
  return first;
}

}  // namespace

images::Document read_dicom(const fs::path& path, const images::ReadOptions& options,
                            const jobs::Progress& progress) {
  std::error_code failed;
  // A DICOMDIR lists the files next to it.
  const bool is_directory_file = path.filename() == "DICOMDIR" && !fs::is_directory(path, failed);
  const fs::path folder = is_directory_file ? path.parent_path() : path;
  Series series;
  series.paths = {path};
  images::Document document;
  document.path = path;
  if (fs::is_directory(folder, failed))
    series = chosen_series(folder, options, document, progress.part(0, 0.2));
  const Headers headers = read_headers(series.paths, progress.part(0.2, 0.4));
  document.remarks.add(headers.remarks);
  const auto name_of = [&](const Frame& frame) { return headers.name_of(frame); };
  std::vector<Frame> alike = alike_frames(headers.frames, name_of, document.remarks);
  const PixelLayout& any_layout = headers.layout_of(alike.front());
  std::vector<Frame> frames = frames_at(options, std::move(alike), any_layout, document);
  const PixelLayout& layout = headers.layout_of(frames.front());
  const Stack stack = stack_frames(std::move(frames), layout, name_of, document.remarks);
  remark_on_storage(stack.frames, headers, document.remarks);
  images::Volume& volume = document.volume;
  volume.geometry = stack.geometry;
  const Frame& middle = stack.frames[stack.frames.size() / 2];
  if (layout.is_grey()) document.windows = middle.windows;  // PS3.3 C.11.2: colours have none

  const fs::path& file_of_middle = headers.files[middle.file];
  images::require_grid(file_of_middle, stack.geometry);
  const auto format = open_dicom(file_of_middle);
  DcmDataset& dataset = *format->getDataset();
  dataset.convertToUTF8();
  document.dicom = source_of(dataset);
  if (!document.dicom->series_uid.empty())
    document.dicom->series_key = series.uid.empty() ? document.dicom->series_uid : series.uid;
  document.dicom->is_placed = middle.place.has_value();
  if (!middle.place) take_sides(volume.geometry, dataset);
  if (!volume.geometry.has_sides()) document.remarks.assumed(images::sides_remark);
  document.dicom->slices = slices_of(headers, stack);
  document.title = title_of(*document.dicom, stack.frames.size());
  if (document.time.has_several()) document.title += ", " + document.time.name();

  const Storage storage = storage_of(stack.frames, headers);
  volume.type = storage.type;
  volume.slope = storage.slope;
  volume.intercept = storage.intercept;
  volume.is_low_bright = layout.photometric == "MONOCHROME1";
  if (layout.is_grey()) {
    volume.unit = headers.contents[middle.file].unit;
    document.uptake = uptake_of(stack.frames, headers);
  }
  if (document.uptake && document.uptake->per_value == 0)
    document.remarks.warn("There are no standardised uptake values (SUV). " + document.uptake->missing);
  document.remarks.add(read_slices(volume, headers, stack.frames, storage, progress.part(0.4, 1)));
  return document;
}

}  // namespace isolume::dicom
