#pragma once

#include <QString>
#include <filesystem>

namespace isolume::workbench {

/// Whether the file's name matches one of the patterns of an open dialog's filter, "Cube (*.cube *.cub)".
bool matches_filter(const std::filesystem::path& path, const QString& filter);

/// The suffix of the filter's first pattern, without its dot: "cube". Empty if it has none.
QString first_suffix(const QString& filter);

}  // namespace isolume::workbench
