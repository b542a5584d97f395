#include "app/slices/outlined_text.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QStringList>

namespace isolume::slices {

void draw_outlined(QPainter& painter, const QPointF& place, Qt::Alignment flags, const QString& text) {
  const QFontMetricsF metrics(painter.font());
  const QStringList lines = text.split('\n');
  double top = place.y();
  const double height = metrics.lineSpacing() * static_cast<double>(lines.size());
  if (flags & Qt::AlignBottom) top -= height;
  if (flags & Qt::AlignVCenter) top -= height / 2;
  QPainterPath path;
  path.setFillRule(Qt::WindingFill);
  for (qsizetype i = 0; i < lines.size(); ++i) {
    double left = place.x();
    if (flags & Qt::AlignRight) left -= metrics.horizontalAdvance(lines[i]);
    if (flags & Qt::AlignHCenter) left -= metrics.horizontalAdvance(lines[i]) / 2;
    path.addText(left, top + metrics.ascent() + metrics.lineSpacing() * static_cast<double>(i),
                 painter.font(), lines[i]);
  }
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const double rim = std::max(2.5, metrics.height() / 6);
  painter.strokePath(path, QPen(Qt::black, rim, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  painter.fillPath(path, Qt::white);
  painter.restore();
}

}  // namespace isolume::slices
