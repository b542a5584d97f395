#include "core/dicom/data/private_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/dicom/data/dicom_file.h"

namespace isolume::dicom {
namespace {

enum class Form { text, float32, float64 };

/// Private b-value element of a manufacturer, as listed in dcm2niix's documentation.
struct BValueElement {
  Uint16 group;
  std::string_view creator;
  Uint16 element;  ///< within the creator's block
  Form form;       ///< if the file does not state it (VR UN)
};
constexpr std::array b_value_elements{
    BValueElement{0x0019, "SIEMENS MR HEADER", 0x0c, Form::text},
    BValueElement{0x0043, "GEMS_PARM_01", 0x39, Form::text},
    BValueElement{0x2001, "Philips Imaging DD 001", 0x03, Form::float32},
    BValueElement{0x0065, "Image Private Header", 0x09, Form::float64},  // United Imaging
};

template <class Number>
std::optional<double> number_in(const Uint8* bytes, unsigned long count) {
  Number number{};
  if (count < sizeof number) return std::nullopt;
  std::memcpy(&number, bytes,
              sizeof number);  // private elements of unknown VR are little-endian (PS3.5, 6.2.2)
  return static_cast<double>(number);
}

/// The first of the values of a text; the others may be anything.
std::optional<double> b_value_in(std::string_view text, std::string_view creator, Remarks& remarks) {
  text = text.substr(0, text.find('\0'));
  text = trimmed(text.substr(0, text.find('\\')));
  const ReadNumbers read = numbers_in(text, true);
  if (read.is_unreadable) {
    remarks.dropped(
        fmt::format("The b-value in the private block {} is {}, which is not a number: it is not used.",
                    creator, isolume::quoted(text, 64)));
  }
  if (read.has_commas) {
    remarks.corrected(
        fmt::format("The b-value in the private block {} is written with a decimal comma, which is read as a "
                    "decimal point.",
                    creator));
  }
  return read.numbers.empty() ? std::nullopt : std::optional(read.numbers.front());
}

std::optional<double> first_number(DcmItem& dataset, const DcmTagKey& tag, const BValueElement& of,
                                   Remarks& remarks) {
  DcmElement* element = nullptr;
  if (dataset.findAndGetElement(tag, element).bad()) return std::nullopt;
  if (element->ident() == EVR_FL || element->ident() == EVR_FD || element->ident() == EVR_IS ||
      element->ident() == EVR_DS) {
    return b_value_in(text_of(*element), of.creator, remarks);
  }
  Uint8* bytes = nullptr;
  if (element->getUint8Array(bytes).bad() || bytes == nullptr) return std::nullopt;
  const unsigned long count = element->getLength();
  if (of.form == Form::text)
    return b_value_in({reinterpret_cast<const char*>(bytes), count}, of.creator, remarks);
  return of.form == Form::float32 ? number_in<float>(bytes, count) : number_in<double>(bytes, count);
}

}  // namespace

std::optional<DcmTagKey> private_tag(DcmItem& dataset, std::uint16_t group, std::string_view creator,
                                     std::uint16_t element) {
  for (Uint16 block = 0x10; block <= 0xff; ++block) {
    const std::string name = text_of(dataset, DcmTagKey(group, block));
    if (name == creator) return DcmTagKey(group, static_cast<Uint16>(block * 0x100 + element));
  }
  return std::nullopt;
}

std::optional<double> private_b_value(DcmItem& dataset, Remarks& remarks) {
  for (const BValueElement& of : b_value_elements) {
    const auto tag = private_tag(dataset, of.group, of.creator, of.element);
    auto value = tag ? first_number(dataset, *tag, of, remarks) : std::nullopt;
    if (!value || !std::isfinite(*value) || *value < 0) continue;
    // GE adds 10^9 if the file also has directions.
    constexpr double beyond_all = 1e5;
    return *value >= beyond_all ? std::fmod(*value, beyond_all) : *value;
  }
  return std::nullopt;
}

std::string private_text(DcmItem& dataset, std::uint16_t group, std::string_view creator,
                         std::uint16_t element) {
  const auto tag = private_tag(dataset, group, creator, element);
  DcmElement* found = nullptr;
  Uint8* bytes = nullptr;
  if (!tag || dataset.findAndGetElement(*tag, found).bad()) return {};
  if (found->isaString()) return text_of(*found);
  if (found->getUint8Array(bytes).bad() || bytes == nullptr) return {};
  std::string text(reinterpret_cast<const char*>(bytes), found->getLength());
  text.erase(text.find_last_not_of(std::string_view(" \0", 2)) + 1);
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

}  // namespace isolume::dicom
