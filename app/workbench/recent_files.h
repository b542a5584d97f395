#pragma once

#include <QStringList>

namespace isolume::workbench {

/// The files opened last, newest first, kept in the settings.
QStringList recent_files();
/// Puts a file on top; at most ten are kept.
void add_recent_file(const QString& path);

}  // namespace isolume::workbench
