#pragma once

#include <QString>
#include <functional>
#include <string>
#include <vector>

class QObject;
class QWidget;

namespace isolume::workbench {

struct LabContext;

/// Settings with the last folders for opening files, and for written files.
inline constexpr const char* folder_key = "files/folder";
inline constexpr const char* export_folder_key = "files/export-folder";

/// What to ask for: an existing file, an existing folder, a file to be written, or a folder that files are written to.
enum class Wanted { file, folder, new_file, target_folder };

/// The folder where a dialog of the window starts: that of the setting; where it is gone or, for files to be written, not
/// writable, the folder of the window's document (QWidget::windowFilePath), or else the person's.
QString first_folder(const QWidget& window, const char* folder_setting, Wanted wanted);

/// Stores the folder of the path in the setting if files can be written to it.
void remember_folder(const char* folder_setting, const QString& path);

/// Asks for a file without blocking, starting in the first folder; `take` receives its path. A new
/// file without a suffix gets that of the chosen filter; `name` is suggested, without a suffix.
void ask_for_file(QWidget& window, const QString& title, const QString& filter, const char* folder_setting,
                  Wanted wanted, std::function<void(const std::string& path)> take, const QString& name = {});

/// A file that a command needs.
struct FileQuestion {
  QString title, filter;
  Wanted wanted = Wanted::file;
  QString name = {};  ///< suggested for a new file, without a suffix
};
/// Asks for a file, then runs the lab's command with the words and the path, unless `owner` is gone by then. Errors of the
/// command are shown above the view.
void ask_and_run(LabContext& context, QObject& owner, QWidget& window, const FileQuestion& question,
                 const std::string& command, const std::vector<std::string>& words = {});

}  // namespace isolume::workbench
