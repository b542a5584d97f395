#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <jpeglib.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/images/picture.h"
#include "core/images/readers.h"

// Uses libjpeg itself: ITK's reader crashes on damaged files.
namespace isolume::images {
namespace {

namespace fs = std::filesystem;

/// libjpeg's error handler, and the jump target after an error.
struct ErrorManager {
  jpeg_error_mgr base;  // first, so that a pointer to it is one to this object
  std::jmp_buf place;
  std::array<char, JMSG_LENGTH_MAX> text{};
};

[[noreturn]] void on_error(j_common_ptr jpeg) {
  auto* manager = reinterpret_cast<ErrorManager*>(jpeg->err);
  jpeg->err->format_message(jpeg, manager->text.data());
  std::longjmp(manager->place, 1);
}
void on_message(j_common_ptr) {}

Resolution resolution_of(const jpeg_decompress_struct& header) {
  if (header.saw_JFIF_marker == 0) return {};
  constexpr UINT8 per_inch = 1, per_centimetre = 2;  // JFIF 1.02, "units"
  const double unit_mm = header.density_unit == per_inch         ? 25.4
                         : header.density_unit == per_centimetre ? 10
                                                                 : 0;
  return {.x = double(header.X_density), .y = double(header.Y_density), .unit_mm = unit_mm};
}

/// Orientation in an Exif block (Exif 2.32, 4.5 and 4.6.4); 1, upright, if it has none.
unsigned orientation_in(std::span<const JOCTET> exif) {
  constexpr std::string_view mark("Exif\0\0", 6);
  if (exif.size() < mark.size() || std::memcmp(exif.data(), mark.data(), mark.size()) != 0) return 1;
  const auto tiff = exif.subspan(mark.size());
  const bool is_big = !tiff.empty() && tiff[0] == 'M';
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::size_t value = 0;
    for (std::size_t byte = 0; byte < bytes && at + bytes <= tiff.size(); ++byte)
      value = value << 8 | tiff[at + (is_big ? byte : bytes - 1 - byte)];
    return value;
  };
  constexpr std::size_t entry_bytes = 12, orientation = 0x0112;
  const std::size_t directory = number(4, 4), entries = number(directory, 2);
  for (std::size_t at = directory + 2; at < directory + 2 + entries * entry_bytes; at += entry_bytes) {
    if (number(at, 2) == orientation) return static_cast<unsigned>(number(at + 8, 2));
  }
  return 1;
}

/// A scan of a few bytes makes the decoder process the whole image: the number of scans must be limited.
void on_progress(j_common_ptr jpeg) {
  constexpr int most_scans = 500;  // cameras and editors write about ten
  if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= most_scans) return;
  auto* manager = reinterpret_cast<ErrorManager*>(jpeg->err);
  std::snprintf(manager->text.data(), manager->text.size(), "it has more than %d scans", most_scans);
  std::longjmp(manager->place, 1);
}

class JpegReader {
 public:
  explicit JpegReader(const fs::path& file) : path_(file), file_(nullptr, std::fclose) {
    require_regular_file(file);
    file_.reset(std::fopen(file.c_str(), "rb"));
    if (!file_) throw InputError(file, 0, "cannot be opened", "Check its permissions.");
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = on_error;
    errors_.base.output_message = on_message;
    jpeg_create_decompress(&jpeg_);
    watch_.progress_monitor = on_progress;
    jpeg_.progress = &watch_;
    if (start()) return;
    jpeg_destroy_decompress(&jpeg_);
    refuse();
  }
  ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  const jpeg_decompress_struct& header() const { return jpeg_; }
  unsigned orientation() const {
    unsigned found = 1;
    for (const jpeg_marker_struct* marker = jpeg_.marker_list; marker != nullptr; marker = marker->next)
      found = std::max(found, orientation_in({marker->data, marker->data_length}));
    return found;
  }
  void read(std::byte* pixels) {
    if (!read_rows(reinterpret_cast<JSAMPROW>(pixels))) refuse();
    // libjpeg fills missing or damaged parts with grey.
    if (errors_.base.num_warnings > 0) refuse();
  }

 private:
  // longjmp does not call destructors: these two functions have no objects with one.
  bool start() {
    if (setjmp(errors_.place) != 0) return false;
    jpeg_stdio_src(&jpeg_, file_.get());
    constexpr unsigned longest = 0xffff;
    jpeg_save_markers(&jpeg_, JPEG_APP0 + 1, longest);  // Exif
    jpeg_read_header(&jpeg_, TRUE);
    jpeg_.out_color_space = jpeg_.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_calc_output_dimensions(&jpeg_);
    return true;
  }
  bool read_rows(JSAMPROW pixels) {
    if (setjmp(errors_.place) != 0) return false;
    jpeg_start_decompress(&jpeg_);
    const std::size_t row_bytes =
        std::size_t{jpeg_.output_width} * static_cast<unsigned>(jpeg_.output_components);
    while (jpeg_.output_scanline < jpeg_.output_height) {
      JSAMPROW row = pixels + jpeg_.output_scanline * row_bytes;
      jpeg_read_scanlines(&jpeg_, &row, 1);
    }
    return true;
  }
  [[noreturn]] void refuse() {
    const std::string why = errors_.text[0] != '\0' ? errors_.text.data() : "its data is cut or changed";
    throw InputError(path_, 0, fmt::format("damaged JPEG ({})", why), "Copy or export it again.");
  }

  fs::path path_;
  ErrorManager errors_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  jpeg_progress_mgr watch_{};
  jpeg_decompress_struct jpeg_{};
};

}  // namespace

Document read_jpeg(const fs::path& file, const jobs::Progress& progress) {
  progress.check();
  JpegReader reader(file);
  const jpeg_decompress_struct& header = reader.header();
  require_sizes(file, {header.output_width, header.output_height});
  require_plausible_jpeg(file, std::uint64_t{header.output_width} * header.output_height *
                                   static_cast<unsigned>(header.output_components));
  DecodedPicture picture{.width = static_cast<int>(header.output_width),
                         .height = static_cast<int>(header.output_height),
                         .channels = header.output_components,
                         .type = PixelType::uint8,
                         .pixels = nullptr,
                         .resolution = resolution_of(header)};
  picture.pixels = allocate_pixels(picture);
  reader.read(picture.pixels.get());
  progress.report(1, "reading pixels");
  Document document = document_of(file, picture);
  warn_of_orientation(document, reader.orientation());
  return document;
}

}  // namespace isolume::images
