#include "core/dicom/nesting.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace isolume::dicom {
namespace {

constexpr std::uint64_t until_delimiter = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t undefined_length = 0xFFFFFFFFU, item = 0xFFFEE000U, item_end = 0xFFFEE00DU,
                        sequence_end = 0xFFFEE0DDU, transfer_syntax = 0x00020010U, pixel_data = 0x7FE00010U;
constexpr std::size_t deepest = 64;

class Walk {
 public:
  explicit Walk(const std::filesystem::path& path) : path_(path), file_(path, std::ios::binary) {
    std::error_code error;
    size_ = std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
    std::array<char, 132> head{};
    if (error || !file_.read(head.data(), head.size()) || std::string_view(head.data() + 128, 4) != "DICM") {
      throw InputError(path_, 0, "no DICOM file");
    }
    at_ = head.size();
  }

  void run(std::uint32_t stop_tag) {
    while (true) {
      while (!open_.empty() && open_.back().end != until_delimiter && at_ >= open_.back().end)
        open_.pop_back();
      if (at_ >= size_) return;
      const Element element = next();
      if (open_.empty() && element.tag >= stop_tag) return;
      enter_or_skip(element);
    }
  }

 private:
  struct Element {
    std::uint32_t tag, length;
    bool holds_elements, is_implicit;
  };
  struct Container {
    std::uint64_t end;
    bool is_implicit;
  };

  [[noreturn]] void refuse(std::string_view problem) const {
    throw InputError(path_, 0, problem, "Export it again.");
  }

  std::uint64_t number(int bytes, bool big_endian) {
    std::array<unsigned char, 4> raw{};
    if (size_ - at_ < static_cast<std::uint64_t>(bytes) ||
        !file_.seekg(static_cast<std::streamoff>(at_)).read(reinterpret_cast<char*>(raw.data()), bytes)) {
      refuse("the file ends within an element");
    }
    at_ += static_cast<std::uint64_t>(bytes);
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint64_t>(raw[static_cast<std::size_t>(i)])
               << (8 * (big_endian ? bytes - 1 - i : i));
    }
    return value;
  }

  Element next() {
    // The meta information, group 2, is always little endian and explicit.
    if (in_meta_ && at_ + 2 <= size_) {
      const auto group = number(2, false);
      at_ -= 2;
      in_meta_ = group == 2;
    }
    const bool big = !in_meta_ && big_endian_;
    const auto tag = static_cast<std::uint32_t>(number(2, big) << 16);
    Element element{static_cast<std::uint32_t>(tag | number(2, big)), 0, false, is_implicit()};
    if (element.tag >> 16 == 0xFFFE || element.is_implicit) {
      element.length = static_cast<std::uint32_t>(number(4, big));
      element.holds_elements = element.tag == item || begins_with_item(element.length, big);
      return element;
    }
    const std::string vr{static_cast<char>(number(1, big)), static_cast<char>(number(1, big))};
    static constexpr std::string_view long_ones = "OB OD OF OL OV OW SQ SV UC UN UR UT UV ";
    if (long_ones.find(vr + ' ') == std::string_view::npos) {
      element.length = static_cast<std::uint32_t>(number(2, big));
      return element;
    }
    number(2, big);
    element.length = static_cast<std::uint32_t>(number(4, big));
    element.holds_elements = vr == "SQ" || begins_with_item(element.length, big);
    if (vr == "UN") element.is_implicit = true;  // PS3.5, 6.2.2, note 1
    return element;
  }

  bool is_implicit() const { return !in_meta_ && (open_.empty() ? implicit_ : open_.back().is_implicit); }

  /// What has no length has items; of what has one, the first bytes tell.
  bool begins_with_item(std::uint32_t length, bool big) {
    if (length == undefined_length) return true;
    if (length < 8 || size_ - at_ < 8) return false;
    const auto before = at_;
    const auto group = number(2, big), element = number(2, big);
    at_ = before;
    return (group << 16 | element) == item;
  }

  void enter_or_skip(const Element& element) {
    if (element.tag == item_end || element.tag == sequence_end) {
      if (open_.empty()) refuse("a sequence ends that has not begun");
      open_.pop_back();
      return;
    }
    const std::uint64_t room =
        (open_.empty() || open_.back().end == until_delimiter ? size_ : open_.back().end);
    const bool is_open = element.length == undefined_length;
    if (!is_open && (at_ > room || element.length > room - at_))
      refuse("an element is longer than what holds it");
    if (element.tag == pixel_data && is_open) {
      throw InputError(path_, 0, "its pixels are compressed, which is not supported here",
                       "Unpack it with gdcmconv --raw or dcmdrle.");
    }
    if (element.holds_elements) {
      open_.push_back({is_open ? until_delimiter : at_ + element.length, element.is_implicit});
      if (open_.size() > deepest) refuse("sequences are nested too deeply");
      return;
    }
    if (element.tag == transfer_syntax) read_transfer_syntax(element.length);
    at_ += element.length;
  }

  void read_transfer_syntax(std::uint32_t length) {
    std::string uid(std::min<std::uint32_t>(length, 64), '\0');
    file_.seekg(static_cast<std::streamoff>(at_)).read(uid.data(), static_cast<std::streamsize>(uid.size()));
    uid.erase(std::min(uid.find_last_not_of(std::string_view("\0 ", 2)) + 1, uid.size()));
    implicit_ = uid == "1.2.840.10008.1.2";
    big_endian_ = uid == "1.2.840.10008.1.2.2";
    if (uid == "1.2.840.10008.1.2.1.99") {
      throw InputError(path_, 0, "the file is deflated, which is not supported",
                       "Unpack it with dcmconv +te.");
    }
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::uint64_t size_ = 0, at_ = 0;
  bool in_meta_ = true, implicit_ = false, big_endian_ = false;
  std::vector<Container> open_;
};

}  // namespace

void check_nesting(const std::filesystem::path& path, std::uint32_t stop_tag) {
  Walk(path).run(stop_tag);
}

}  // namespace isolume::dicom
