#pragma once

#include <QPointF>
#include <QString>

class QPainter;

namespace isolume::slices {

/// Draws text in the painter's font, white with a black rim, so that it is readable on black, grey and white.
/// `flags` (Qt::Alignment) chooses the point of the text's box at `place` (Qt::AlignLeft | Qt::AlignTop: its
/// upper left corner). Lines are separated by '\n'.
void draw_outlined(QPainter& painter, const QPointF& place, Qt::Alignment flags, const QString& text);

}  // namespace isolume::slices
