#pragma once

#include <QString>
#include <filesystem>

namespace isolume::labs::livewire {

class Workspace;

QString export_filter();
/// Starts a job that writes the contours in the format of the suffix. Throws Error that names the formats, or
/// where there is nothing to write.
void export_file(Workspace& workspace, const std::filesystem::path& path);

/// Says on the status line that a file is there.
void show_written(Workspace& workspace, const std::filesystem::path& path);

}  // namespace isolume::labs::livewire
