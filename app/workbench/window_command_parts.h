#pragma once

#include <QFileDialog>
#include <functional>
#include <string>

#include "app/workbench/command_registry.h"

class QDockWidget;

namespace isolume::workbench {

class MainWindow;

void add_file_commands(MainWindow& window);
void add_document_commands(MainWindow& window);
void add_session_commands(MainWindow& window);
void add_lab_commands(MainWindow& window);
void add_edit_commands(MainWindow& window);
void add_view_commands(MainWindow& window);
void add_help_commands(MainWindow& window);
void add_script_commands(MainWindow& window);
void add_device_commands(MainWindow& window);

/// `file.export-movie`: asks for the subject of a movie, or films it.
void export_movie(MainWindow& window, const Arguments& arguments);

/// Settings with the last folders for opening files, for sessions, and for written files.
inline constexpr const char* folder_key = "files/folder";
inline constexpr const char* session_folder_key = "files/session-folder";
inline constexpr const char* export_folder_key = "files/export-folder";

/// What to ask for: an existing file, an existing folder, or a file to be written.
enum class Wanted { file, folder, new_file };

/// Asks for a file without blocking, starting in the folder of the setting; `take` receives its path. A new
/// file without a suffix gets that of the chosen filter; `name` is suggested, without a suffix.
void ask_for_file(MainWindow& window, const QString& title, const QString& filter, const char* folder_setting,
                  Wanted wanted, std::function<void(const std::string& path)> take, const QString& name = {});

/// The name for files written from a document: its file's name without suffixes, "benzene" for
/// benzene.fchk.gz. "isolume" without a file.
QString name_for_export(const MainWindow& window);

/// The name of a panel in commands: its title in English.
std::string panel_name(const QDockWidget& dock);

}  // namespace isolume::workbench
