#pragma once

#include <QCoreApplication>
#include <QWheelEvent>
#include <QWidget>

namespace isolume::slices {

/// A turn of the wheel at a place of the widget, in eighths of a degree: 120 are a notch.
inline void turn_wheel(QWidget& widget, const QPointF& place, int angle,
                       Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QWheelEvent wheel(place, widget.mapToGlobal(place), {}, {0, angle}, Qt::NoButton, modifiers,
                    Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(&widget, &wheel);
}

}  // namespace isolume::slices
