#include "app/slices/outlined_text.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QPixmapCache>
#include <QStringList>
#include <algorithm>
#include <cmath>

namespace isolume::slices {
namespace {

/// The text in a box with a margin of `rim`.
QPixmap make_picture(const QStringList& lines, Qt::Alignment flags, const QFont& font, const QSizeF& size,
                     double rim, double ratio) {
  const QFontMetricsF metrics(font);
  QPainterPath path;
  path.setFillRule(Qt::WindingFill);
  for (qsizetype i = 0; i < lines.size(); ++i) {
    double left = rim;
    const double room = size.width() - 2 * rim - metrics.horizontalAdvance(lines[i]);
    if (flags & Qt::AlignRight) left += room;
    if (flags & Qt::AlignHCenter) left += room / 2;
    path.addText(left, rim + metrics.ascent() + metrics.lineSpacing() * static_cast<double>(i), font,
                 lines[i]);
  }
  QPixmap picture((size * ratio).toSize());
  picture.setDevicePixelRatio(ratio);
  picture.fill(Qt::transparent);
  QPainter painter(&picture);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.strokePath(path, QPen(Qt::black, rim, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.fillPath(path, Qt::white);
  return picture;
}

}  // namespace

void draw_outlined(QPainter& painter, const QPointF& place, Qt::Alignment flags, const QString& text) {
  if (text.isEmpty()) return;
  const QFont font = painter.font();
  const QFontMetricsF metrics(font);
  const QStringList lines = text.split('\n');
  const double rim = std::max(2.5, metrics.height() / 6);
  double width = 0;
  for (const auto& line : lines) width = std::max(width, metrics.horizontalAdvance(line));
  const double height = metrics.lineSpacing() * static_cast<double>(lines.size());
  const double ratio = painter.device()->devicePixelRatioF();
  // Stroking letters takes a third of a millisecond per text, and most texts stay the same; therefore they
  // are cached.
  const QString key = QStringLiteral("outlined %1 %2 %3 %4")
                          .arg(font.key(), QString::number(ratio), QString::number(flags.toInt()), text);
  QPixmap picture;
  if (!QPixmapCache::find(key, &picture)) {
    picture = make_picture(lines, flags, font, {std::ceil(width + 2 * rim), std::ceil(height + 2 * rim)}, rim,
                           ratio);
    QPixmapCache::insert(key, picture);
  }
  QPointF corner = place;
  if (flags & Qt::AlignRight) corner.rx() -= width;
  if (flags & Qt::AlignHCenter) corner.rx() -= width / 2;
  if (flags & Qt::AlignBottom) corner.ry() -= height;
  if (flags & Qt::AlignVCenter) corner.ry() -= height / 2;
  corner = (corner - QPointF(rim, rim)) * ratio;
  painter.drawPixmap(QPointF(std::round(corner.x()), std::round(corner.y())) / ratio, picture);
}

}  // namespace isolume::slices
