#pragma once

#include <QTemporaryDir>
#include <QWidget>
#include <string>

#include "tests/app/scene/baseline.h"

namespace isolume::slices {

/// Compares what a widget looks like with tests/references/images/NAME.png; only where a screen pixel is one
/// pixel, as there.
inline void expect_like_baseline(QWidget& widget, const std::string& name) {
  if (widget.devicePixelRatioF() != 1) return;
  const QTemporaryDir folder;
  const auto file = folder.filePath("picture.png");
  widget.grab().save(file);
  scene::expect_like_baseline(*scene::read_png(file.toStdString()), name, scene::likeness::small);
}

}  // namespace isolume::slices
