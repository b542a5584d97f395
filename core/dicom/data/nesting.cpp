#include "core/dicom/data/nesting.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include "core/base/error.h"

namespace isolume::dicom {
namespace {

constexpr std::uint64_t until_delimiter = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint32_t undefined_length = 0xFFFFFFFFU, item_tag = 0xFFFEE000U, item_end_tag = 0xFFFEE00DU,
                        sequence_end = 0xFFFEE0DDU, transfer_syntax = 0x00020010U, pixel_data = 0x7FE00010U;
constexpr std::size_t deepest = 64;
constexpr std::size_t most_unpacked = std::size_t{1} << 30;

class Walk {
 public:
  /// `content` is the decompressed file if it was compressed; empty otherwise.
  Walk(const std::filesystem::path& path, std::string_view content)
      : path_(path), file_(path, std::ios::binary), memory_(content) {
    std::error_code error;
    size_ = !content.empty()                                ? content.size()
            : std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error)
                                                            : 0;
    if (error || size_ < 8) throw InputError(path_, 0, "not a DICOM file");
    if (size_ >= 132 && at(128, 4) == "DICM") {
      at_ = 132;
    } else {
      begin_without_preamble();
    }
  }

  void run(std::uint32_t stop_tag) {
    while (true) {
      while (!open_.empty() && open_.back().end != until_delimiter && at_ >= open_.back().end)
        open_.pop_back();
      if (at_ >= size_) return;
      const Element element = next();
      if (open_.empty() && element.tag >= stop_tag) return;
      if (element.tag == pixel_data && element.length == undefined_length) {
        skip_fragments();
      } else {
        enter_or_skip(element);
      }
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

  /// Files of old scanners begin with an element of group 2 or 8, which shows whether there are VRs, and the byte
  /// order.
  void begin_without_preamble() {
    const std::string head(at(0, 6));
    big_endian_ = head[0] == 0;
    const char group = head[big_endian_ ? 1 : 0];
    if (head[big_endian_ ? 0 : 1] != 0 || (group != 2 && group != 8)) {
      throw InputError(path_, 0, "not a DICOM file");
    }
    const auto is_letter = [](char each) { return each >= 'A' && each <= 'Z'; };
    in_meta_ = group == 2;
    implicit_ = !(is_letter(head[4]) && is_letter(head[5]));
  }

  /// Bytes of the file, buffered in a window, as most accesses are sequential.
  std::string_view at(std::uint64_t place, std::size_t bytes) {
    if (place > size_ || bytes > size_ - place) refuse("the file ends within an element");
    if (!memory_.empty()) return memory_.substr(place, bytes);
    if (place < window_begin_ || place + bytes > window_begin_ + window_.size()) {
      constexpr std::uint64_t window_bytes = 4096;
      window_begin_ = place;
      window_.resize(std::max<std::uint64_t>(bytes, std::min(window_bytes, size_ - place)));
      if (!file_.seekg(static_cast<std::streamoff>(place))
               .read(window_.data(), static_cast<std::streamsize>(window_.size()))) {
        refuse("the file cannot be read");
      }
    }
    return std::string_view(window_).substr(place - window_begin_, bytes);
  }

  std::uint64_t number(int bytes, bool big_endian) {
    const std::string_view raw = at(at_, static_cast<std::size_t>(bytes));
    at_ += static_cast<std::uint64_t>(bytes);
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(raw[static_cast<std::size_t>(i)]))
               << (8 * (big_endian ? bytes - 1 - i : i));
    }
    return value;
  }

  /// Decompresses what follows the meta information, in place of the file.
  void inflate_rest() {
    std::string packed(at(at_, size_ - at_));
    std::string whole(std::min<std::size_t>(4 * packed.size() + 65536, most_unpacked), '\0');
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) refuse("it cannot be unpacked");
    int outcome = Z_OK;
    while (outcome == Z_OK) {
      if (stream.total_out == whole.size()) {
        if (whole.size() == most_unpacked) break;
        whole.resize(std::min(2 * whole.size(), most_unpacked));
      }
      stream.next_out = reinterpret_cast<Bytef*>(whole.data()) + stream.total_out;
      stream.avail_out = static_cast<uInt>(whole.size() - stream.total_out);
      outcome = inflate(&stream, Z_NO_FLUSH);
    }
    whole.resize(stream.total_out);
    inflateEnd(&stream);
    if (outcome != Z_STREAM_END) refuse("its deflated part is damaged, or larger than 1 GiB");
    window_ = std::move(whole);
    memory_ = {};
    window_begin_ = at_ = 0;
    size_ = window_.size();
    deflated_ = false;
  }

  Element next() {
    // The meta information, group 2, is always explicit little-endian.
    if (in_meta_ && at_ + 2 <= size_) {
      const auto group = number(2, false);
      at_ -= 2;
      in_meta_ = group == 2;
    }
    if (!in_meta_ && deflated_) inflate_rest();
    const bool big = !in_meta_ && big_endian_;
    const auto tag = static_cast<std::uint32_t>(number(2, big) << 16);
    Element element{static_cast<std::uint32_t>(tag | number(2, big)), 0, false, is_implicit()};
    if (element.tag >> 16 == 0xFFFE || element.is_implicit) {
      element.length = static_cast<std::uint32_t>(number(4, big));
      element.holds_elements = element.tag == item_tag || begins_with_item(element.length, big);
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

  /// Elements without a length contain items; for others, the first bytes decide.
  bool begins_with_item(std::uint32_t length, bool big) {
    if (length == undefined_length) return true;
    if (length < 8 || size_ - at_ < 8) return false;
    const auto before = at_;
    const auto group = number(2, big), element = number(2, big);
    at_ = before;
    return (group << 16 | element) == item_tag;
  }

  void enter_or_skip(const Element& element) {
    if (element.tag == item_end_tag || element.tag == sequence_end) {
      if (open_.empty()) refuse("a sequence ends that has not begun");
      open_.pop_back();
      return;
    }
    const std::uint64_t room =
        (open_.empty() || open_.back().end == until_delimiter ? size_ : open_.back().end);
    const bool is_open = element.length == undefined_length;
    if (!is_open && (at_ > room || element.length > room - at_))
      refuse("an element is longer than what holds it");
    if (element.holds_elements) {
      open_.push_back({is_open ? until_delimiter : at_ + element.length, element.is_implicit});
      if (open_.size() > deepest) refuse("sequences are nested too deeply");
      return;
    }
    if (element.tag == transfer_syntax) read_transfer_syntax(element.length);
    at_ += element.length;
  }

  /// Skips fragments of compressed pixels, which are not elements. Some files end with the last of them.
  void skip_fragments() {
    while (at_ < size_) {
      const auto tag = number(2, false) << 16;
      const bool is_end = (tag | number(2, false)) == sequence_end;
      const std::uint64_t length = number(4, false);
      if (is_end) return;
      if (length > size_ - at_) refuse("its packed pixels end too early");
      at_ += length;
    }
  }

  void read_transfer_syntax(std::uint32_t length) {
    std::string uid(at(at_, std::min<std::uint32_t>(length, 64)));
    uid.erase(std::min(uid.find_last_not_of(std::string_view("\0 ", 2)) + 1, uid.size()));
    implicit_ = uid == "1.2.840.10008.1.2";
    big_endian_ = uid == "1.2.840.10008.1.2.2";
    deflated_ = uid == "1.2.840.10008.1.2.1.99";
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::string_view memory_;
  std::uint64_t size_ = 0, at_ = 0;
  std::string window_;
  std::uint64_t window_begin_ = 0;
  bool in_meta_ = true, implicit_ = false, big_endian_ = false, deflated_ = false;
  std::vector<Container> open_;
};

}  // namespace

void check_nesting(const std::filesystem::path& path, std::uint32_t stop_tag, std::string_view content) {
  Walk(path, content).run(stop_tag);
}

}  // namespace isolume::dicom
