#include "core/dicom/dcmtk.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <mutex>

#include <dcmtk/oflog/oflog.h>
#include <dcmtk/ofstd/ofchrenc.h>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/dicom/nesting.h"

namespace isolume::dicom {
namespace {

bool is_utf8(const std::string& text) {
  OFCharacterEncoding encoding;
  OFString converted;
  return encoding.selectEncoding("UTF-8", "UTF-8").good() &&
         encoding.convertString({text.data(), text.size()}, converted).good();
}

std::string trimmed(std::string_view text) {
  static constexpr std::string_view padding(" \t\r\n\0", 5);
  const auto first = text.find_first_not_of(padding);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(padding) + 1 - first));
}

}  // namespace

void prepare_dcmtk() {
  static std::once_flag once;
  std::call_once(once, [] {
    OFLog::configure(OFLogger::OFF_LOG_LEVEL);
    dcmEnableUnknownVRConversion.set(OFTrue);
    dcmEnableVRCheckerForStringValues.set(OFFalse);
  });
}

std::unique_ptr<DcmFileFormat> load(const std::filesystem::path& path, const char* sop_class,
                                    const std::string& what) {
  prepare_dcmtk();
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw InputError(path, 0, "there is no such file");
  check_nesting(path);
  auto file = std::make_unique<DcmFileFormat>();
  const OFCondition loaded = file->loadFile(path.c_str());
  if (loaded.bad()) {
    throw InputError(path, 0, fmt::format("no DICOM file, or a damaged one ({})", loaded.text()),
                     "Export it again.");
  }
  const std::string found = text(*file->getDataset(), DCM_SOPClassUID);
  if (found != sop_class) {
    const char* name = dcmFindNameOfUID(found.c_str());
    throw InputError(path, 0,
                     fmt::format("no {} but {}", what,
                                 name != nullptr ? std::string(name) : "SOP class " + isolume::quoted(found)),
                     "Choose another file.");
  }
  file->getDataset()->convertToUTF8();  // where it fails, `text` replaces what is no UTF-8
  return file;
}

std::string text(DcmItem& item, const DcmTagKey& tag) {
  const char* found = nullptr;
  if (item.findAndGetString(tag, found).bad() || found == nullptr) return {};
  std::string value = trimmed(found);
  if (!is_utf8(value)) {
    for (char& each : value) {
      if (static_cast<unsigned char>(each) >= 0x80) each = '?';
    }
  }
  return value;
}

std::vector<double> decimals(DcmItem& item, const DcmTagKey& tag) {
  // As one string: getting its values one by one takes a time that grows with their number squared.
  const char* all = nullptr;
  if (item.findAndGetString(tag, all).bad() || all == nullptr) return {};
  std::string_view rest = all;
  std::vector<double> values;
  while (!rest.empty()) {
    const auto end = rest.find('\\');
    const std::string one = trimmed(rest.substr(0, end));
    const char* first = one.c_str() + (one.starts_with('+') ? 1 : 0);
    const char* last = one.c_str() + one.size();
    double value = 0;
    const auto [stopped, problem] = std::from_chars(first, last, value);
    if (problem != std::errc{} || stopped != last || !std::isfinite(value)) return {};
    values.push_back(value);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return values;
}

std::vector<DcmItem*> items(DcmItem& parent, const DcmTagKey& sequence) {
  std::vector<DcmItem*> found;
  DcmSequenceOfItems* list = nullptr;
  if (parent.findAndGetSequence(sequence, list).bad() || list == nullptr) return found;
  // getItem(i) walks from the first; the list knows its next.
  for (DcmObject* item = list->nextInContainer(nullptr); item != nullptr;
       item = list->nextInContainer(item)) {
    if (auto* each = dynamic_cast<DcmItem*>(item)) found.push_back(each);
  }
  return found;
}

std::string decimal_text(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (text.size() > 16) return fmt::format("{:.9g}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

OFString limited(const std::string& text, std::size_t characters) {
  std::string result;
  std::size_t count = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    const bool begins_character = (byte & 0xC0U) != 0x80U;
    if (begins_character && ++count > characters) break;
    result += each == '\\' ? '/' : byte < 0x20 || byte == 0x7F ? ' ' : each;
  }
  return {result.data(), result.size()};
}

std::string new_uid() {
  char uid[65];
  return dcmGenerateUniqueIdentifier(uid, SITE_INSTANCE_UID_ROOT);
}

std::array<int, 3> rgb_of(const std::string& colour) {
  std::array<int, 3> rgb{230, 159, 0};
  if (colour.size() != 7 || colour[0] != '#') return rgb;
  for (std::size_t i = 0; i < 3; ++i) {
    const char* digits = colour.data() + 1 + 2 * i;
    std::from_chars(digits, digits + 2, rgb[i], 16);
  }
  return rgb;
}

std::string colour_of(const std::array<int, 3>& rgb) {
  return fmt::format("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]);
}

const images::DicomSource& source_of(const images::Document& image, const std::string& what) {
  if (!image.dicom || image.dicom->series_uid.empty() || image.dicom->study_uid.empty()) {
    throw Error(
        fmt::format("{} must refer to the DICOM series it was drawn on, and {} is none. Export a label map "
                    "(.nrrd, .nii.gz) instead.",
                    what, image.path.filename().string()));
  }
  const auto& slices = image.dicom->slices;
  if (slices.size() != static_cast<std::size_t>(image.volume.geometry.size[2])) {
    throw Error(fmt::format("{} must refer to the file of every slice, but {} of {} are known.", what,
                            slices.size(), image.volume.geometry.size[2]));
  }
  return *image.dicom;
}

void require(const OFCondition& condition, const std::string& what) {
  if (condition.bad()) throw Error(fmt::format("{}: {}.", what, condition.text()));
}

void save(DcmDataset& data, const std::filesystem::path& path, E_TransferSyntax syntax) {
  AtomicFile file(path);
  DcmFileFormat format(&data);
  require(format.saveFile(file.temporary().c_str(), syntax, EET_ExplicitLength),
          "Could not write " + path.string());
  file.commit();
}

}  // namespace isolume::dicom
