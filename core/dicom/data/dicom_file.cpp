#include "core/dicom/data/dicom_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <ostream>

#include <dcmtk/dcmdata/dcistrmb.h>
#include <dcmtk/dcmdata/dcostrmb.h>
#include <dcmtk/dcmdata/dcwcache.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/dicom/data/nesting.h"
#include "core/images/file_format.h"

namespace isolume::dicom {
namespace {

namespace fs = std::filesystem;

constexpr Uint32 longest_value_read = 4096;

OFCondition load(DcmFileFormat& format, const fs::path& file, const DcmTagKey& until) {
  return format.loadFileUntilTag(file.c_str(), EXS_Unknown, EGL_noChange, longest_value_read, ERM_autoDetect,
                                 until);
}

/// For a file that was decompressed in memory: all values are read.
OFCondition load_unpacked(DcmFileFormat& format, std::string_view content, const DcmTagKey& until) {
  DcmInputBufferStream stream;
  stream.setBuffer(content.data(), static_cast<offile_off_t>(content.size()));
  stream.setEos();
  format.transferInit();
  const OFCondition outcome =
      format.readUntilTag(stream, EXS_Unknown, EGL_noChange, longest_value_read, until);
  format.transferEnd();
  return outcome;
}

std::uint32_t tag_number(const DcmTagKey& tag) {
  return static_cast<std::uint32_t>(tag.getGroup()) << 16 | tag.getElement();
}

/// Whether all characters are complete. Overlong and other forbidden encodings do no harm here.
bool is_utf8(std::string_view text) {
  int following = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool follows = (byte & 0xc0) == 0x80;
    if (follows != (following > 0) || byte >= 0xf8) return false;
    following = follows ? following - 1 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
  }
  return following == 0;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) result += static_cast<char>(0xc0 | byte >> 6);
    result += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
  }
  return result;
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

std::unique_ptr<DcmFileFormat> open_dicom(const fs::path& file, const DcmTagKey& until) {
  prepare_dcmtk();
  std::string content = images::is_gzip(file) ? read_text_file(file) : "";
  check_nesting(file, tag_number(until), content);
  auto format = std::make_unique<DcmFileFormat>();
  OFCondition outcome = content.empty() ? load(*format, file, until) : load_unpacked(*format, content, until);
  if (outcome == EC_SequDelimitationItemMissing) {
    // Some writers omit the delimiter of the last sequence, that of compressed pixels.
    constexpr std::string_view end_of_sequence("\xfe\xff\xdd\xe0\0\0\0\0", 8);
    format = std::make_unique<DcmFileFormat>();
    outcome = load_unpacked(
        *format, (content.empty() ? read_text_file(file) : content).append(end_of_sequence), until);
  }
  if (outcome.bad()) {
    throw InputError(file, 0, fmt::format("not a DICOM file, or a damaged one ({})", outcome.text()),
                     "Copy or export it again.");
  }
  return format;
}

std::unique_ptr<DcmFileFormat> try_open_dicom(const fs::path& file, const DcmTagKey& until) {
  try {
    return open_dicom(file, until);
  } catch (const InputError&) {
    return nullptr;
  }
}

OFCondition write_dicom(DcmFileFormat& format, E_TransferSyntax syntax, std::ostream& out) {
  std::vector<char> room(std::size_t{1} << 18);
  DcmOutputBufferStream stream(room.data(), static_cast<offile_off_t>(room.size()));
  DcmWriteCache cache;
  OFCondition outcome = EC_StreamNotifyClient;  // "buffer is full", as between two pieces
  format.transferInit();
  while (outcome == EC_StreamNotifyClient && out) {
    outcome = format.write(stream, syntax, EET_ExplicitLength, &cache, EGL_recalcGL, EPD_noChange, 0, 0, 0,
                           EWM_fileformat);
    void* bytes = nullptr;
    offile_off_t count = 0;
    stream.flushBuffer(bytes, count);
    out.write(static_cast<const char*>(bytes), count);
  }
  format.transferEnd();
  return outcome == EC_StreamNotifyClient ? EC_Normal : outcome;
}

std::string text_of(DcmElement& element) {
  OFString text;
  if (element.getOFStringArray(text).bad()) return {};
  std::string result(text.c_str(), text.size());
  while (!result.empty() && (result.back() == ' ' || result.back() == '\0')) result.pop_back();
  return is_utf8(result) ? result : utf8_of_latin1(result);
}

std::string text_of(DcmItem& item, const DcmTagKey& tag) {
  DcmElement* element = nullptr;
  return item.findAndGetElement(tag, element).good() ? text_of(*element) : std::string{};
}

std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\\'), text.size());
    const std::string_view value = text.substr(0, end);
    values.emplace_back(trimmed(value));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

ReadNumbers numbers_in(std::string_view text, bool may_have_commas) {
  ReadNumbers read;
  for (std::string& value : values_of(text)) {
    const bool has_comma =
        may_have_commas && std::ranges::count(value, ',') == 1 && value.find('.') == std::string::npos;
    if (has_comma) value[value.find(',')] = '.';
    const std::optional<double> number = parse_finite(value);
    if (!number) return {.numbers = {}, .is_unreadable = true, .has_commas = false};
    read.has_commas |= has_comma;
    read.numbers.push_back(*number);
  }
  return read;
}

ReadNumbers read_numbers(DcmItem& item, const DcmTagKey& tag) {
  DcmElement* element = nullptr;
  if (item.findAndGetElement(tag, element).bad()) return {};
  // As it is in the file: DCMTK's own array of values takes time that grows with the square of their number, 13 s for
  // an outline of 9000 points. Integers might have commas as thousands separators.
  if (char* text = nullptr; element->getString(text).good() && text != nullptr)
    return numbers_in(text, element->ident() == EVR_DS);
  return numbers_in(text_of(*element), false);
}

std::vector<double> numbers_of(DcmItem& item, const DcmTagKey& tag) {
  return read_numbers(item, tag).numbers;
}

std::optional<double> number_of(DcmItem& item, const DcmTagKey& tag) {
  const std::vector<double> numbers = numbers_of(item, tag);
  if (numbers.empty()) return std::nullopt;
  return numbers.front();
}

int whole_number_of(DcmItem& item, const DcmTagKey& tag) {
  const double number = number_of(item, tag).value_or(0);
  if (std::abs(number) > std::numeric_limits<int>::max()) return 0;
  return static_cast<int>(number);
}

DcmItem* item_of(DcmItem& parent, const DcmTagKey& sequence, int index) {
  DcmItem* item = nullptr;
  return parent.findAndGetSequenceItem(sequence, item, index).good() ? item : nullptr;
}

}  // namespace isolume::dicom
