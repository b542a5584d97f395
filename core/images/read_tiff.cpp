#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <tiffio.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/images/colours.h"
#include "core/images/number_type.h"
#include "core/images/picture.h"
#include "core/images/pixel_type_of.h"
#include "core/images/readers.h"
#include "core/images/tiff_description.h"

// Uses libtiff itself, page by page: ITK's reader misinterprets what it does not support.
namespace isolume::images {
namespace {

namespace fs = std::filesystem;

/// The first message of libtiff since the last query.
struct Problem {
  std::array<char, 160> text{};
  bool warned = false;
};

extern "C" int on_tiff_error(TIFF*, void* problem, const char*, const char* format, va_list values) {
  auto& text = static_cast<Problem*>(problem)->text;
  if (text[0] == '\0') std::vsnprintf(text.data(), text.size(), format, values);
  return 1;
}
extern "C" int on_tiff_warning(TIFF*, void* problem, const char*, const char* format, va_list values) {
  auto& its = *static_cast<Problem*>(problem);
  its.warned = true;
  if (its.text[0] == '\0') std::vsnprintf(its.text.data(), its.text.size(), format, values);
  return 1;
}

/// Properties of a page.
struct Page {
  std::uint64_t offset = 0;  ///< of its directory
  std::size_t number = 0;    ///< in the file, from 1
  std::uint32_t width = 0, height = 0;
  std::uint16_t bits = 1, format = SAMPLEFORMAT_UINT, samples = 1;
  std::uint16_t photometric = PHOTOMETRIC_MINISBLACK, planes = PLANARCONFIG_CONTIG,
                compression = COMPRESSION_NONE, orientation = ORIENTATION_TOPLEFT;
  bool operator==(const Page& other) const {
    return width == other.width && height == other.height && bits == other.bits && format == other.format &&
           samples == other.samples && photometric == other.photometric && planes == other.planes;
  }
};

std::string name_of_format(const Page& page) {
  switch (page.format) {
    case SAMPLEFORMAT_INT:
      return fmt::format("int{}", page.bits);
    case SAMPLEFORMAT_IEEEFP:
      return fmt::format("float{}", page.bits);
    case SAMPLEFORMAT_COMPLEXINT:
    case SAMPLEFORMAT_COMPLEXIEEEFP:
      return "complex numbers";
    default:
      return fmt::format("uint{}", page.bits);
  }
}
std::string description_of(const Page& page) {
  return fmt::format("{} × {} of {} × {}", page.width, page.height, page.samples, name_of_format(page));
}

bool is_float16(const Page& page) {
  return page.format == SAMPLEFORMAT_IEEEFP && page.bits == 16;
}
bool is_narrow(const Page& page) {
  return page.bits < 16 && page.bits != 8;
}

/// Number type of a page's samples after unpacking; nothing if unsupported.
std::optional<NumberType> type_of(const Page& page) {
  const bool is_unsigned = page.format == SAMPLEFORMAT_UINT || page.format == SAMPLEFORMAT_VOID;
  if (is_narrow(page)) {
    if (!is_unsigned || page.bits < 1) return std::nullopt;
    return page.bits < 8 ? NumberType::uint8 : NumberType::uint16;
  }
  if (page.format == SAMPLEFORMAT_IEEEFP) {
    if (page.bits == 16 || page.bits == 32) return NumberType::float32;
    if (page.bits == 64) return NumberType::float64;
    return std::nullopt;
  }
  if (!is_unsigned && page.format != SAMPLEFORMAT_INT) return std::nullopt;
  switch (page.bits) {
    case 8:
      return is_unsigned ? NumberType::uint8 : NumberType::int8;
    case 16:
      return is_unsigned ? NumberType::uint16 : NumberType::int16;
    case 32:
      return is_unsigned ? NumberType::uint32 : NumberType::int32;
    case 64:
      return is_unsigned ? NumberType::uint64 : NumberType::int64;
    default:
      return std::nullopt;
  }
}

float float_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  const float sign = (half & 0x8000) != 0 ? -1.F : 1.F;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

/// Upper limit of the compression ratio; generous if it is unknown.
std::uint64_t best_packing(std::uint16_t compression) {
  switch (compression) {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_PACKBITS:
      return 64;
    case COMPRESSION_LZW:
      return 4096;
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
      return 1032;
    default:
      return 1 << 17;
  }
}

class TiffReader {
 public:
  explicit TiffReader(const fs::path& file) : path_(file) {
    require_regular_file(file);
    file_bytes_ = fs::file_size(file);
    const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                               TIFFOpenOptionsFree);
    if (!options) throw std::bad_alloc();
    // Limits what libtiff allocates for a directory to what the file could contain.
    TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                        static_cast<tmsize_t>((std::uint64_t{64} << 20) + 16 * file_bytes_));
    TIFFOpenOptionsSetErrorHandlerExtR(options.get(), on_tiff_error, &problem_);
    TIFFOpenOptionsSetWarningHandlerExtR(options.get(), on_tiff_warning, &problem_);
    tiff_.reset(TIFFOpenExt(file.c_str(), "rm", options.get()));
    if (!tiff_) refuse(0);
  }

  /// All pages that are images; previews and masks are left out, and counted in `left_out`.
  std::vector<Page> pages(std::size_t& left_out, const jobs::Progress& progress) {
    std::vector<Page> pages;
    std::set<std::uint64_t> visited;
    std::uint64_t promised = 0;
    for (std::size_t number = 1;; ++number) {
      progress.check();
      const std::uint64_t offset = TIFFCurrentDirOffset(tiff_.get());
      if (!visited.insert(offset).second) {
        throw InputError(path_, 0, fmt::format("the list of its pages is circular after page {}", number - 1),
                         "The file is damaged: copy or export it again.");
      }
      require_whole_directory(offset, number);
      std::uint32_t kind = 0;
      TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_SUBFILETYPE, &kind);
      if ((kind & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0) {
        ++left_out;
      } else {
        pages.push_back(current_page(number));
        promised += bytes_of_page(pages.back());
        require_plausible(pages.back(), promised);
      }
      if (TIFFLastDirectory(tiff_.get()) != 0) return pages;
      problem_ = {};
      if (TIFFReadDirectory(tiff_.get()) == 0) refuse(number + 1);
    }
  }

  /// The page's samples as numbers of `type_of(page)`, in rows from the top: interleaved by pixel, or plane after
  /// plane.
  std::shared_ptr<std::byte> samples(const Page& page, std::size_t number, const jobs::Progress& progress) {
    go_to(page, number);
    const std::size_t planes = page.planes == PLANARCONFIG_SEPARATE ? page.samples : 1;
    const std::size_t row_samples = std::size_t{page.width} * (page.samples / planes);
    const std::size_t row_bytes = (row_samples * page.bits + 7) / 8;
    const std::size_t rows = planes * page.height;
    const std::shared_ptr<std::byte> bytes = allocate_bytes(row_bytes * rows);
    for (std::size_t plane = 0; plane < planes; ++plane) {
      std::byte* target = bytes.get() + plane * row_bytes * page.height;
      if (TIFFIsTiled(tiff_.get()) != 0) {
        read_tiles(page, number, static_cast<std::uint16_t>(plane), row_bytes, target, progress);
      } else {
        read_strips(page, number, static_cast<std::uint16_t>(plane), row_bytes, target, progress);
      }
    }
    if (is_float16(page)) return widened(bytes.get(), row_samples * rows);
    if (is_narrow(page)) return unpacked(page, bytes.get(), row_samples, row_bytes, rows);
    return bytes;
  }

  /// libtiff's conversion of a page with another kind of colours: 8-bit red, green, blue and opacity.
  std::shared_ptr<const std::uint32_t> colours(const Page& page, std::size_t number) {
    go_to(page, number);
    std::array<char, 1024> why{};
    if (TIFFRGBAImageOK(tiff_.get(), why.data()) == 0) {
      throw InputError(path_, 0, fmt::format("page {} cannot be read ({})", number, why.data()),
                       "Convert it to grey or RGB.");
    }
    const std::shared_ptr<std::byte> bytes = allocate_bytes(4 * std::size_t{page.width} * page.height);
    auto* pixels = reinterpret_cast<std::uint32_t*>(bytes.get());
    problem_ = {};
    if (TIFFReadRGBAImageOriented(tiff_.get(), page.width, page.height, pixels, ORIENTATION_TOPLEFT, 1) ==
            0 ||
        problem_.warned) {
      refuse(number);
    }
    return {bytes, pixels};
  }

  /// Red, green and blue of each index, with full scale 65535; for the current page.
  std::optional<std::array<const std::uint16_t*, 3>> palette() const {
    std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
    if (TIFFGetField(tiff_.get(), TIFFTAG_COLORMAP, &red, &green, &blue) == 0) return std::nullopt;
    return std::array<const std::uint16_t*, 3>{red, green, blue};
  }
  /// Of the first page; call before others are read.
  std::string description() const {
    const char* text = nullptr;
    const bool is_told = TIFFGetField(tiff_.get(), TIFFTAG_IMAGEDESCRIPTION, &text) != 0 && text != nullptr;
    return is_told ? text : "";
  }
  Resolution resolution() const {
    float x = 0, y = 0;
    std::uint16_t unit = RESUNIT_INCH;
    TIFFGetField(tiff_.get(), TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(tiff_.get(), TIFFTAG_YRESOLUTION, &y);
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_RESOLUTIONUNIT, &unit);
    const double unit_mm = unit == RESUNIT_INCH ? 25.4 : unit == RESUNIT_CENTIMETER ? 10 : 0;
    return {.x = double(x), .y = double(y), .unit_mm = unit_mm};
  }

 private:
  [[noreturn]] void refuse(std::size_t page) const {
    const std::string_view why = problem_.text.data();
    std::string clean;
    for (const char c : why) clean += c >= ' ' && c < 0x7f ? c : '?';
    throw InputError(path_, 0,
                     page == 0 ? fmt::format("damaged TIFF ({})", clean)
                               : fmt::format("page {} is missing, cut off or damaged ({})", page, clean),
                     "Copy or export it again.");
  }

  /// If the file ends within the pointer to the next directory, libtiff takes this one as the last.
  void require_whole_directory(std::uint64_t offset, std::size_t number) {
    const bool is_big = TIFFIsBigTIFF(tiff_.get()) != 0;
    const std::size_t count_bytes = is_big ? 8 : 2, entry_bytes = is_big ? 20 : 12,
                      link_bytes = is_big ? 8 : 4;
    std::array<unsigned char, 8> bytes{};
    std::ifstream stream(path_, std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count_bytes));
    std::uint64_t entries = 0;
    for (std::size_t at = 0; at < count_bytes; ++at) {
      entries = entries << 8 | bytes[TIFFIsBigEndian(tiff_.get()) != 0 ? at : count_bytes - 1 - at];
    }
    const bool is_whole = stream && entries < file_bytes_ &&
                          offset + count_bytes + entries * entry_bytes + link_bytes <= file_bytes_;
    if (is_whole) return;
    throw InputError(path_, 0, fmt::format("the file ends within the directory of page {}", number),
                     "It was cut off: copy or export it again.");
  }

  Page current_page(std::size_t number) const {
    Page page;
    page.offset = TIFFCurrentDirOffset(tiff_.get());
    page.number = number;
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGEWIDTH, &page.width);
    TIFFGetField(tiff_.get(), TIFFTAG_IMAGELENGTH, &page.height);
    const auto take = [&](std::uint32_t tag, std::uint16_t& value) {
      TIFFGetFieldDefaulted(tiff_.get(), tag, &value);
    };
    take(TIFFTAG_BITSPERSAMPLE, page.bits);
    take(TIFFTAG_SAMPLEFORMAT, page.format);
    take(TIFFTAG_SAMPLESPERPIXEL, page.samples);
    TIFFGetField(tiff_.get(), TIFFTAG_PHOTOMETRIC, &page.photometric);
    take(TIFFTAG_PLANARCONFIG, page.planes);
    take(TIFFTAG_COMPRESSION, page.compression);
    take(TIFFTAG_ORIENTATION, page.orientation);
    require_sizes(path_, {page.width, page.height, page.samples});
    if (page.compression == COMPRESSION_OJPEG || TIFFIsCODECConfigured(page.compression) == 0) {
      throw InputError(
          path_, 0,
          fmt::format("page {} uses TIFF compression {}, which is not supported", number, page.compression),
          "Export it without compression.");
    }
    if (!type_of(page)) {
      throw InputError(path_, 0,
                       fmt::format("page {} holds {}, which are not read", number, name_of_format(page)),
                       "Convert it to 8- or 16-bit integers or to float32.");
    }
    return page;
  }
  static std::uint64_t bytes_of_page(const Page& page) {
    // 2^31 x 2^31 x 2^16 x 2^3 would overflow: checked sizes have a product of at most 2^48.
    return (std::uint64_t{page.width} * page.height * page.samples * page.bits + 7) / 8;
  }
  void require_plausible(const Page& page, std::uint64_t promised) const {
    // Colours may be stored at half their resolution or less.
    const std::uint64_t packing =
        best_packing(page.compression) * (page.photometric == PHOTOMETRIC_YCBCR ? 16 : 1);
    if (promised / packing <= file_bytes_) return;
    const auto [wanted, there] = format_unequal_bytes(promised, file_bytes_);
    throw InputError(
        path_, 0,
        fmt::format("its pages promise {} of pixels, which a file of {} cannot hold", wanted, there),
        "It was cut off: copy or export it again.");
  }
  void go_to(const Page& page, std::size_t number) {
    problem_ = {};
    if (TIFFCurrentDirOffset(tiff_.get()) != page.offset &&
        TIFFSetSubDirectory(tiff_.get(), page.offset) == 0) {
      refuse(number);
    }
    if (!(current_page(number) == page)) refuse(number);
    if (page.photometric == PHOTOMETRIC_YCBCR && page.compression == COMPRESSION_JPEG) {
      TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    problem_ = {};
  }

  void read_strips(const Page& page, std::size_t number, std::uint16_t plane, std::size_t row_bytes,
                   std::byte* target, const jobs::Progress& progress) {
    if (TIFFScanlineSize64(tiff_.get()) != row_bytes) refuse(number);
    std::uint32_t strip_rows = page.height;
    TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_ROWSPERSTRIP, &strip_rows);
    strip_rows = std::clamp(strip_rows, 1U, page.height);
    for (std::uint32_t row = 0; row < page.height; row += strip_rows) {
      progress.check();
      const std::size_t rows = std::min(strip_rows, page.height - row);
      const std::uint32_t strip = TIFFComputeStrip(tiff_.get(), row, plane);
      const auto bytes = static_cast<tmsize_t>(rows * row_bytes);
      const tmsize_t got = TIFFReadEncodedStrip(tiff_.get(), strip, target + row * row_bytes, bytes);
      // A warning about pixels means that some were made up.
      if (got != bytes || problem_.warned) refuse(number);
    }
  }
  void read_tiles(const Page& page, std::size_t number, std::uint16_t plane, std::size_t row_bytes,
                  std::byte* target, const jobs::Progress& progress) {
    std::uint32_t tile_width = 0, tile_height = 0;
    TIFFGetField(tiff_.get(), TIFFTAG_TILEWIDTH, &tile_width);
    TIFFGetField(tiff_.get(), TIFFTAG_TILELENGTH, &tile_height);
    const std::uint64_t tile_bytes = TIFFTileSize64(tiff_.get()),
                        tile_row_bytes = TIFFTileRowSize64(tiff_.get());
    const std::size_t in_plane = page.planes == PLANARCONFIG_SEPARATE ? 1 : page.samples;
    const bool is_sensible = tile_width > 0 && tile_height > 0 && tile_row_bytes > 0 &&
                             tile_row_bytes == (std::uint64_t{tile_width} * in_plane * page.bits + 7) / 8 &&
                             tile_bytes == tile_row_bytes * tile_height &&
                             std::uint64_t{tile_width} * in_plane * page.bits % 8 == 0;
    if (!is_sensible) refuse(number);
    // A tile may be larger than its page, but not than what its file could contain.
    if (tile_bytes / best_packing(page.compression) > file_bytes_) require_plausible(page, tile_bytes);
    std::vector<std::byte> tile;
    if (tile_bytes > std::max<std::uint64_t>(std::uint64_t{64} << 20, 4 * bytes_of_page(page)))
      refuse(number);
    tile.resize(tile_bytes);
    for (std::uint32_t y = 0; y < page.height; y += std::min(tile_height, page.height - y)) {
      for (std::uint32_t x = 0; x < page.width; x += std::min(tile_width, page.width - x)) {
        progress.check();
        const std::uint32_t index = TIFFComputeTile(tiff_.get(), x, y, 0, plane);
        const auto bytes = static_cast<tmsize_t>(tile_bytes);
        if (TIFFReadEncodedTile(tiff_.get(), index, tile.data(), bytes) != bytes || problem_.warned)
          refuse(number);
        const std::size_t left = x / tile_width * tile_row_bytes;
        const std::size_t count = std::min<std::size_t>(tile_row_bytes, row_bytes - left);
        for (std::size_t row = 0; row < std::min(tile_height, page.height - y); ++row) {
          std::memcpy(target + (y + row) * row_bytes + left, tile.data() + row * tile_row_bytes, count);
        }
      }
    }
  }

  static std::shared_ptr<std::byte> widened(const std::byte* halves, std::size_t count) {
    const std::shared_ptr<std::byte> floats = allocate_bytes(4 * count);
    for (std::size_t at = 0; at < count; ++at) {
      std::uint16_t half;
      std::memcpy(&half, halves + 2 * at, 2);
      const float value = float_of_half(half);
      std::memcpy(floats.get() + 4 * at, &value, 4);
    }
    return floats;
  }
  /// Samples of less than 16 bits, packed from the highest bit of each row on. Those of less than 8 are scaled to
  /// full range, as in PNG, except for indices of a palette.
  static std::shared_ptr<std::byte> unpacked(const Page& page, const std::byte* packed,
                                             std::size_t row_samples, std::size_t row_bytes,
                                             std::size_t rows) {
    const std::size_t width = page.bits < 8 ? 1 : 2;
    const bool spreads = page.bits < 8 && page.photometric != PHOTOMETRIC_PALETTE;
    const unsigned factor = spreads ? 255 / ((1U << page.bits) - 1) : 1;
    const std::shared_ptr<std::byte> result = allocate_bytes(rows * row_samples * width);
    std::byte* to = result.get();
    for (std::size_t row = 0; row < rows; ++row) {
      std::size_t bit = row * row_bytes * 8;
      for (std::size_t at = 0; at < row_samples; ++at) {
        unsigned value = 0;
        for (unsigned count = 0; count < page.bits; ++count, ++bit) {
          value = value << 1 | (std::to_integer<unsigned>(packed[bit / 8]) >> (7 - bit % 8) & 1);
        }
        const auto number = static_cast<std::uint16_t>(value * factor);
        if (width == 1) {
          *to++ = static_cast<std::byte>(number);
        } else {
          std::memcpy(to, &number, 2);
          to += 2;
        }
      }
    }
    return result;
  }

  fs::path path_;
  std::uint64_t file_bytes_ = 0;
  Problem problem_;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff_{nullptr, TIFFClose};
};

bool has_rgb_samples(const Page& page) {
  const bool decoded_by_jpeg = page.photometric == PHOTOMETRIC_YCBCR && page.compression == COMPRESSION_JPEG;
  return page.samples >= 3 && (page.photometric == PHOTOMETRIC_RGB || decoded_by_jpeg);
}
bool has_grey_samples(const Page& page) {
  return page.photometric == PHOTOMETRIC_MINISBLACK || page.photometric == PHOTOMETRIC_MINISWHITE;
}
bool has_palette(const Page& page) {
  return page.photometric == PHOTOMETRIC_PALETTE && page.samples == 1 && page.bits <= 16 &&
         page.format == SAMPLEFORMAT_UINT;
}

/// The value of white: for palettes and images decoded by libtiff, scaled to 8 bits.
double full_colour_of(const Page& page) {
  return has_rgb_samples(page) ? full_scale(page.bits) : 255;
}
/// Floating-point colours have no scale of their own.
bool has_colour_scale(const Page& page) {
  return !has_grey_samples(page) && !(has_rgb_samples(page) && page.format != SAMPLEFORMAT_UINT);
}

PixelType volume_type_of(const Page& page) {
  if (!has_grey_samples(page)) return PixelType::float32;
  return visit_number_type(*type_of(page), []<class Number>(Number) {
    if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
      return PixelType::int32;
    } else {
      return pixel_type_of<Number>();
    }
  });
}

/// Writes a page as a slice of the volume.
class PageWriter {
 public:
  PageWriter(const fs::path& file, TiffReader& reader, const jobs::Progress& progress)
      : path_(file), reader_(reader), progress_(progress) {}

  /// `colours`: those of the slice, three bytes per pixel; null: not kept.
  void write(const Page& page, std::size_t number, std::byte* slice, std::uint8_t* colours) {
    count_ = std::size_t{page.width} * page.height;
    stride_ = page.planes == PLANARCONFIG_SEPARATE ? 1 : page.samples;
    plane_ = page.planes == PLANARCONFIG_SEPARATE ? count_ : 1;
    if (has_grey_samples(page)) {
      visit_number_type(*type_of(page),
                        [&]<class Number>(Number) { write_grey<Number>(page, number, slice); });
    } else if (has_rgb_samples(page)) {
      visit_number_type(*type_of(page),
                        [&]<class Number>(Number) { write_rgb<Number>(page, number, slice, colours); });
    } else if (has_palette(page)) {
      visit_number_type(*type_of(page),
                        [&]<class Number>(Number) { write_palette<Number>(page, number, slice, colours); });
    } else {
      const ColourTarget target(reinterpret_cast<float*>(slice), colours, full_colour_of(page));
      const std::shared_ptr<const std::uint32_t> rgba = reader_.colours(page, number);
      for (std::size_t at = 0; at < count_; ++at)
        target.put(at, TIFFGetR(rgba.get()[at]), TIFFGetG(rgba.get()[at]), TIFFGetB(rgba.get()[at]));
    }
  }

 private:
  template <class Number>
  void write_grey(const Page& page, std::size_t number, std::byte* slice) {
    const std::shared_ptr<std::byte> bytes = reader_.samples(page, number, progress_);
    const auto* from = reinterpret_cast<const Number*>(bytes.get());
    for (std::size_t at = 0; at < count_; ++at) {
      const Number value = from[at * stride_];
      if constexpr (std::is_integral_v<Number> && sizeof(Number) == 8) {
        if (!std::in_range<std::int32_t>(value)) {
          throw InputError(path_, 0,
                           fmt::format("page {} holds {}, which do not fit into 32 bits", number, value),
                           "Convert it to float64.");
        }
        reinterpret_cast<std::int32_t*>(slice)[at] = static_cast<std::int32_t>(value);
      } else {
        reinterpret_cast<Number*>(slice)[at] = value;
      }
    }
  }
  template <class Number>
  void write_rgb(const Page& page, std::size_t number, std::byte* slice, std::uint8_t* colours) {
    const std::shared_ptr<std::byte> bytes = reader_.samples(page, number, progress_);
    const auto* from = reinterpret_cast<const Number*>(bytes.get());
    const ColourTarget target(reinterpret_cast<float*>(slice), colours, full_colour_of(page));
    for (std::size_t at = 0; at < count_; ++at, from += stride_) {
      target.put(at, static_cast<double>(from[0]), static_cast<double>(from[plane_]),
                 static_cast<double>(from[2 * plane_]));
    }
  }
  /// Scaled to 8 bits, the usual precision of pictures with a palette.
  template <class Number>
  void write_palette(const Page& page, std::size_t number, std::byte* slice, std::uint8_t* colours) {
    const std::shared_ptr<std::byte> bytes = reader_.samples(page, number, progress_);
    const auto palette = reader_.palette();
    if (!palette)
      throw InputError(path_, 0, fmt::format("page {} has no palette", number), "Export it again.");
    const auto& [red, green, blue] = *palette;
    // Full scale is 65535, of which some writers leave the lower byte 0; others use only 8 bits.
    const std::size_t indices = std::size_t{1} << page.bits;
    const auto is_short = [&](const std::uint16_t* colour) {
      return std::all_of(colour, colour + indices, [](std::uint16_t value) { return value < 256; });
    };
    const int shift = is_short(red) && is_short(green) && is_short(blue) ? 0 : 8;
    if constexpr (std::is_unsigned_v<Number> && sizeof(Number) <= 2) {
      const auto* from = reinterpret_cast<const Number*>(bytes.get());
      const ColourTarget target(reinterpret_cast<float*>(slice), colours, full_colour_of(page));
      for (std::size_t at = 0; at < count_; ++at) {
        const Number index = from[at];
        target.put(at, red[index] >> shift, green[index] >> shift, blue[index] >> shift);
      }
    }
  }

  fs::path path_;
  TiffReader& reader_;
  jobs::Progress progress_;
  std::size_t count_ = 0, stride_ = 1, plane_ = 1;
};

void keep_slices(std::vector<Page>& pages, const std::vector<std::size_t>& slices) {
  if (slices.empty()) return;
  std::vector<Page> kept;
  for (const std::size_t slice : slices) kept.push_back(pages[slice]);
  pages = std::move(kept);
}

void require_alike(const fs::path& file, const std::vector<Page>& pages) {
  for (std::size_t at = 1; at < pages.size(); ++at) {
    if (pages[at] == pages[0]) continue;
    throw InputError(file, 0,
                     fmt::format("page {} ({}) is unlike the first ({}): they do not form a stack",
                                 pages[at].number, description_of(pages[at]), description_of(pages[0])),
                     "Export the pages that belong together as a file of their own.");
  }
}

void tell_what_is_left_out(Document& document, const Page& page, std::size_t left_out) {
  if (left_out > 0)
    document.remarks.dropped(fmt::format("{} previews or masks are left out.", left_out), left_out);
  if (page.samples > 1 && has_grey_samples(page)) {
    document.remarks.dropped(fmt::format("Each voxel has {} numbers; the first is shown.", page.samples),
                             page.samples - 1U);
  }
  if (page.samples > 3 && (page.photometric == PHOTOMETRIC_RGB || page.photometric == PHOTOMETRIC_YCBCR)) {
    document.remarks.dropped(
        fmt::format("Each pixel has {} numbers; red, green and blue are shown.", page.samples),
        page.samples - 3U);
  }
  warn_of_orientation(document, page.orientation);
}

}  // namespace

Document read_tiff(const fs::path& file, const jobs::Progress& progress) {
  progress.check();
  TiffReader reader(file);
  const std::string text = reader.description();
  const Resolution tags = reader.resolution();
  std::size_t left_out = 0;
  std::vector<Page> pages = reader.pages(left_out, progress);
  if (pages.empty()) throw InputError(file, 0, "none of its pages is an image", "Choose another file.");
  const TiffDescription description = describe_tiff(text, tags, pages.size(), pages[0].samples);
  if (description.images > pages.size()) {
    throw InputError(
        file, 0,
        fmt::format("it says that it has {} images, but it has {} pages", description.images, pages.size()),
        "It was cut off, or is one of ImageJ's files beyond 4 GB: export it in parts or as NRRD.");
  }
  keep_slices(pages, description.pages);
  require_alike(file, pages);
  const Page& first = pages[0];
  require_sizes(file, {first.width, first.height, pages.size()});
  Document document;
  document.path = file;
  Volume& volume = document.volume;
  volume.geometry.frame = grid::Frame::own;
  volume.geometry.dimensions = {static_cast<int>(first.width), static_cast<int>(first.height),
                                static_cast<int>(pages.size())};
  document.title = title_of(file, volume.geometry);
  document.remarks = description.remarks;
  document.remarks.assumed(sides_remark);
  if (description.is_calibrated) {
    volume.geometry.set_spacing(description.spacing_mm);
  } else {
    set_pixel_size(document, description.resolution);
    if (pages.size() > 1)
      document.remarks.assumed("The file does not say how far apart slices are: 1 mm is assumed.");
  }
  volume.geometry.has_thickness = pages.size() > 1;
  require_grid(file, volume.geometry);
  tell_what_is_left_out(document, first, left_out);
  volume.type = volume_type_of(first);
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, volume.type);
  const std::size_t slice_bytes = std::size_t{first.width} * first.height * bytes_of(volume.type);
  std::uint8_t* colours = has_colour_scale(first) ? add_colours(volume, full_colour_of(first)) : nullptr;
  volume.is_low_bright = first.photometric == PHOTOMETRIC_MINISWHITE;
  if (has_grey_samples(first)) {
    volume.slope = description.slope;
    volume.intercept = description.intercept;
    volume.unit = description.unit;
  }
  if (colours == nullptr && !has_grey_samples(first))
    document.remarks.converted("Its colours are not whole numbers, and are shown as grey.");
  PageWriter writer(file, reader, progress);
  for (std::size_t at = 0; at < pages.size(); ++at) {
    writer.write(pages[at], pages[at].number, memory.get() + at * slice_bytes,
                 colours != nullptr ? colours + at * 3 * first.width * first.height : nullptr);
    progress.report(static_cast<double>(at + 1) / static_cast<double>(pages.size()), "reading pages");
  }
  volume.storage = memory;
  return document;
}

}  // namespace isolume::images
