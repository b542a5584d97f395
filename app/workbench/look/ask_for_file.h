#pragma once

#include <QString>
#include <functional>
#include <string>

class QWidget;

namespace isolume::workbench {

/// Settings with the last folders for opening files, and for written files.
inline constexpr const char* folder_key = "files/folder";
inline constexpr const char* export_folder_key = "files/export-folder";

/// What to ask for: an existing file, an existing folder, or a file to be written.
enum class Wanted { file, folder, new_file };

/// The folder where a dialog of the window starts: that of the setting; where it is gone or, for a new file, not
/// writable, the folder of the window's document (QWidget::windowFilePath), or else the person's.
QString first_folder(const QWidget& window, const char* folder_setting, Wanted wanted);

/// Stores the folder of the path in the setting if files can be written to it.
void remember_folder(const char* folder_setting, const QString& path);

/// Asks for a file without blocking, starting in the first folder; `take` receives its path. A new
/// file without a suffix gets that of the chosen filter; `name` is suggested, without a suffix.
void ask_for_file(QWidget& window, const QString& title, const QString& filter, const char* folder_setting,
                  Wanted wanted, std::function<void(const std::string& path)> take, const QString& name = {});

}  // namespace isolume::workbench
