#include "core/images/private_values.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>

#include "core/images/dicom_file.h"

namespace isolume::images {
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

std::optional<double> number_of_text(std::string_view text) {
  const std::size_t start = text.find_first_not_of(' ');
  if (start == std::string_view::npos) return std::nullopt;
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data() + start, text.data() + text.size(), value);
  const bool is_whole = end == text.data() + text.size() || *end == '\\' || *end == ' ' || *end == '\0';
  return failed == std::errc() && is_whole ? std::optional(value) : std::nullopt;
}

std::optional<double> first_number(DcmItem& dataset, const DcmTagKey& tag, Form form) {
  DcmElement* element = nullptr;
  if (dataset.findAndGetElement(tag, element).bad()) return std::nullopt;
  if (element->ident() == EVR_FL || element->ident() == EVR_FD || element->ident() == EVR_IS ||
      element->ident() == EVR_DS) {
    const auto numbers = numbers_of(dataset, tag);
    return numbers.empty() ? std::nullopt : std::optional(numbers.front());
  }
  Uint8* bytes = nullptr;
  if (element->getUint8Array(bytes).bad() || bytes == nullptr) return std::nullopt;
  const unsigned long count = element->getLength();
  if (form == Form::text) return number_of_text({reinterpret_cast<const char*>(bytes), count});
  return form == Form::float32 ? number_in<float>(bytes, count) : number_in<double>(bytes, count);
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

std::optional<double> private_b_value(DcmItem& dataset) {
  for (const auto& [group, creator, element, form] : b_value_elements) {
    const auto tag = private_tag(dataset, group, creator, element);
    auto value = tag ? first_number(dataset, *tag, form) : std::nullopt;
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

}  // namespace isolume::images
