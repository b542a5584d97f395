#pragma once

#include <QStringList>

namespace isolume::workbench {

/// The most recently opened files, newest first, stored in the settings.
QStringList recent_files();
/// Puts a file on top; at most ten are kept.
void add_recent_file(const QString& path);

}  // namespace isolume::workbench
