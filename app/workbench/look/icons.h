#pragma once

#include <QIcon>
#include <string_view>

namespace isolume::workbench {

/// A line icon in the theme's text colour, sharp at every scale. Names: open, image, export, undo, redo,
/// home, search, close, stop, play, pause, step-on, step-back, reverse, loop, reset, warning, error, isolume
/// (the program's own, in colours). An unknown name gives an empty icon.
QIcon icon(std::string_view name);

}  // namespace isolume::workbench
