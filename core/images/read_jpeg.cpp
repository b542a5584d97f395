#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>

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
  return document_of(file, picture);
}

}  // namespace isolume::images
