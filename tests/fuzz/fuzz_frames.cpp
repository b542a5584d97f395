// The pixels of a DICOM file whose header is whole: what unpacks them may refuse with InputError or
// ResourceError; whatever else happens is a fault. The first five bytes tell how the pixels are packed and
// described, the others are the pixels, and the palette where one is asked for.
#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"
#include "core/dicom/frames/read_dicom.h"
#include "core/images/readers.h"
#include "tests/fuzz/fuzzed_file.h"

namespace {

std::string little_endian(std::size_t number, int bytes) {
  std::string text;
  for (int at = 0; at < bytes; ++at) text += static_cast<char>(number >> (8 * at));
  return text;
}

std::string tag(unsigned group, unsigned element) {
  return little_endian(group, 2) + little_endian(element, 2);
}

/// Of explicit little endian.
std::string element(unsigned group, unsigned number, std::string_view vr, std::string value) {
  if (value.size() % 2 == 1) value += vr == "UI" ? '\0' : ' ';
  const bool is_long = vr == "OB" || vr == "OW";
  return tag(group, number) + std::string(vr) +
         (is_long ? std::string(2, '\0') + little_endian(value.size(), 4) : little_endian(value.size(), 2)) +
         value;
}

/// What the first five bytes choose.
struct Kind {
  std::string_view syntax, photometric;
  int bits_allocated, bits_stored, columns, rows, frames, pieces;
  bool is_signed, has_table;

  explicit Kind(const std::uint8_t* choices) {
    static constexpr std::array<std::string_view, 11> syntaxes{
        "1.2.840.10008.1.2.1",    "1.2.840.10008.1.2.5",    "1.2.840.10008.1.2.4.50",
        "1.2.840.10008.1.2.4.51", "1.2.840.10008.1.2.4.53", "1.2.840.10008.1.2.4.55",
        "1.2.840.10008.1.2.4.57", "1.2.840.10008.1.2.4.70", "1.2.840.10008.1.2.4.80",
        "1.2.840.10008.1.2.4.81", "1.2.840.10008.1.2.4.90"};
    static constexpr std::array<std::string_view, 8> photometrics{
        "MONOCHROME2", "MONOCHROME1",  "PALETTE COLOR", "RGB",
        "YBR_FULL",    "YBR_FULL_422", "YBR_ICT",       "YBR_RCT"};
    static constexpr std::array<std::array<int, 2>, 4> bits{{{8, 8}, {16, 12}, {16, 16}, {32, 32}}};
    syntax = syntaxes[choices[0] % syntaxes.size()];
    photometric = photometrics[choices[1] % photometrics.size()];
    bits_allocated = bits[choices[1] / 8 % bits.size()][0];
    bits_stored = bits[choices[1] / 8 % bits.size()][1];
    is_signed = choices[1] / 32 % 2 == 1;
    columns = choices[2] + 1;
    rows = choices[3] + 1;
    frames = choices[4] % 4 + 1;
    pieces = choices[4] / 4 % 8;
    has_table = choices[4] / 32 % 2 == 1;
  }
  int samples() const {
    return photometric == "MONOCHROME2" || photometric == "MONOCHROME1" || photometric == "PALETTE COLOR" ? 1
                                                                                                          : 3;
  }
  bool is_packed() const { return syntax != "1.2.840.10008.1.2.1"; }
};

std::string palette(std::string_view bytes) {
  std::string all;
  const std::string descriptor(bytes.substr(0, 6));
  for (const unsigned channel : {0U, 1U, 2U}) all += element(0x28, 0x1101 + channel, "US", descriptor);
  const std::string entries(bytes.substr(std::min<std::size_t>(bytes.size(), 6), 512));
  for (const unsigned channel : {0U, 1U, 2U}) all += element(0x28, 0x1201 + channel, "OW", entries);
  return all;
}

std::string pixels(const Kind& kind, std::string_view bytes) {
  if (!kind.is_packed()) return element(0x7fe0, 0x10, "OW", std::string(bytes));
  const std::size_t pieces =
      kind.pieces == 0 ? static_cast<std::size_t>(kind.frames) : static_cast<std::size_t>(kind.pieces);
  const std::size_t each = (bytes.size() / pieces + 1) & ~std::size_t{1};
  std::string fragments, table;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = std::min(piece * each, bytes.size());
    std::string part(bytes.substr(begin, piece + 1 < pieces ? each : std::string_view::npos));
    if (part.size() % 2 == 1) part += '\0';
    if (piece < static_cast<std::size_t>(kind.frames)) table += little_endian(fragments.size(), 4);
    fragments += tag(0xfffe, 0xe000) + little_endian(part.size(), 4) + part;
  }
  if (!kind.has_table) table.clear();
  return tag(0x7fe0, 0x10) + "OB" + std::string(2, '\0') + little_endian(0xffffffffU, 4) +
         tag(0xfffe, 0xe000) + little_endian(table.size(), 4) + table + fragments + tag(0xfffe, 0xe0dd) +
         little_endian(0, 4);
}

std::string file_of(const Kind& kind, std::string_view bytes) {
  const auto number = [](unsigned element_number, int value) {
    return element(0x28, element_number, "US", little_endian(static_cast<std::size_t>(value), 2));
  };
  const std::string meta = element(2, 0x10, "UI", std::string(kind.syntax));
  std::string file = std::string(128, '\0') + "DICM" + element(2, 0, "UL", little_endian(meta.size(), 4)) +
                     meta + element(8, 0x16, "UI", "1.2.840.10008.5.1.4.1.1.7") + number(2, kind.samples()) +
                     element(0x28, 4, "CS", std::string(kind.photometric));
  if (kind.samples() == 3) file += number(6, 0);
  file += element(0x28, 8, "IS", std::to_string(kind.frames)) + number(0x10, kind.rows) +
          number(0x11, kind.columns) + number(0x100, kind.bits_allocated) + number(0x101, kind.bits_stored) +
          number(0x102, kind.bits_stored - 1) + number(0x103, kind.is_signed ? 1 : 0);
  if (kind.photometric == "PALETTE COLOR") file += palette(bytes);
  return file + pixels(kind, bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace isolume;
  constexpr std::size_t choices = 5;
  if (size < choices) return -1;
  const auto file =
      fuzz::write_file("fuzzed.dcm", file_of(Kind(data), fuzz::text_of(data + choices, size - choices)));
  try {
    const images::Document document = dicom::read_dicom(file, {}, {});
    value_range(document.volume);
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  }
  return 0;
}
