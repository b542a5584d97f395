#include "app/pictures/qt_picture.h"

#include <QColorSpace>
#include <QImage>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace isolume::pictures {
namespace {

/// Qt's own reader returns the same pixels.
TEST(QtPicture, IsReadByQtWithItsColoursOpacityAndResolution) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "a.png";
  for (const auto format : {QImage::Format_RGB32, QImage::Format_RGB888, QImage::Format_ARGB32}) {
    QImage picture(5, 3, format);  // rows of 3 bytes a pixel have gaps
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x)
        picture.setPixelColor(x, y, QColor(50 * x, 80 * y, 7, 255 - 40 * x));
    write_png(picture, path, 72);
    QImage read(QString::fromStdString(path.string()));
    EXPECT_EQ(read.colorSpace(), QColorSpace(QColorSpace::SRgb));
    read.setColorSpace({});  // which is part of the comparison
    EXPECT_EQ(read.hasAlphaChannel(), format == QImage::Format_ARGB32);
    EXPECT_EQ(read.convertToFormat(QImage::Format_ARGB32), picture.convertToFormat(QImage::Format_ARGB32));
    EXPECT_EQ(read.dotsPerMeterX(), 2835) << "72 dots per 0.0254 m";
    EXPECT_EQ(read.dotsPerMeterY(), 2835);
  }
}

}  // namespace
}  // namespace isolume::pictures
