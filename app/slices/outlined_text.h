#pragma once

#include <QPointF>
#include <QString>

class QPainter;

namespace isolume::slices {

/// Draws text in the painter's font, white with a black rim: it reads on black, grey and white. `flags` as
/// Qt::Alignment says which point of the text's box `place` is (Qt::AlignLeft | Qt::AlignTop: its upper left
/// corner). Lines are parted by '\n'.
void draw_outlined(QPainter& painter, const QPointF& place, Qt::Alignment flags, const QString& text);

}  // namespace isolume::slices
