#pragma once

#include <filesystem>

class QWidget;

namespace isolume::workbench {

/// Writes a shown window, its 3D view included, as PNG at the screen's own resolution. Throws Error.
void write_screenshot(QWidget& window, const std::filesystem::path& path);

}  // namespace isolume::workbench
