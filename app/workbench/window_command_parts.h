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

/// `file.export-movie`: asks for what is to be filmed, or films it.
void export_movie(MainWindow& window, const Arguments& arguments);

/// Settings in which the folders are that files are opened from, sessions are kept in, and pictures and the like are
/// written to.
inline constexpr const char* folder_key = "files/folder";
inline constexpr const char* session_folder_key = "files/session-folder";
inline constexpr const char* export_folder_key = "files/export-folder";

/// What is asked for: a file that is there, a folder that is there, or a file to be written.
enum class Wanted { file, folder, new_file };

/// Asks for a file without blocking, beginning in the folder that the setting remembers; `take` gets its
/// path. The name of a new file gets the suffix of the chosen filter where it has none; `name` is suggested, without a suffix.
void ask_for_file(MainWindow& window, const QString& title, const QString& filter, const char* folder_setting,
                  Wanted wanted, std::function<void(const std::string& path)> take, const QString& name = {});

/// What is written of a document is called as its file is, without its endings: "benzene" of benzene.fchk.gz. "isolume" where
/// there is no file.
QString name_for_export(const MainWindow& window);

/// What commands call a panel: its title in English.
std::string panel_name(const QDockWidget& dock);

}  // namespace isolume::workbench
