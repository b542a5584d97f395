#include "app/fields/chart_figure.h"

#include <QBuffer>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "app/fields/chart_drawing.h"
#include "core/base/atomic_file.h"
#include "core/base/suffix.h"

namespace isolume::fields {
namespace {

constexpr QSizeF size_mm(160, 100);
constexpr int dots_per_mm = 100;
constexpr double mm_per_inch = 25.4, dots_per_inch = dots_per_mm * mm_per_inch, pixels_per_inch = 96;

void draw(const Chart& chart, QPaintDevice& device) {
  QPainter painter(&device);
  constexpr double dots_per_pixel = dots_per_inch / pixels_per_inch;
  painter.scale(dots_per_pixel, dots_per_pixel);
  QFont font(QStringLiteral("sans-serif"));
  font.setPixelSize(13);
  font.setHintingPreference(
      QFont::PreferNoHinting);  // otherwise letters keep the distances that they have on a screen
  painter.setFont(font);
  ChartDrawing(chart.data(), chart.shown_range(), size_mm * dots_per_mm / dots_per_pixel, QFontMetrics(font))
      .draw(painter, Qt::black, QColor("#bbbbbb"));  // opaque: not every reader knows opacity
}

void draw_svg(const Chart& chart, QBuffer& buffer) {
  QSvgGenerator device;
  device.setOutputDevice(&buffer);
  device.setResolution(static_cast<int>(dots_per_inch));
  device.setSize((size_mm * dots_per_mm).toSize());
  device.setViewBox(QRectF(QPointF(), size_mm * dots_per_mm));
  draw(chart, device);
}

void draw_pdf(const Chart& chart, QBuffer& buffer) {
  QPdfWriter device(&buffer);
  device.setResolution(static_cast<int>(dots_per_inch));
  device.setPageSize(QPageSize(size_mm, QPageSize::Millimeter));
  device.setPageMargins({});
  draw(chart, device);
}

}  // namespace

void write_figure(const Chart& chart, const std::filesystem::path& path) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  has_suffix(path, ".pdf") ? draw_pdf(chart, buffer) : draw_svg(chart, buffer);
  AtomicFile file(path);
  file.stream().write(buffer.data().constData(), buffer.data().size());
  file.commit();
}

}  // namespace isolume::fields
