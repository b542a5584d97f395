#include "app/pictures/png_file.h"

#include <array>
#include <cmath>
#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>
#include <png.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume::pictures {
namespace {

/// The first message of libpng.
using Problem = std::array<char, 120>;

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  auto* problem = static_cast<Problem*>(png_get_error_ptr(png));
  std::snprintf(problem->data(), problem->size(), "%s", message);
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

/// The file reports a full disk when it is committed.
void write_bytes(png_structp png, png_bytep bytes, std::size_t count) {
  auto* out = static_cast<std::ostream*>(png_get_io_ptr(png));
  out->write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}
void flush(png_structp) {}

/// Returns false if libpng reports an error. It then jumps out of here without calling destructors: nothing here has
/// one.
bool write_all(png_structp png, png_infop info, const Pixels& pixels, std::optional<int> dpi) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  const auto width = static_cast<png_uint_32>(pixels.width), height = static_cast<png_uint_32>(pixels.height);
  const bool opacity = pixels.fourth == FourthByte::opacity;
  png_set_IHDR(png, info, width, height, 8, opacity ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (dpi) {
    const auto dots_per_metre = static_cast<png_uint_32>(std::lround(*dpi / 0.0254));
    png_set_pHYs(png, info, dots_per_metre, dots_per_metre, PNG_RESOLUTION_METER);
  }
  png_write_info(png, info);
  if (pixels.fourth == FourthByte::unused) png_set_filler(png, 0, PNG_FILLER_AFTER);
  const std::size_t row_bytes = std::size_t{width} * (pixels.fourth == FourthByte::none ? 3 : 4);
  for (png_uint_32 row = 0; row < height; ++row) {
    const std::size_t from = pixels.first == FirstRow::top ? row : height - 1 - row;
    png_write_row(png, pixels.bytes.data() + from * row_bytes);
  }
  png_write_end(png, info);
  return true;
}

}  // namespace

void write_png(const Pixels& pixels, const std::filesystem::path& path, std::optional<int> dpi) {
  if (dpi && *dpi < 1)
    throw Error(fmt::format("A resolution of {} dpi is not possible; give at least 1.", *dpi));
  AtomicFile file(path);
  Problem problem{"no memory"};
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &problem, on_error, on_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info != nullptr) png_set_write_fn(png, &file.stream(), write_bytes, flush);
  const bool written = info != nullptr && write_all(png, info, pixels, dpi);
  png_destroy_write_struct(&png, &info);
  if (!written)
    throw Error(fmt::format("{}: the picture cannot be written as PNG: {}.", path.string(), problem.data()));
  file.commit();
}

}  // namespace isolume::pictures
