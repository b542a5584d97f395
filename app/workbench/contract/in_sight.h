#pragma once

#include <QWidget>

namespace isolume::workbench {

/// Whether a part of it can be seen; null: no. Qt counts a panel behind another tab as visible, outside of the window.
inline bool in_sight(const QWidget* widget) {
  return widget != nullptr && widget->isVisible() && !widget->visibleRegion().isEmpty();
}

}  // namespace isolume::workbench
