#include "app/pictures/qt_picture.h"

#include <QImage>

#include "app/pictures/png_file.h"

namespace isolume::pictures {

void write_png(const QImage& picture, const std::filesystem::path& path, std::optional<int> dpi) {
  const bool opacity = picture.hasAlphaChannel();
  // With four bytes for each pixel, rows have no gaps.
  const QImage bytes = picture.convertToFormat(opacity ? QImage::Format_RGBA8888 : QImage::Format_RGBX8888);
  write_png({.bytes = {bytes.constBits(), static_cast<std::size_t>(bytes.sizeInBytes())},
             .width = bytes.width(),
             .height = bytes.height(),
             .fourth = opacity ? FourthByte::opacity : FourthByte::unused},
            path, dpi);
}

}  // namespace isolume::pictures
