#include <array>
#include <csetjmp>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <png.h>

#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/images/picture.h"
#include "core/images/readers.h"

// Uses libpng itself: ITK's reader ends the program on a damaged header.
namespace isolume::images {
namespace {

namespace fs = std::filesystem;

/// The first message of libpng about a file.
struct PngProblem {
  std::array<char, 120> text{};
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* problem = static_cast<PngProblem*>(png_get_error_ptr(png));
  std::snprintf(problem->text.data(), problem->text.size(), "%s", message);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

/// Decodes to 8 or 16 bits, grey or RGB, in native byte order.
class PngReader {
 public:
  explicit PngReader(const fs::path& file)
      : path_(file),
        file_(nullptr, std::fclose),
        png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &problem_, on_error, on_warning)) {
    require_regular_file(file);
    file_.reset(std::fopen(file.c_str(), "rb"));
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
    if (file_ && info_ != nullptr && read_information()) return;
    png_destroy_read_struct(&png_, &info_, nullptr);
    if (!file_) throw InputError(file, 0, "cannot be opened", "Check its permissions.");
    refuse();
  }
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  std::uint32_t width() const { return png_get_image_width(png_, info_); }
  std::uint32_t height() const { return png_get_image_height(png_, info_); }
  int bits() const { return png_get_bit_depth(png_, info_); }
  int channels() const { return png_get_channels(png_, info_); }
  bool has_opacity() const { return has_opacity_; }
  Resolution resolution() const {
    std::uint32_t x = 0, y = 0;
    int unit = PNG_RESOLUTION_UNKNOWN;
    if (png_get_pHYs(png_, info_, &x, &y, &unit) == 0) return {};
    return {.x = double(x), .y = double(y), .unit_mm = unit == PNG_RESOLUTION_METER ? 1000.0 : 0};
  }
  std::size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
  void read(std::byte* pixels) {
    std::vector<png_bytep> rows(height());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      rows[row] = reinterpret_cast<png_bytep>(pixels + row * row_bytes());
    }
    if (!read_rows(rows.data())) refuse();
  }

 private:
  // longjmp does not call destructors: these two functions have no objects with one.
  bool read_information() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_init_io(png_, file_.get());
    png_read_info(png_, info_);
    has_opacity_ = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 ||
                   png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_alpha(png_);
    png_set_swap(png_);  // PNG is big endian
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    return true;
  }
  bool read_rows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }
  [[noreturn]] void refuse() {
    throw InputError(path_, 0, fmt::format("damaged PNG ({})", problem_.text.data()),
                     "Copy or export it again.");
  }

  fs::path path_;
  PngProblem problem_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  bool has_opacity_ = false;
};

}  // namespace

Document read_png(const fs::path& file, const jobs::Progress& progress) {
  progress.check();
  PngReader reader(file);
  require_sizes(file, {reader.width(), reader.height()});
  constexpr std::uint64_t best_of_deflate = 1032;
  require_plausible(file, std::uint64_t{reader.row_bytes()} * reader.height(), best_of_deflate);
  DecodedPicture picture{.width = static_cast<int>(reader.width()),
                         .height = static_cast<int>(reader.height()),
                         .channels = reader.channels(),
                         .type = reader.bits() == 16 ? PixelType::uint16 : PixelType::uint8,
                         .pixels = nullptr,
                         .resolution = reader.resolution()};
  picture.pixels = allocate_pixels(picture);
  reader.read(picture.pixels.get());
  progress.report(1, "reading pixels");
  Document document = document_of(file, picture);
  if (reader.has_opacity()) document.remarks.dropped(opacity_remark);
  return document;
}

}  // namespace isolume::images
